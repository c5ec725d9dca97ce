#include "tenon/compiler/codegen/ir/transpose_square.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

Status KernelEmitter::EmitTile(ir::TileOp tile) {
  mlir::Block& block = tile.getBody().front();
  llvm::SmallVector<std::pair<ir::LoadOp, int64_t>> across;
  int64_t widest = 1;
  block.walk([&](mlir::Operation* op) {
    mlir::Type element;
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
      element = load.getView().getType().getElementType();
      if (auto stride = StrideAcrossLanes(load, tile)) across.emplace_back(load, *stride);
    } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
      element = store.getView().getType().getElementType();
    }
    if (element)
      widest = std::max<int64_t>(widest, ElementBytes(ir::ElementTypeOf(element)));
  });
  // A square of up to 16 vectors, or of 32 vectors of 16-bit elements: these fill cache
  // lines. A smaller square is used if it divides the tile and the larger one does not.
  int64_t rows = tile.getSizes()[0], columns = tile.getSizes()[1];
  int width =
      std::clamp<int>(options_.target.vector_bits / 8 / widest, 2, widest == 2 ? 32 : 16);
  auto fits = [&](int side) { return rows % side == 0 && columns % side == 0; };
  for (int half = width / 2; half >= 8 && !fits(width); half /= 2)
    if (fits(half)) width = half;
  while (width > std::min(rows, columns)) width /= 2;

  // Squares at the ends are moved back to lie inside. The elements that an earlier square
  // has stored are masked out.
  bool whole = fits(width);
  auto range = [&](mlir::Value number, int64_t size) {
    llvm::Value* lower =
        b_.CreateMul(points_->Index(number).base, b_.getInt64(tile.getBlock()));
    llvm::Value* upper = b_.CreateAdd(lower, b_.getInt64(tile.getBlock()));
    if (size % tile.getBlock() != 0)
      upper = b_.CreateSelect(b_.CreateICmpSLT(upper, b_.getInt64(size)), upper,
                              b_.getInt64(size));
    return std::make_pair(lower, upper);
  };
  auto row_range = range(tile.getRow(), rows);
  auto column_range = range(tile.getColumn(), columns);
  auto inside = [&](llvm::Value* start, llvm::Value* upper) {
    if (whole) return start;
    llvm::Value* last = b_.CreateSub(upper, b_.getInt64(width));
    return b_.CreateSelect(b_.CreateICmpSLT(start, last), start, last);
  };

  Status status;
  auto square = [&](llvm::Value* row_start, llvm::Value* column_start) -> Status {
    llvm::Value* row = inside(row_start, row_range.second);
    llvm::Value* column = inside(column_start, column_range.second);
    llvm::Value* new_lanes = nullptr;
    if (!whole) {
      llvm::SmallVector<llvm::Constant*> lanes;
      for (int lane = 0; lane < width; ++lane) lanes.push_back(b_.getInt64(lane));
      llvm::Value* done = b_.CreateSub(column_start, column);
      new_lanes = b_.CreateICmpUGE(llvm::ConstantVector::get(lanes),
                                   b_.CreateVectorSplat(width, done));
    }
    // Emits the loads across the lanes at the first point of the square.
    points_->set_lanes({});
    points_->SetIndex(block.getArgument(0), {row, 0, 1});
    points_->SetIndex(block.getArgument(1), {column, 0, 1});
    llvm::SmallVector<llvm::SmallVector<llvm::Value*>> squares;
    for (mlir::Operation& op : block) {
      // Emits all index ops that have their operands. LLVM removes the unused ones.
      bool index_op =
          op.getDialect()->getNamespace() == "arith" && op.getNumResults() == 1 &&
          op.getResult(0).getType().isIndex() &&
          llvm::all_of(op.getOperands(), [&](mlir::Value operand) {
            return operand.getType().isIndex() && points_->Index(operand).base;
          });
      if (index_op) TENON_RETURN_IF_ERROR(points_->EmitOp(op));
    }
    for (auto [load, stride] : across) {
      TENON_ASSIGN_OR_RETURN(auto vectors, points_->LoadSquare(load, width, stride));
      int parts = ElementParts(ir::ElementTypeOfShaped(load.getType()));
      TransposeSquare(b_, vectors, parts);
      squares.push_back(std::move(vectors));
    }
    auto emit_row = [&](llvm::Value* number, auto vector_of) -> Status {
      llvm::Value* index = b_.CreateAdd(row, number);
      llvm::Value* mask = new_lanes;
      if (mask)
        mask = b_.CreateAnd(
            mask, b_.CreateVectorSplat(width, b_.CreateICmpSGE(index, row_start)));
      points_->set_lanes({width, mask});
      points_->SetIndex(block.getArgument(0), {index, 0, 1});
      points_->SetIndex(block.getArgument(1), {column, 1, whole ? width : 1});
      for (mlir::Operation& op : block) {
        auto found = llvm::find_if(across, [&](auto& pair) { return pair.first == &op; });
        if (found != across.end())
          points_->SetFromMemory(found->first, vector_of(found - across.begin()));
        else
          TENON_RETURN_IF_ERROR(EmitOp(op));
      }
      points_->set_lanes({});
      return OkStatus();
    };
    // A short body is unrolled over the rows. A longer one is a loop that reads the
    // transposed rows from memory.
    constexpr size_t kMostRepeated = 12;
    if (block.getOperations().size() <= kMostRepeated) {
      for (int number = 0; number < width; ++number)
        TENON_RETURN_IF_ERROR(emit_row(
            b_.getInt64(number), [&](size_t which) { return squares[which][number]; }));
      return OkStatus();
    }
    llvm::SmallVector<llvm::Value*> memory;
    for (auto& vectors : squares) {
      llvm::Type* type = vectors[0]->getType();
      memory.push_back(EmitEntryAlloca(b_, llvm::ArrayType::get(type, width), 64));
      for (auto [number, vector] : llvm::enumerate(vectors))
        b_.CreateStore(vector, b_.CreateConstGEP1_64(type, memory.back(), number));
    }
    Status inner;
    EmitForLoop(b_, b_.getInt64(0), b_.getInt64(width), 1, {},
                [&](llvm::Value* number, auto) {
                  inner = emit_row(number, [&](size_t which) {
                    llvm::Type* type = squares[which][0]->getType();
                    return b_.CreateLoad(type, b_.CreateGEP(type, memory[which], number));
                  });
                  return Values();
                });
    return inner;
  };
  EmitForLoop(b_, column_range.first, column_range.second, width, {},
              [&](llvm::Value* column, auto) {
                EmitForLoop(b_, row_range.first, row_range.second, width, {},
                            [&](llvm::Value* row, auto) {
                              if (status.ok()) status = square(row, column);
                              return Values();
                            });
                return Values();
              });
  return status;
}

}  // namespace tenon::codegen
