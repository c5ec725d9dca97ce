#include "tenon/compiler/analysis/combiner_identity.h"

#include "mlir/IR/Operation.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
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
  if (IsComplex(element) || IsSmallFloat(element)) return std::nullopt;
  if (auto real = llvm::dyn_cast<mlir::FloatType>(type.getElementType())) {
    auto value = FloatIdentity(name, real.getFloatSemantics());
    if (!value) return std::nullopt;
    return mlir::DenseElementsAttr::get(type, *value);
  }
  auto value =
      IntegerIdentity(name, type.getElementTypeBitWidth(), IsSignedInteger(element));
  if (!value) return std::nullopt;
  return mlir::DenseElementsAttr::get(type, *value);
}

bool AreRoundedSums(mlir::Block& combiner) {
  const size_t results = combiner.getNumArguments() / 2;
  return stablehlo::AddsFloats(combiner) &&
         llvm::all_of(llvm::seq<size_t>(results), [&](size_t position) {
           return CombinerIdentity(combiner, position).has_value();
         });
}

}  // namespace tenon::compiler
