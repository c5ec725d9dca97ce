#include "tenon/reference/same_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::reference {
namespace {

mlir::Type ElementOf(mlir::Type type) { return mlir::getElementTypeOrSelf(type); }

bool HasComplex(mlir::TypeRange types) {
  return llvm::any_of(types, [](mlir::Type type) {
    return llvm::isa<mlir::ComplexType>(ElementOf(type));
  });
}

bool HasFloat(mlir::TypeRange types) {
  return HasComplex(types) || llvm::any_of(types, [](mlir::Type type) {
           return llvm::isa<mlir::FloatType>(ElementOf(type));
         });
}

// Returns whether the result is one of the operands, or is exact in its type for all
// operands.
bool IsChoice(mlir::Operation* op) {
  return MovesElements(op) ||
         llvm::isa<stablehlo::AbsOp, stablehlo::ClampOp, stablehlo::CompareOp,
                   stablehlo::IsFiniteOp, stablehlo::MaxOp, stablehlo::MinOp,
                   stablehlo::NegOp>(op);
}

// Returns whether `op` depends on the sign of a NaN in a type whose NaN has no sign.
bool OrdersSignlessNans(mlir::Operation* op) {
  auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op);
  return compare && compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER &&
         llvm::isa<mlir::Float8E4M3B11FNUZType, mlir::Float8E4M3FNUZType,
                   mlir::Float8E5M2FNUZType>(ElementOf(compare.getLhs().getType()));
}

bool IsCorrectlyRounded(mlir::Operation* op) {
  if (OrdersSignlessNans(op)) return false;
  // Products and quotients of complex numbers are several operations, which generated
  // code contracts.
  if (HasComplex(op->getOperandTypes()) || HasComplex(op->getResultTypes()))
    return MovesElements(op) ||
           llvm::isa<stablehlo::AddOp, stablehlo::CompareOp, stablehlo::ConvertOp,
                     stablehlo::MaxOp, stablehlo::MinOp, stablehlo::NegOp,
                     stablehlo::SubtractOp>(op);
  return IsChoice(op) ||
         llvm::isa<stablehlo::AddOp, stablehlo::CeilOp, stablehlo::ConvertOp,
                   stablehlo::DivOp, stablehlo::FloorOp, stablehlo::MulOp,
                   stablehlo::ReducePrecisionOp, stablehlo::RemOp,
                   stablehlo::RoundNearestEvenOp, stablehlo::RoundOp, stablehlo::SignOp,
                   stablehlo::SqrtOp, stablehlo::SubtractOp>(op);
}

bool IsExactInside(mlir::Operation* op) {
  // Control flow and map keep the order of their operations. Reductions, scatters and
  // sorts do not, so their bodies must not round.
  bool in_order =
      llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp, stablehlo::MapOp>(
          op);
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Operation& inner : region.getOps()) {
      if (!HasExactResult(&inner)) return false;
      if (!in_order && HasFloat(inner.getResultTypes()) && !IsChoice(&inner))
        return false;
    }
  }
  return true;
}

}  // namespace

bool MovesElements(mlir::Operation* op) {
  return llvm::isa<
      stablehlo::BitcastConvertOp, stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp,
      stablehlo::ComplexOp, stablehlo::ConcatenateOp, stablehlo::ConstantOp,
      stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp,
      stablehlo::GetDimensionSizeOp, stablehlo::GetTupleElementOp, stablehlo::ImagOp,
      stablehlo::IotaOp, stablehlo::PadOp, stablehlo::RealOp, stablehlo::ReshapeOp,
      stablehlo::ReturnOp, stablehlo::ReverseOp, stablehlo::SelectOp, stablehlo::SliceOp,
      stablehlo::TorchIndexSelectOp, stablehlo::TransposeOp, stablehlo::TupleOp>(op);
}

bool HasExactResult(mlir::Operation* op) {
  if (op->getNumRegions() > 0) return IsExactInside(op);
  if (!HasFloat(op->getOperandTypes()) && !HasFloat(op->getResultTypes())) return true;
  return IsCorrectlyRounded(op);
}

}  // namespace tenon::reference
