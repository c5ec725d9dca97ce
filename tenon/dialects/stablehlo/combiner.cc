#include "tenon/dialects/stablehlo/combiner.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::stablehlo {
namespace {

mlir::Type ElementOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

bool Commutes(mlir::Operation* op) {
  mlir::Type element = ElementOf(op->getResult(0));
  if (llvm::isa<MinOp, MaxOp>(op))
    return llvm::isa<mlir::IntegerType, mlir::FloatType>(element);
  if (llvm::isa<AddOp, MulOp>(op))
    return llvm::isa<mlir::IntegerType, mlir::FloatType, mlir::ComplexType>(element);
  return llvm::isa<AndOp, OrOp, XorOp>(op);
}

bool IsFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(ElementOf(value)); }

// Whether `value` is a splat constant of the identity: 1 for products, else 0.
bool IsIdentityOf(mlir::Operation* op, mlir::Value value) {
  // Accumulators of narrow floats start from a converted constant. Conversions between
  // floats preserve 0 and 1.
  while (auto convert = value.getDefiningOp<ConvertOp>()) {
    if (!IsFloat(convert.getOperand()) || !IsFloat(convert.getResult())) return false;
    value = convert.getOperand();
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  if (!dense || !dense.isSplat()) return false;
  double wanted = llvm::isa<MulOp>(op) ? 1 : 0;
  mlir::Type element = dense.getElementType();
  if (llvm::isa<mlir::FloatType>(element))
    return dense.getSplatValue<llvm::APFloat>().convertToDouble() == wanted;
  if (llvm::isa<mlir::IntegerType>(element))
    return dense.getSplatValue<llvm::APInt>() == static_cast<uint64_t>(wanted);
  // 1 + 0i is no identity of complex products: it turns infinities into NaN.
  if (llvm::isa<mlir::ComplexType>(element) && llvm::isa<AddOp>(op)) {
    auto number = dense.getSplatValue<std::complex<llvm::APFloat>>();
    return number.real().isZero() && number.imag().isZero();
  }
  return false;
}

}  // namespace

mlir::Operation* CombiningOp(mlir::Block& combiner, size_t position) {
  mlir::Operation* op = combiner.back().getOperand(position).getDefiningOp();
  size_t count = combiner.getNumArguments() / 2;
  if (!op || op->getBlock() != &combiner || op->getNumOperands() != 2) return nullptr;
  mlir::Value x = combiner.getArgument(position);
  mlir::Value y = combiner.getArgument(count + position);
  bool forward = op->getOperand(0) == x && op->getOperand(1) == y;
  bool backward = op->getOperand(0) == y && op->getOperand(1) == x;
  return forward || backward ? op : nullptr;
}

bool IsReorderable(mlir::Block& combiner) {
  for (size_t i = 0; i < combiner.getNumArguments() / 2; ++i) {
    mlir::Operation* op = CombiningOp(combiner, i);
    if (!op || !Commutes(op)) return false;
  }
  return true;
}

bool AddsFloats(mlir::Block& combiner) {
  return llvm::any_of(combiner.getOps<AddOp>(), [](AddOp add) {
    return llvm::isa<mlir::FloatType, mlir::ComplexType>(
        mlir::getElementTypeOrSelf(add.getResult()));
  });
}

bool MayCombineUpdates(mlir::Block& combiner) {
  if (!IsReorderable(combiner)) return false;
  return llvm::all_of(combiner.back().getOperands(), [](mlir::Value result) {
    return !result.getDefiningOp<MulOp>() ||
           llvm::isa<mlir::IntegerType>(ElementOf(result));
  });
}

bool InitMayRepeat(mlir::Block& combiner, mlir::ValueRange inits) {
  for (auto [i, init] : llvm::enumerate(inits)) {
    mlir::Operation* op = CombiningOp(combiner, i);
    if (!op) return false;
    if (llvm::isa<MinOp, MaxOp, AndOp, OrOp>(op)) continue;
    if (!llvm::isa<AddOp, MulOp, XorOp>(op) || !IsIdentityOf(op, init)) return false;
  }
  return true;
}

}  // namespace tenon::stablehlo
