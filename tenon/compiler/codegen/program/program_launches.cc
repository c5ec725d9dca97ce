// Launches of device kernels.
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {
namespace {

// The bits of a scalar in the low bits of an i64.
llvm::Value* AsWord(llvm::IRBuilderBase& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) return b.CreatePtrToInt(value, b.getInt64Ty());
  if (!type->isIntegerTy())
    value = b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits()));
  return b.CreateZExt(value, b.getInt64Ty());
}

}  // namespace

void ProgramEmitter::EmitDeviceLaunches(ir::LaunchOp launch) {
  const std::vector<DeviceLaunch>& launches =
      options_.launches->find(launch.getKernel())->second;
  if (launches.empty()) return;
  EmitTraceKernel(kernel_numbers_.at(launch.getKernelAttr().getAttr()));
  Values words;
  for (mlir::Value operand : launch.getArguments_()) {
    if (llvm::isa<mlir::MemRefType>(operand.getType())) {
      words.push_back(AsWord(b_, View(operand)));
      continue;
    }
    ElementValue value = points_->Scalar(operand);
    words.push_back(AsWord(b_, value.re));
    if (value.im) words.push_back(AsWord(b_, value.im));
  }
  // One more for the number of the phase.
  auto* type = llvm::ArrayType::get(b_.getInt64Ty(), words.size() + 1);
  llvm::Value* array = EmitEntryAlloca(b_, type, 16);
  auto slot = [&](size_t number) {
    return b_.CreateConstInBoundsGEP2_64(type, array, 0, number);
  };
  for (auto [number, word] : llvm::enumerate(words)) b_.CreateStore(word, slot(number));
  for (const DeviceLaunch& one : launches) {
    if (one.phase >= 0)
      b_.CreateStore(b_.getInt64(static_cast<uint64_t>(one.phase)), slot(words.size()));
    CallTable(offsetof(RuntimeTable, launch),
              {b_.getInt64(static_cast<uint64_t>(one.kernel)), array,
               b_.getInt64(static_cast<uint64_t>(one.groups))});
  }
}

}  // namespace tenon::codegen
