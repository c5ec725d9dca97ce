#include "tenon/compiler/legalize/lapack_call.h"

namespace tenon::compiler {
namespace {

// LAPACK's letter for an element type; 0 if it has none.
char LetterOf(mlir::Type element) {
  bool is_complex = llvm::isa<mlir::ComplexType>(element);
  mlir::Type real = RealOf(element);
  if (real.isF32()) return is_complex ? 'c' : 's';
  if (real.isF64()) return is_complex ? 'z' : 'd';
  return 0;
}

// Returns whether the matrices of `type` are column-major, as in LAPACK, one after
// another. Without layouts a call's matrices are row-major, so its routine computes with
// their transposes.
bool IsColumnMajor(mlir::Type type, std::optional<mlir::ArrayAttr> layouts,
                   size_t number) {
  if (!layouts) return false;
  auto order = llvm::cast<mlir::DenseIntElementsAttr>((*layouts)[number]);
  int64_t rank = llvm::cast<mlir::RankedTensorType>(type).getRank();
  llvm::SmallVector<int64_t> expected = {rank - 2, rank - 1};
  for (int64_t d = rank - 3; d >= 0; --d) expected.push_back(d);
  return llvm::equal(order.getValues<int64_t>(), expected);
}

}  // namespace

bool IsLapackCall(stablehlo::CustomCallOp op, llvm::StringRef routine, size_t operands,
                  size_t results) {
  llvm::StringRef name = op.getCallTargetName();
  if (!name.consume_front("lapack_") || name.empty()) return false;
  char letter = name.front();
  if (name.drop_front() != (routine + "_ffi").str()) return false;
  if (op->getNumOperands() != operands || op->getNumResults() != results) return false;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || type.getRank() < 2 ||
        type.getNumElements() == 0 || LetterOf(type.getElementType()) != letter ||
        !IsColumnMajor(type, op.getOperandLayouts(), number))
      return false;
  }
  mlir::Type matrix = op->getOperand(operands - 1).getType();
  if (op->getResult(0).getType() != matrix ||
      !IsColumnMajor(matrix, op.getResultLayouts(), 0))
    return false;
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
