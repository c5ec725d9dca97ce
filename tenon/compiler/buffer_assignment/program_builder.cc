#include "tenon/compiler/buffer_assignment/program_builder.h"

#include "tenon/compiler/buffer_assignment/arena.h"
#include "tenon/compiler/buffer_assignment/block_builder.h"
#include "tenon/compiler/buffer_assignment/shared_results.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

StatusOr<BuiltProgram> BuildProgram(mlir::ModuleOp module, mlir::func::FuncOp function,
                                    const ProgramOptions& options) {
  BlockBuilder blocks(module, function, options.target, options.grid, options.share,
                      options.keep_packed);
  ValueBuffers& value_buffers = blocks.value_buffers();
  mlir::OpBuilder& b = blocks.builder();
  BuiltProgram built;
  mlir::Block& body = function.getBody().front();
  mlir::Operation* terminator = body.getTerminator();
  size_t parameters = body.getNumArguments();
  b.setInsertionPointToEnd(module.getBody());
  auto aliases = options.result_aliases;
  aliases.resize(terminator->getNumOperands(), -1);
  built.program = ir::ProgramOp::create(b, function.getLoc(), function.getSymName(),
                                        parameters, 0, aliases);
  mlir::Block* block = b.createBlock(&built.program.getBody());
  auto add_view = [&](mlir::Value value) {
    mlir::Type type =
        IsTensor(value)
            ? mlir::Type(ViewTypeOf(value.getType()))
            : mlir::Type(mlir::MemRefType::get({0}, b.getI8Type()));  // a token
    return block->addArgument(type, value.getLoc());
  };
  llvm::SmallVector<mlir::Value> parameter_views;
  llvm::SmallVector<Buffer> results;
  for (mlir::BlockArgument argument : body.getArguments())
    parameter_views.push_back(add_view(argument));
  for (mlir::Value result : terminator->getOperands()) {
    mlir::Value view = add_view(result);
    results.push_back({view, Storage::kResult, view});
  }
  for (auto [argument, view] : llvm::zip_equal(body.getArguments(), parameter_views))
    value_buffers.SetBuffer(argument, Buffer{view, Storage::kParameter, view});
  for (auto [result, parameter] : llvm::enumerate(aliases)) {
    if (parameter < 0) continue;
    mlir::Value argument = body.getArgument(parameter);
    Buffer& buffer = results[result];
    mlir::Value view = value_buffers.View(buffer, ViewTypeOf(argument.getType()));
    value_buffers.SetBuffer(argument, Buffer{view, Storage::kResult, buffer.root});
  }
  for (mlir::BlockArgument argument : body.getArguments()) {
    if (IsRankZero(argument) && !argument.use_empty() &&
        blocks.hosts().Contains(argument))
      value_buffers.ReadScalar(argument, argument.getLoc());
  }
  for (auto [value, buffer] : llvm::zip_equal(terminator->getOperands(), results))
    if (IsTensor(value)) value_buffers.Hint(value, buffer);
  TENON_RETURN_IF_ERROR(blocks.BuildBlock(body));
  llvm::SmallVector<mlir::Value> values, scalars;
  llvm::SmallVector<std::optional<Buffer>> targets;
  for (auto [value, buffer] : llvm::zip_equal(terminator->getOperands(), results)) {
    if (!IsTensor(value)) continue;
    values.push_back(value);
    targets.push_back(buffer);
  }
  TENON_RETURN_IF_ERROR(blocks.BuildYield(values, targets, scalars));
  built.ffi_calls = std::move(blocks.ffi_calls());
  built.collectives = std::move(blocks.collectives());
  built.packed_operands = std::move(blocks.packed_operands());
  built.estimated_ns = blocks.estimated_ns();
  built.shared_results = SharedResults(module, built.program, built.collectives);
  built.program.setSharedSites(blocks.shared_segments().sites());
  AssignArenaOffsets(built.program);
  function.erase();
  return built;
}

}  // namespace tenon::compiler
