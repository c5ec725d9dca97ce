#include "tenon/compiler/codegen/kernel/access_analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

std::optional<int64_t> ConstantOf(mlir::Value value) {
  auto op = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!op) return std::nullopt;
  return llvm::cast<mlir::IntegerAttr>(op.getValue()).getInt();
}

// Returns how much `index` grows when `iv`, an argument of the block `body`, grows by
// one. Returns nullopt if that is not a constant.
std::optional<int64_t> Coefficient(mlir::Value index, mlir::Value iv, mlir::Block* body) {
  if (index == iv) return 1;
  mlir::Operation* op = index.getDefiningOp();
  if (!op || op->getBlock() != body) return 0;
  llvm::SmallVector<int64_t, 3> operands;
  for (mlir::Value operand : op->getOperands()) {
    // An operand that is not an index (a condition, a loaded value) can change `index` by
    // any amount.
    if (!operand.getType().isIndex()) return std::nullopt;
    auto coefficient = Coefficient(operand, iv, body);
    if (!coefficient) return std::nullopt;
    operands.push_back(*coefficient);
  }
  if (llvm::isa<mlir::arith::AddIOp>(op)) return operands[0] + operands[1];
  if (llvm::isa<mlir::arith::SubIOp>(op)) return operands[0] - operands[1];
  if (llvm::all_of(operands, [](int64_t c) { return c == 0; })) return 0;
  if (!llvm::isa<mlir::arith::MulIOp>(op)) return std::nullopt;
  for (int side = 0; side < 2; ++side)
    if (auto factor = ConstantOf(op->getOperand(side)))
      return *factor * operands[1 - side];
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> ConstantDistance(ir::MapOp map) {
  auto sum = map.getUpper().getDefiningOp<mlir::arith::AddIOp>();
  if (!sum || sum.getLhs() != map.getLower()) return std::nullopt;
  return ConstantOf(sum.getRhs());
}

std::optional<int64_t> FullBlockTripCount(ir::MapOp map) {
  auto lower = ConstantOf(map.getLower()), upper = ConstantOf(map.getUpper());
  if (lower && upper) return *upper - *lower;
  mlir::Value end = map.getUpper();
  if (auto minimum = end.getDefiningOp<mlir::arith::MinSIOp>()) end = minimum.getLhs();
  auto sum = end.getDefiningOp<mlir::arith::AddIOp>();
  if (!sum || sum.getLhs() != map.getLower()) return std::nullopt;
  return ConstantOf(sum.getRhs());
}

std::optional<int64_t> AccessStride(mlir::MemRefType view, mlir::OperandRange indices,
                                    mlir::BlockArgument iv) {
  int64_t total = 0;
  for (auto [index, stride] : llvm::zip_equal(indices, ir::ViewStrides(view))) {
    auto coefficient = Coefficient(index, iv, iv.getOwner());
    if (!coefficient) return std::nullopt;
    total += *coefficient * stride;
  }
  return total;
}

std::optional<int64_t> StrideAcrossLanes(ir::LoadOp load, ir::TileOp tile) {
  mlir::Block* body = &tile.getBody().front();
  if (load->getBlock() != body || load.getMask()) return std::nullopt;
  auto stride = [&](int number) {
    return AccessStride(load.getView().getType(), load.getIndices(),
                        body->getArgument(number));
  };
  auto first = stride(0), second = stride(1);
  if (first != 1 || !second || *second == 0 || *second == 1) return std::nullopt;
  return second;
}

int64_t ViewAccess::ElementSize() const {
  return ElementBytes(ir::ElementTypeOf(view.getElementType()));
}

void ForEachAccess(mlir::Block& block,
                   llvm::function_ref<void(const ViewAccess&)> visit) {
  block.walk([&](mlir::Operation* op) {
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
      visit({load.getView().getType(), load.getIndices(), load.getMask()});
    else if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
      visit({store.getView().getType(), store.getIndices(), store.getMask()});
  });
}

std::optional<CopyLoop> AsCopyLoop(ir::MapOp map, int64_t min_bytes) {
  mlir::Block& block = map.getBody().front();
  CopyLoop loop;
  for (mlir::Operation& op : block) {
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
      if (loop.load) return std::nullopt;
      loop.load = load;
    } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
      if (loop.store) return std::nullopt;
      loop.store = store;
    } else if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex() ||
               !op.getDialect() || op.getDialect()->getNamespace() != "arith") {
      return std::nullopt;
    }
  }
  if (!loop.load || !loop.store || loop.store.getMask() ||
      loop.store.getValue() != loop.load.getValue())
    return std::nullopt;
  mlir::Value mask = loop.load.getMask();
  if (mask && map.getBody().isAncestor(mask.getParentRegion())) return std::nullopt;
  mlir::MemRefType from = loop.load.getView().getType();
  mlir::MemRefType to = loop.store.getView().getType();
  mlir::BlockArgument iv = block.getArgument(0);
  if (AccessStride(from, loop.load.getIndices(), iv) != 1 ||
      AccessStride(to, loop.store.getIndices(), iv) != 1)
    return std::nullopt;
  // Stores write the canonical form of a narrow element, so a byte copy is not the same.
  ElementType type = ir::ElementTypeOf(from.getElementType());
  int64_t bytes = ElementBytes(type);
  if (type == ElementType::kPred || ElementBits(type) != 8 * bytes) return std::nullopt;
  auto trip_count = FullBlockTripCount(map);
  if (!trip_count || *trip_count * bytes < min_bytes) return std::nullopt;
  return loop;
}

}  // namespace tenon::codegen
