#include "tenon/compiler/fusion/access.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

Access Other(mlir::Value tensor) {
  Access access;
  for (int64_t size : ShapeOf(tensor))
    access.push_back(size == 1 ? kAccessZero : kAccessOther);
  return access;
}

// A reshape that only adds or removes unit dimensions keeps the accesses of all other
// dimensions, and of unit dimensions on both sides.
Access ReshapeAccess(stablehlo::ReshapeOp op, const Access& access) {
  llvm::ArrayRef<int64_t> from = ShapeOf(op.getOperand()), to = ShapeOf(op.getResult());
  Access result;
  size_t next = 0;
  for (int64_t size : from) {
    while (size != 1 && next < to.size() && to[next] == 1) ++next;
    bool same = next < to.size() && to[next] == size;
    if (!same && size != 1) return Other(op.getOperand());
    result.push_back(same ? access[next++] : kAccessZero);
  }
  return result;
}

}  // namespace

Access IdentityAccess(int64_t rank) {
  Access access;
  for (int64_t d = 0; d < rank; ++d) access.push_back(d);
  return access;
}

std::optional<int64_t> PrefixRank(const Access& access) {
  int64_t next = 0;
  for (int64_t dim : access) {
    if (dim == kAccessZero) continue;
    if (dim != next) return std::nullopt;
    ++next;
  }
  return next;
}

Access OperandAccess(mlir::Operation* user, unsigned number, const Access& access) {
  mlir::Value operand = user->getOperand(number);
  if (!llvm::isa<mlir::RankedTensorType>(operand.getType())) return {};
  if (ShapeOf(operand).empty()) return {};
  if (IsElementwise(user) || llvm::isa<stablehlo::MapOp>(user)) return access;
  if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(user)) {
    Access result;
    for (auto [size, dim] :
         llvm::zip_equal(ShapeOf(operand), broadcast.getBroadcastDimensions()))
      result.push_back(size == ShapeOf(user->getResult(0))[dim] ? access[dim]
                                                                : kAccessZero);
    return result;
  }
  if (auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(user)) {
    Access result(access.size());
    for (auto [position, dim] : llvm::enumerate(transpose.getPermutation()))
      result[dim] = access[position];
    return result;
  }
  if (auto reshape = llvm::dyn_cast<stablehlo::ReshapeOp>(user))
    return ReshapeAccess(reshape, access);
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(user)) {
    Access result;
    size_t kept = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(ShapeOf(operand).size()); ++d) {
      bool reduced = llvm::is_contained(reduce.getDimensions(), d);
      result.push_back(reduced ? kAccessReduced : access[kept++]);
    }
    return result;
  }
  // Slices keep the accesses of dimensions that they do not cut.
  if (llvm::isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(user) && number == 0) {
    Access result;
    for (auto [from, to, dim] :
         llvm::zip_equal(ShapeOf(operand), ShapeOf(user->getResult(0)), access))
      result.push_back(from == to ? dim : (from == 1 ? kAccessZero : kAccessOther));
    return result;
  }
  return Other(operand);
}

}  // namespace tenon::compiler
