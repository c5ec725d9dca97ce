#include "tenon/compiler/analysis/sort_parts.h"

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/analysis/sort_order.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// The length of the prefix of each sorted row that `slice` takes, if it takes one.
std::optional<int64_t> PrefixLength(stablehlo::SliceOp slice, stablehlo::SortOp sort) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(slice.getOperand());
  int64_t dim = SortedDimension(sort);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (slice.getStartIndices()[d] != 0 || slice.getStrides()[d] != 1)
      return std::nullopt;
    if (d != dim && slice.getLimitIndices()[d] != shape[d]) return std::nullopt;
  }
  return slice.getLimitIndices()[dim];
}

}  // namespace

int64_t SortedDimension(stablehlo::SortOp sort) {
  int64_t dim = sort.getDimension();
  return dim < 0 ? dim + static_cast<int64_t>(ShapeOf(sort.getInputs()[0]).size()) : dim;
}

bool HasKnownOrder(stablehlo::SortOp sort) {
  return RecognizeSortOrder(sort.getComparator().front()).has_value();
}

stablehlo::SortOp SortOfPrefix(mlir::Operation* op) {
  auto slice = llvm::dyn_cast<stablehlo::SliceOp>(op);
  auto sort =
      slice ? slice.getOperand().getDefiningOp<stablehlo::SortOp>() : stablehlo::SortOp();
  if (!sort || sort->getBlock() != op->getBlock()) return nullptr;
  auto length = PrefixLength(slice, sort);
  if (!length || *length == 0) return nullptr;
  for (mlir::Operation* user : sort->getUsers()) {
    auto other = llvm::dyn_cast<stablehlo::SliceOp>(user);
    if (!other || other->getBlock() != op->getBlock() || other->use_empty() ||
        PrefixLength(other, sort) != length)
      return nullptr;
  }
  return HasKnownOrder(sort) ? sort : nullptr;
}

bool ArePositions(stablehlo::SortOp sort, unsigned operand) {
  auto iota = sort.getInputs()[operand].getDefiningOp<stablehlo::IotaOp>();
  if (!iota || static_cast<int64_t>(iota.getIotaDimension()) != SortedDimension(sort))
    return false;
  ElementType type = ir::ElementTypeOfShaped(iota.getType());
  if (!IsInteger(type) || ElementBits(type) < 8) return false;
  auto order = RecognizeSortOrder(sort.getComparator().front());
  return order && !llvm::is_contained(order->operands, operand);
}

}  // namespace tenon::compiler
