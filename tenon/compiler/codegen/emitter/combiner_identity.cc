#include "tenon/compiler/codegen/emitter/combiner_identity.h"

#include "llvm/IR/Constants.h"
#include "mlir/IR/Operation.h"
#include "tenon/compiler/codegen/elementwise/element_value.h"
#include "tenon/compiler/dialects/stablehlo/combiner.h"
#include "tenon/compiler/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

std::optional<llvm::APFloat> FloatIdentity(llvm::StringRef name,
                                           const llvm::fltSemantics& format) {
  if (name == "add") return llvm::APFloat::getZero(format, /*Negative=*/true);
  if (name == "multiply") return llvm::APFloat::getOne(format);
  if (name == "maximum") return llvm::APFloat::getInf(format, /*Negative=*/true);
  if (name == "minimum") return llvm::APFloat::getInf(format);
  return std::nullopt;
}

std::optional<llvm::APInt> IntegerIdentity(llvm::StringRef name, unsigned bits,
                                           bool is_signed) {
  if (name == "add" || name == "or" || name == "xor") return llvm::APInt(bits, 0);
  if (name == "multiply") return llvm::APInt(bits, 1);
  if (name == "and") return llvm::APInt::getAllOnes(bits);
  if (name == "maximum")
    return is_signed ? llvm::APInt::getSignedMinValue(bits)
                     : llvm::APInt::getMinValue(bits);
  if (name == "minimum")
    return is_signed ? llvm::APInt::getSignedMaxValue(bits)
                     : llvm::APInt::getMaxValue(bits);
  return std::nullopt;
}

}  // namespace

std::optional<mlir::DenseElementsAttr> CombinerIdentity(mlir::Block& combiner,
                                                        size_t position) {
  mlir::Operation* op = stablehlo::CombiningOp(combiner, position);
  if (!op) return std::nullopt;
  llvm::StringRef name = op->getName().stripDialect();
  auto type =
      llvm::cast<mlir::RankedTensorType>(combiner.getArgument(position).getType());
  ElementType element = ir::ElementTypeOfShaped(type);
  if (compiler::IsComplex(element) || compiler::IsSmallFloat(element))
    return std::nullopt;
  if (auto real = llvm::dyn_cast<mlir::FloatType>(type.getElementType())) {
    auto value = FloatIdentity(name, real.getFloatSemantics());
    if (!value) return std::nullopt;
    return mlir::DenseElementsAttr::get(type, *value);
  }
  auto value = IntegerIdentity(name, type.getElementTypeBitWidth(),
                               compiler::IsSignedInteger(element));
  if (!value) return std::nullopt;
  return mlir::DenseElementsAttr::get(type, *value);
}

std::optional<llvm::Constant*> CombinerIdentity(mlir::Block& combiner, size_t position,
                                                llvm::Type* type) {
  auto value = CombinerIdentity(combiner, position);
  if (!value) return std::nullopt;
  mlir::Type element = value->getElementType();
  if (llvm::isa<mlir::FloatType>(element))
    return compiler::FloatConstant(type->getContext(), ir::ElementTypeOf(element),
                                   value->getSplatValue<llvm::APFloat>());
  return llvm::ConstantInt::get(type, value->getSplatValue<llvm::APInt>());
}

}  // namespace tenon::codegen
