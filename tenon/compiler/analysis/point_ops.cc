#include "tenon/compiler/analysis/point_ops.h"

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

bool IsSplatConstant(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant) return false;
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat();
}

bool IsElementwise(mlir::Operation* op) {
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op)) {
    // These composites have kernels for real numbers. For other types the decomposition
    // is compiled.
    llvm::StringRef name = composite.getName();
    if (!name.consume_front("chlo.") || !ElementwiseOpFromName(name)) return false;
    return op->getNumResults() == 1 &&
           llvm::all_of(op->getOperandTypes(), [&](mlir::Type type) {
             ElementType element = ir::ElementTypeOfShaped(type);
             return name == "mulhi" ? IsInteger(element) : IsFloat(element);
           });
  }
  if (op->getName().getDialectNamespace() != "stablehlo") return false;
  if (auto cast = llvm::dyn_cast<stablehlo::BitcastConvertOp>(op))
    return ElementBits(ir::ElementTypeOfShaped(cast.getOperand().getType())) ==
           ElementBits(ir::ElementTypeOfShaped(cast.getResult().getType()));
  return ElementwiseOpFromName(op->getName().stripDialect()).has_value();
}

std::optional<ElementwiseOp> ElementwiseOpOf(mlir::Operation& op) {
  llvm::StringRef name = op.getName().getStringRef();
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    name = composite.getName();
  return ElementwiseOpFromName(name.substr(name.find('.') + 1));
}

bool IsCostly(mlir::Operation* op) {
  static const llvm::StringLiteral kCostly[] = {
      "divide",   "remainder",    "exponential", "exponential_minus_one",
      "log",      "log_plus_one", "logistic",    "tanh",
      "sine",     "cosine",       "tan",         "power",
      "sqrt",     "rsqrt",        "cbrt",        "atan2",
      "composite"};
  return llvm::is_contained(kCostly, op->getName().stripDialect());
}

mlir::Value ViewedOperand(mlir::Operation* op) {
  if (auto reshape = llvm::dyn_cast<stablehlo::ReshapeOp>(op))
    return reshape.getOperand();
  auto cast = llvm::dyn_cast<stablehlo::BitcastConvertOp>(op);
  if (!cast || IsScalarOp(cast)) return {};
  auto bits = [](mlir::Value value) -> unsigned {
    mlir::Type element = ElementOf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  // Smaller integers are stored in bytes. Larger elements may need more alignment.
  const unsigned from = bits(cast.getOperand()), to = bits(cast.getResult());
  return to >= 8 && to <= from ? cast.getOperand() : mlir::Value();
}

bool IsScalarOp(mlir::Operation* op) {
  if (op->getNumResults() != 1) return false;
  if (!IsRankZero(op->getResult(0).getType())) return false;
  if (IsSplatConstant(op)) return true;
  return llvm::all_of(op->getOperandTypes(), IsRankZero) && IsElementwise(op);
}

bool IsPointOp(mlir::Operation* op) {
  if (IsElementwise(op) || IsSplatConstant(op)) return true;
  return llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                   stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::ReverseOp,
                   stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::DynamicSliceOp,
                   stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp,
                   stablehlo::BitcastConvertOp, stablehlo::ReduceOp,
                   stablehlo::ReduceWindowOp, stablehlo::MapOp>(op);
}

bool IsRoll(mlir::Operation* op) {
  auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op);
  if (!concatenate) return false;
  size_t dim = concatenate.getDimension();
  stablehlo::SliceOp first;
  for (mlir::Value input : concatenate.getInputs()) {
    auto slice = input.getDefiningOp<stablehlo::SliceOp>();
    if (!slice || slice.getStrides()[dim] != 1) return false;
    if (!first) first = slice;
    if (slice.getOperand() != first.getOperand()) return false;
    for (size_t d = 0; d < slice.getStrides().size(); ++d)
      if (d != dim && (slice.getStartIndices()[d] != first.getStartIndices()[d] ||
                       slice.getStrides()[d] != first.getStrides()[d]))
        return false;
  }
  return first != nullptr;
}

bool IsElementwiseFusion(ir::FusionOp fusion) {
  mlir::Block& body = fusion.getBody().front();
  llvm::ArrayRef<int64_t> shape = ShapeOf(body.getTerminator()->getOperand(0));
  for (mlir::BlockArgument argument : body.getArguments()) {
    if (argument.use_empty()) continue;
    if (!llvm::isa<mlir::RankedTensorType>(argument.getType())) return false;
    if (!ShapeOf(argument).empty() && ShapeOf(argument) != shape) return false;
  }
  return llvm::all_of(body.without_terminator(), [](mlir::Operation& op) {
    if (IsElementwise(&op) || llvm::isa<stablehlo::ConstantOp>(op)) return true;
    auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
    return broadcast && ShapeOf(broadcast.getOperand()).empty();
  });
}

bool IsReadByPoint(mlir::BlockArgument operand) {
  llvm::SmallVector<mlir::Value> work{operand};
  llvm::SmallPtrSet<mlir::Operation*, 8> seen;
  while (!work.empty()) {
    for (mlir::Operation* user : work.pop_back_val().getUsers()) {
      if (llvm::isa<ir::YieldOp>(user) || !seen.insert(user).second) continue;
      if (!IsElementwise(user)) return false;
      llvm::append_range(work, user->getResults());
    }
  }
  return true;
}

}  // namespace tenon::compiler
