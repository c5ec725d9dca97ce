// A block of a two-dimensional index space, divided among the items of a group. Stores
// are contiguous along the second index. Loads that are contiguous along the first one go
// through local memory, so that neighbouring items access neighbouring elements in both.
#include "llvm/ADT/bit.h"
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// Bytes of local memory, at most, for the part of a block that is in it at a time.
constexpr int64_t kPartBytes = 18 << 10;
constexpr int64_t kMinSide = 32;
constexpr int64_t kBankBytes = 4;
// Points of an item whose loads are started before it waits, unless they have many ops.
constexpr int64_t kMaxTogether = 16, kMaxOps = 96;

class GroupTile {
 public:
  GroupTile(GroupBody& body, ir::TileOp tile)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        tile_(tile),
        block_(tile.getBody().front()) {
    for (auto load : block_.getOps<ir::LoadOp>())
      if (StrideAcrossLanes(load, tile)) across_.push_back(load);
  }

  Status Emit() {
    const auto block = static_cast<int64_t>(tile_.getBlock());
    const int64_t side = SideOfPart(block);
    llvm::Value* rows = b_.CreateMul(points_.Index(tile_.getRow()).base, I64(block));
    llvm::Value* columns =
        b_.CreateMul(points_.Index(tile_.getColumn()).base, I64(block));
    Status status;
    EmitForLoop(b_, I64(0), I64(block), side, {}, [&](llvm::Value* row, auto) {
      EmitForLoop(b_, I64(0), I64(block), side, {}, [&](llvm::Value* column, auto) {
        if (status.ok())
          status = EmitPart(b_.CreateAdd(rows, row), b_.CreateAdd(columns, column), side);
        return Values();
      });
      return Values();
    });
    return status;
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  // As much as local memory should hold.
  int64_t SideOfPart(int64_t block) {
    int64_t bytes = 0;
    pad_ = 1;
    for (ir::LoadOp load : across_) {
      const ElementType type = ir::ElementTypeOfShaped(load.getView().getType());
      bytes += ElementBytes(type);
      // Rows that are an odd number of banks apart: columns are in different banks.
      pad_ = std::max(pad_, kBankBytes / (ElementBytes(type) / ElementParts(type)));
    }
    int64_t side = block;
    while (side > kMinSide && side * (side + pad_) * bytes > kPartBytes) side /= 2;
    return side;
  }

  Status EmitPart(llvm::Value* first_row, llvm::Value* first_column, int64_t side) {
    const int64_t count = side * (side + pad_);
    if (!across_.empty()) {
      TENON_RETURN_IF_ERROR(
          ForEachPoint(first_row, first_column, side, /*rows_first=*/true,
                       [&](llvm::Value* place) { return LoadAcross(place, count); }));
      body_.Barrier();
    }
    TENON_RETURN_IF_ERROR(
        ForEachPoint(first_row, first_column, side, /*rows_first=*/false,
                     [&](llvm::Value* place) { return EmitPoint(place, count); }));
    if (!across_.empty()) body_.Barrier();  // before the memory is used again
    return OkStatus();
  }

  // Runs `emit` for the points of a part that exist, with neighbouring items along the
  // rows or the columns. It gets the place of the point in local memory.
  Status ForEachPoint(llvm::Value* first_row, llvm::Value* first_column, int64_t side,
                      bool rows_first, llvm::function_ref<Status(llvm::Value*)> emit) {
    const int64_t points = side * side, items = body_.items();
    const auto ops = static_cast<int64_t>(CountOps(block_));
    // A power of two, as the number of points, so that no step goes beyond the part.
    const auto together = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(
        std::clamp<int64_t>(std::min(kMaxOps / ops, points / items), 1, kMaxTogether))));
    Status status;
    auto steps = [&](bool checks) {
      EmitForLoop(b_, body_.item(), I64(points), items * together, {},
                  [&](llvm::Value* number, auto) {
                    for (int64_t i = 0; i < together && status.ok(); ++i)
                      status = EmitAt(b_.CreateAdd(number, I64(i * items)), first_row,
                                      first_column, side, rows_first, checks, emit);
                    return Values();
                  });
    };
    // Only parts at the edge have points that do not exist. Elsewhere there are no
    // branches, so that loads can be under way at the same time.
    llvm::Value* inside =
        b_.CreateAnd(b_.CreateICmpSLE(first_row, I64(tile_.getSizes()[0] - side)),
                     b_.CreateICmpSLE(first_column, I64(tile_.getSizes()[1] - side)));
    if (points % (items * together) != 0)
      inside = b_.getFalse();
    else if (tile_.getSizes()[0] % side == 0 && tile_.getSizes()[1] % side == 0)
      inside = b_.getTrue();
    (void)EmitIfElse(
        b_, inside,
        [&] {
          steps(/*checks=*/false);
          return OkStatus();
        },
        [&] {
          steps(/*checks=*/true);
          return OkStatus();
        });
    return status;
  }

  // Runs `emit` for point number `number` of a part. `checks`: it may not exist.
  Status EmitAt(llvm::Value* number, llvm::Value* first_row, llvm::Value* first_column,
                int64_t side, bool rows_first, bool checks,
                llvm::function_ref<Status(llvm::Value*)> emit) {
    llvm::Value* slow = b_.CreateUDiv(number, I64(side));
    llvm::Value* fast = b_.CreateURem(number, I64(side));
    llvm::Value *in_rows = rows_first ? fast : slow,
                *in_columns = rows_first ? slow : fast;
    llvm::Value* row = b_.CreateAdd(first_row, in_rows);
    llvm::Value* column = b_.CreateAdd(first_column, in_columns);
    points_.SetIndex(block_.getArgument(0), {row, 0, 1});
    points_.SetIndex(block_.getArgument(1), {column, 0, 1});
    llvm::Value* place =
        b_.CreateAdd(b_.CreateMul(in_rows, I64(side + pad_)), in_columns);
    Status status;
    auto point = [&] { status = body_.InItem([&] { return emit(place); }); };
    if (!checks) {
      point();
      return status;
    }
    EmitIf(b_,
           b_.CreateAnd(b_.CreateICmpSLT(row, I64(tile_.getSizes()[0])),
                        b_.CreateICmpSLT(column, I64(tile_.getSizes()[1]))),
           point);
    return status;
  }

  // Copies the elements of a point's loads to local memory.
  Status LoadAcross(llvm::Value* place, int64_t count) {
    for (mlir::Operation& op : block_) {
      // All index ops that have their operands. LLVM removes the unused ones.
      const bool is_index =
          op.getDialect()->getNamespace() == "arith" && op.getNumResults() == 1 &&
          op.getResult(0).getType().isIndex() &&
          llvm::all_of(op.getOperands(), [&](mlir::Value operand) {
            return operand.getType().isIndex() && points_.Index(operand).base;
          });
      if (is_index || llvm::is_contained(across_, &op))
        TENON_RETURN_IF_ERROR(body_.EmitOp(op));
    }
    llvm::SmallVector<ElementValue> values;
    for (ir::LoadOp load : across_) values.push_back(points_.Scalar(load));
    const Values parts = FlattenParts(values);
    types_.clear();
    for (llvm::Value* part : parts) types_.push_back(part->getType());
    body_.local().Store(parts, place, count);
    return OkStatus();
  }

  Status EmitPoint(llvm::Value* place, int64_t count) {
    const Values parts = body_.local().Load(types_, place, count);
    size_t next = 0;
    for (mlir::Operation& op : block_) {
      if (!llvm::is_contained(across_, &op)) {
        TENON_RETURN_IF_ERROR(body_.EmitOp(op));
        continue;
      }
      ElementValue value{ir::ElementTypeOfShaped(op.getResult(0).getType()),
                         parts[next++], nullptr};
      if (ElementParts(value.type) == 2) value.im = parts[next++];
      points_.SetScalar(op.getResult(0), value);
    }
    return OkStatus();
  }

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::TileOp tile_;
  mlir::Block& block_;
  llvm::SmallVector<ir::LoadOp> across_;
  int64_t pad_ = 1;                       // elements between the rows of a part
  llvm::SmallVector<llvm::Type*> types_;  // of their parts
};

}  // namespace

bool NeedsLocalMemory(ir::TileOp tile) {
  return llvm::any_of(tile.getBody().front().getOps<ir::LoadOp>(), [&](ir::LoadOp load) {
    return StrideAcrossLanes(load, tile).has_value();
  });
}

Status EmitGroupTile(GroupBody& body, ir::TileOp tile) {
  return GroupTile(body, tile).Emit();
}

}  // namespace tenon::codegen
