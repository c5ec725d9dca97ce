#include "tenon/compiler/fusion/unit_dimensions.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMinElements = 1 << 16;  // as many as attention's scores have

using Dims = llvm::SmallVector<int64_t>;

// The dimensions of size other than 1.
Dims KeptDims(llvm::ArrayRef<int64_t> shape) {
  Dims kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1) kept.push_back(static_cast<int64_t>(dim));
  return kept;
}

mlir::RankedTensorType WithoutUnits(mlir::Value value) {
  Dims sizes;
  for (int64_t size : ShapeOf(value))
    if (size != 1) sizes.push_back(size);
  return mlir::RankedTensorType::get(sizes, ElementOf(value));
}

// Renumbers `dims` of a tensor of this shape for the tensor without unit dimensions.
// Drops the unit dimensions among them.
Dims NumbersWithoutUnits(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) {
  Dims kept = KeptDims(shape), result;
  for (int64_t dim : dims)
    if (shape[dim] != 1) result.push_back(llvm::find(kept, dim) - kept.begin());
  return result;
}

bool HasFreeDim(mlir::Value operand, llvm::ArrayRef<int64_t> batch,
                llvm::ArrayRef<int64_t> sum) {
  return llvm::any_of(KeptDims(ShapeOf(operand)), [&](int64_t dim) {
    return !llvm::is_contained(batch, dim) && !llvm::is_contained(sum, dim);
  });
}

// Whether `dot`, without its unit dimensions, is a product of matrices.
bool IsOfMatrices(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  auto sum = numbers.getLhsContractingDimensions();
  return HasFreeDim(dot.getLhs(), numbers.getLhsBatchingDimensions(), sum) &&
         HasFreeDim(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                    numbers.getRhsContractingDimensions()) &&
         !NumbersWithoutUnits(sum, ShapeOf(dot.getLhs())).empty();
}

bool IsSeed(mlir::Operation* op) {
  auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op);
  if (!dot || ElementCountOf(dot.getResult()) < kMinElements) return false;
  return llvm::is_contained(ShapeOf(dot.getResult()), 1) && IsOfMatrices(dot);
}

class UnitDimensionRemover {
 public:
  explicit UnitDimensionRemover(mlir::Block& block) : block_(block) {}

  void Run() {
    for (mlir::Operation& op : llvm::make_early_inc_range(block_))
      if (IsSeed(&op) || llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
            return views_.contains(operand.getDefiningOp());
          }))
        Visit(&op);
    if (views_.empty()) return;
    // Removes the ops that computed values with unit dimensions.
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block_)))
      if (mlir::isOpTriviallyDead(&op)) op.erase();
  }

 private:
  void Visit(mlir::Operation* op) {
    if (op->getNumResults() != 1) return;
    mlir::Value result = op->getResult(0);
    if (!llvm::isa<mlir::RankedTensorType>(result.getType())) return;
    mlir::OpBuilder b(op);
    mlir::Value without = Without(b, op);
    if (!without) return;
    if (without.getType() == result.getType()) {
      result.replaceAllUsesWith(without);
    } else {
      auto view = stablehlo::ReshapeOp::create(
          b, op->getLoc(), llvm::cast<mlir::RankedTensorType>(result.getType()), without);
      views_.insert(view);
      result.replaceAllUsesWith(view);
    }
    op->erase();
  }

  // The result of `op` without unit dimensions. Null if `op` stays as it is.
  mlir::Value Without(mlir::OpBuilder& b, mlir::Operation* op) {
    mlir::Value result = op->getResult(0);
    mlir::RankedTensorType type = WithoutUnits(result);
    mlir::Location loc = op->getLoc();
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) return Product(b, dot);
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      return Reduction(b, reduce);
    if (llvm::isa<stablehlo::ReshapeOp>(op)) {
      mlir::Value operand = op->getOperand(0);
      return WithoutUnits(operand) == type ? ViewOf(b, operand) : nullptr;
    }
    if (auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(op)) {
      Dims dims;
      for (int64_t dim : transpose.getPermutation())
        if (ShapeOf(transpose.getOperand())[dim] != 1) dims.push_back(dim);
      dims = NumbersWithoutUnits(dims, ShapeOf(transpose.getOperand()));
      mlir::Value operand = ViewOf(b, transpose.getOperand());
      if (llvm::is_sorted(dims)) return operand;
      return stablehlo::TransposeOp::create(b, loc, type, operand, dims);
    }
    if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op))
      return Broadcast(b, broadcast);
    if (!IsElementwise(op) || llvm::isa<stablehlo::CompositeOp>(op)) return nullptr;
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands()) operands.push_back(ViewOf(b, operand));
    mlir::Operation* copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  mlir::Value Product(mlir::OpBuilder& b, stablehlo::DotGeneralOp dot) {
    if (!IsOfMatrices(dot)) return nullptr;
    auto numbers = dot.getDotDimensionNumbers();
    llvm::ArrayRef<int64_t> lhs = ShapeOf(dot.getLhs()), rhs = ShapeOf(dot.getRhs());
    auto without = stablehlo::DotDimensionNumbersAttr::get(
        dot.getContext(), NumbersWithoutUnits(numbers.getLhsBatchingDimensions(), lhs),
        NumbersWithoutUnits(numbers.getRhsBatchingDimensions(), rhs),
        NumbersWithoutUnits(numbers.getLhsContractingDimensions(), lhs),
        NumbersWithoutUnits(numbers.getRhsContractingDimensions(), rhs));
    return stablehlo::DotGeneralOp::create(
        b, dot.getLoc(), WithoutUnits(dot.getResult()), ViewOf(b, dot.getLhs()),
        ViewOf(b, dot.getRhs()), without, dot.getPrecisionConfigAttr(),
        dot.getAlgorithmAttr());
  }

  mlir::Value Reduction(mlir::OpBuilder& b, stablehlo::ReduceOp reduce) {
    mlir::Value input = reduce.getInputs()[0];
    Dims dims = NumbersWithoutUnits(reduce.getDimensions(), ShapeOf(input));
    if (!dims.empty()) {
      auto copy = llvm::cast<stablehlo::ReduceOp>(b.clone(*reduce));
      copy.getInputsMutable().assign(ViewOf(b, input, copy));
      copy.setDimensions(dims);
      copy.getResult(0).setType(WithoutUnits(reduce.getResult(0)));
      return copy.getResult(0);
    }
    // The reduction of a single element combines it with the initial value.
    mlir::Block& body = reduce.getBody().front();
    if (!llvm::hasSingleElement(body.without_terminator())) return nullptr;
    mlir::Operation& combine = body.front();
    if (!IsElementwise(&combine) || combine.getNumOperands() != 2 ||
        combine.getOperand(0) == combine.getOperand(1) ||
        !llvm::all_of(combine.getOperands(), [&](mlir::Value operand) {
          return llvm::is_contained(body.getArguments(), operand);
        }))
      return nullptr;
    auto type = WithoutUnits(reduce.getResult(0));
    mlir::Value init = stablehlo::BroadcastInDimOp::create(
        b, reduce.getLoc(), type, reduce.getInitValues()[0], Dims());
    mlir::Value element = ViewOf(b, input);
    mlir::Operation* copy = b.clone(combine);
    for (mlir::OpOperand& operand : copy->getOpOperands())
      operand.set(operand.get() == body.getArgument(0) ? init : element);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  mlir::Value Broadcast(mlir::OpBuilder& b, stablehlo::BroadcastInDimOp op) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(op.getResult());
    Dims dims;
    for (int64_t dim : KeptDims(ShapeOf(op.getOperand())))
      dims.push_back(op.getBroadcastDimensions()[dim]);
    return stablehlo::BroadcastInDimOp::create(
        b, op.getLoc(), WithoutUnits(op.getResult()), ViewOf(b, op.getOperand()),
        NumbersWithoutUnits(dims, shape));
  }

  // `value` without unit dimensions, for use by an op at `b`, or by `user` if it is
  // given, which comes earlier.
  mlir::Value ViewOf(mlir::OpBuilder& b, mlir::Value value,
                     mlir::Operation* user = nullptr) {
    mlir::RankedTensorType type = WithoutUnits(value);
    if (value.getType() == type) return value;
    mlir::OpBuilder at = b;
    if (user) at.setInsertionPoint(user);
    mlir::Operation* def = value.getDefiningOp();
    mlir::Location loc = value.getLoc();
    // Broadcasts are not materialized, so they are recreated in the new shape.
    if (auto constant = llvm::dyn_cast_or_null<stablehlo::ConstantOp>(def);
        constant && IsSplatConstant(def)) {
      auto dense = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
      return stablehlo::ConstantOp::create(at, loc, dense.resizeSplat(type));
    }
    if (auto broadcast = llvm::dyn_cast_or_null<stablehlo::BroadcastInDimOp>(def))
      return Broadcast(at, broadcast);
    while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
      value = reshape.getOperand();
    if (value.getType() == type) return value;
    return stablehlo::ReshapeOp::create(at, loc, type, value);
  }

  mlir::Block& block_;
  llvm::DenseSet<mlir::Operation*> views_;  // reshapes that restore the original types
};

}  // namespace

void DropUnitDimensions(mlir::Block& block) { UnitDimensionRemover(block).Run(); }

}  // namespace tenon::compiler
