#include "tenon/compiler/legalize/lapack_call.h"

namespace tenon::compiler {
namespace {

// The letter of LAPACK's names; 0 for types it does not have.
char LetterOf(mlir::Type element) {
  bool is_complex = llvm::isa<mlir::ComplexType>(element);
  mlir::Type real = RealOf(element);
  if (real.isF32()) return is_complex ? 'c' : 's';
  if (real.isF64()) return is_complex ? 'z' : 'd';
  return 0;
}

}  // namespace

bool IsLapackCall(stablehlo::CustomCallOp op, llvm::StringRef routine, size_t operands,
                  size_t results) {
  llvm::StringRef name = op.getCallTargetName();
  if (!name.consume_front("lapack_") || name.empty()) return false;
  char letter = name.front();
  if (name.drop_front() != (routine + "_ffi").str()) return false;
  if (op->getNumOperands() != operands || op->getNumResults() != results) return false;
  for (mlir::Value operand : op->getOperands()) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || type.getRank() < 2 ||
        type.getNumElements() == 0 || LetterOf(type.getElementType()) != letter)
      return false;
  }
  return llvm::all_of(op->getResultTypes(), [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

std::optional<char> LapackOption(stablehlo::CustomCallOp op, llvm::StringRef name) {
  auto config = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op.getBackendConfigAttr());
  if (!config) config = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  auto value = config ? config.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  if (!value) return std::nullopt;
  return static_cast<char>(value.getValue().getZExtValue());
}

bool IsLapackNumbers(mlir::Value value, Dims shape) {
  return ElementOf(value).isSignlessInteger(32) && ShapeOf(value) == shape;
}

}  // namespace tenon::compiler
