#include "tenon/compiler/analysis/roundable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

constexpr char kPrecision[] = "precision_config";

bool IsF32(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::ShapedType>(value.getType());
  return type && type.getElementType().isF32();
}

}  // namespace

void SetRoundable(mlir::Operation* root, bool allowed) {
  mlir::Builder b(root->getContext());
  auto part =
      stablehlo::PrecisionAttr::get(b.getContext(), stablehlo::Precision::DEFAULT);
  root->walk([&](mlir::Operation* op) {
    if (!llvm::isa<stablehlo::DotOp, stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(
            op) ||
        (op->hasAttr(kPrecision) && !MayRound(op)))
      return;
    if (allowed && !op->hasAttr("algorithm") && llvm::all_of(op->getOperands(), IsF32) &&
        llvm::all_of(op->getResults(), IsF32))
      op->setAttr(kPrecision, b.getArrayAttr({part, part}));
    else
      op->removeAttr(kPrecision);
  });
}

bool MayRound(mlir::Operation* op) {
  auto precision = op->getAttrOfType<mlir::ArrayAttr>(kPrecision);
  return precision && !precision.empty() &&
         llvm::all_of(precision, [](mlir::Attribute part) {
           return llvm::cast<stablehlo::PrecisionAttr>(part).getValue() ==
                  stablehlo::Precision::DEFAULT;
         });
}

}  // namespace tenon::compiler
