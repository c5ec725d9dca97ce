#include "tenon/compiler/codegen/kernel/tile_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// A longer body is a loop over the rows of a transpose tile, instead of being unrolled.
constexpr size_t kMaxUnrolledOps = 12;

// Emits a block by transpose tiles whose loads across the lanes are transposed in
// registers.
class TileEmitter {
 public:
  TileEmitter(BodyEmitter& body, ir::TileOp tile)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        tile_(tile),
        block_(tile.getBody().front()) {
    ChooseWidth(FindAccesses());
  }

  Status Emit() {
    auto rows = Range(tile_.getRow(), tile_.getSizes()[0]);
    auto columns = Range(tile_.getColumn(), tile_.getSizes()[1]);
    Status status;
    EmitForLoop(
        b_, columns.first, columns.second, width_, {}, [&](llvm::Value* column, auto) {
          EmitForLoop(
              b_, rows.first, rows.second, width_, {}, [&](llvm::Value* row, auto) {
                if (status.ok())
                  status = EmitTransposeTile(row, rows.second, column, columns.second);
                return Values();
              });
          return Values();
        });
    return status;
  }

 private:
  // A vector for each row of a transpose tile.
  using TileRows = llvm::SmallVector<llvm::Value*>;

  // Finds the loads across the lanes. Returns the bytes of the widest element that is
  // accessed.
  int64_t FindAccesses() {
    int64_t widest = 1;
    block_.walk([&](mlir::Operation* op) {
      mlir::Type element;
      if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
        element = load.getView().getType().getElementType();
        if (auto stride = StrideAcrossLanes(load, tile_))
          across_.emplace_back(load, *stride);
      } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
        element = store.getView().getType().getElementType();
      }
      if (element)
        widest = std::max<int64_t>(widest, ElementBytes(ir::ElementTypeOf(element)));
    });
    return widest;
  }

  // A transpose tile has up to 16 vectors, or 32 vectors of 16-bit elements: these fill
  // cache lines. A smaller transpose tile is used if it divides the tile and the larger
  // one does not.
  void ChooseWidth(int64_t widest) {
    int64_t rows = tile_.getSizes()[0], columns = tile_.getSizes()[1];
    width_ = std::clamp<int>(body_.target().vector_bits / 8 / widest, 2,
                             widest == 2 ? 32 : 16);
    auto fits = [&](int side) { return rows % side == 0 && columns % side == 0; };
    for (int half = width_ / 2; half >= 8 && !fits(width_); half /= 2)
      if (fits(half)) width_ = half;
    while (width_ > std::min(rows, columns)) width_ /= 2;
    whole_ = fits(width_);
  }

  // The bounds of block `number` in a dimension of `size` elements.
  std::pair<llvm::Value*, llvm::Value*> Range(mlir::Value number, int64_t size) {
    int64_t block = tile_.getBlock();
    llvm::Value* lower = b_.CreateMul(points_.Index(number).base, b_.getInt64(block));
    llvm::Value* upper = b_.CreateAdd(lower, b_.getInt64(block));
    if (size % block != 0)
      upper = b_.CreateSelect(b_.CreateICmpSLT(upper, b_.getInt64(size)), upper,
                              b_.getInt64(size));
    return {lower, upper};
  }

  // Moves a transpose tile that would reach past the end back inside.
  llvm::Value* Inside(llvm::Value* start, llvm::Value* upper) {
    if (whole_) return start;
    llvm::Value* last = b_.CreateSub(upper, b_.getInt64(width_));
    return b_.CreateSelect(b_.CreateICmpSLT(start, last), start, last);
  }

  Status EmitTransposeTile(llvm::Value* row_start, llvm::Value* row_end,
                           llvm::Value* column_start, llvm::Value* column_end) {
    row_start_ = row_start;
    row_ = Inside(row_start, row_end);
    column_ = Inside(column_start, column_end);
    TENON_ASSIGN_OR_RETURN(llvm::SmallVector<TileRows> transposed, LoadTransposeTiles());
    const bool unroll = block_.getOperations().size() <= kMaxUnrolledOps;
    auto emit_whole = [&] {
      new_lanes_ = nullptr;
      return unroll ? EmitUnrolled(transposed) : EmitRowLoop(transposed);
    };
    if (whole_) return emit_whole();
    // Only transpose tiles at the end are masked: without mask registers, masked stores
    // take several times as long as others.
    llvm::Value* is_whole = b_.CreateAnd(b_.CreateICmpEQ(row_, row_start),
                                         b_.CreateICmpEQ(column_, column_start));
    return EmitIfElse(b_, is_whole, emit_whole, [&] {
      // Masks out the elements that an earlier transpose tile has stored.
      llvm::SmallVector<llvm::Constant*> lanes;
      for (int lane = 0; lane < width_; ++lane) lanes.push_back(b_.getInt64(lane));
      llvm::Value* done = b_.CreateSub(column_start, column_);
      new_lanes_ = b_.CreateICmpUGE(llvm::ConstantVector::get(lanes),
                                    b_.CreateVectorSplat(width_, done));
      return EmitRowLoop(transposed);
    });
  }

  // Emits the loads across the lanes at the first point of the transpose tile, and
  // transposes.
  StatusOr<llvm::SmallVector<TileRows>> LoadTransposeTiles() {
    points_.set_lanes({});
    points_.SetIndex(block_.getArgument(0), {row_, 0, 1});
    points_.SetIndex(block_.getArgument(1), {column_, 0, 1});
    for (mlir::Operation& op : block_) {
      // Emits all index ops that have their operands. LLVM removes the unused ones.
      bool index_op = op.getDialect()->getNamespace() == "arith" &&
                      op.getNumResults() == 1 && op.getResult(0).getType().isIndex() &&
                      llvm::all_of(op.getOperands(), [&](mlir::Value operand) {
                        return operand.getType().isIndex() && points_.Index(operand).base;
                      });
      if (index_op) TENON_RETURN_IF_ERROR(points_.EmitOp(op));
    }
    llvm::SmallVector<TileRows> transposed;
    for (auto [load, stride] : across_) {
      TENON_ASSIGN_OR_RETURN(auto vectors,
                             points_.memory().LoadTransposeTile(load, width_, stride));
      int parts = ElementParts(ir::ElementTypeOfShaped(load.getType()));
      TransposeTile(b_, vectors, parts);
      transposed.push_back(std::move(vectors));
    }
    return transposed;
  }

  // Emits row `number` of the transpose tile. `vector_of` returns the vector of each load
  // across the lanes.
  Status EmitRow(llvm::Value* number,
                 llvm::function_ref<llvm::Value*(size_t load)> vector_of) {
    llvm::Value* index = b_.CreateAdd(row_, number);
    llvm::Value* mask = new_lanes_;
    if (mask)
      mask = b_.CreateAnd(
          mask, b_.CreateVectorSplat(width_, b_.CreateICmpSGE(index, row_start_)));
    points_.set_lanes({width_, mask});
    points_.SetIndex(block_.getArgument(0), {index, 0, 1});
    points_.SetIndex(block_.getArgument(1), {column_, 1, whole_ ? width_ : 1});
    for (mlir::Operation& op : block_) {
      auto found = llvm::find_if(across_, [&](auto& pair) { return pair.first == &op; });
      if (found != across_.end())
        points_.memory().SetFromMemory(found->first, vector_of(found - across_.begin()));
      else
        TENON_RETURN_IF_ERROR(body_.EmitOp(op));
    }
    points_.set_lanes({});
    return OkStatus();
  }

  Status EmitUnrolled(llvm::ArrayRef<TileRows> transposed) {
    for (int number = 0; number < width_; ++number)
      TENON_RETURN_IF_ERROR(EmitRow(
          b_.getInt64(number), [&](size_t load) { return transposed[load][number]; }));
    return OkStatus();
  }

  // Emits a loop that reads the transposed rows from memory.
  Status EmitRowLoop(llvm::ArrayRef<TileRows> transposed) {
    llvm::SmallVector<llvm::Value*> memory;
    for (const TileRows& vectors : transposed) {
      llvm::Type* type = vectors[0]->getType();
      memory.push_back(EmitEntryAlloca(b_, llvm::ArrayType::get(type, width_), 64));
      for (auto [number, vector] : llvm::enumerate(vectors))
        b_.CreateStore(vector, b_.CreateConstGEP1_64(type, memory.back(), number));
    }
    Status status;
    EmitForLoop(b_, b_.getInt64(0), b_.getInt64(width_), 1, {},
                [&](llvm::Value* number, auto) {
                  status = EmitRow(number, [&](size_t load) {
                    llvm::Type* type = transposed[load][0]->getType();
                    return b_.CreateLoad(type, b_.CreateGEP(type, memory[load], number));
                  });
                  return Values();
                });
    return status;
  }

  BodyEmitter& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::TileOp tile_;
  mlir::Block& block_;
  llvm::SmallVector<std::pair<ir::LoadOp, int64_t>> across_;  // and their strides
  int width_ = 1;      // rows and columns of a transpose tile
  bool whole_ = true;  // transpose tiles divide the tile
  // The current transpose tile: its first element, the first row that no transpose tile
  // has stored, and the lanes that no transpose tile has stored (null: all).
  llvm::Value *row_ = nullptr, *column_ = nullptr, *row_start_ = nullptr;
  llvm::Value* new_lanes_ = nullptr;
};

}  // namespace

Status EmitTile(BodyEmitter& body, ir::TileOp tile) {
  return TileEmitter(body, tile).Emit();
}

}  // namespace tenon::codegen
