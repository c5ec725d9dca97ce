// stablehlo.constant: folding, result names and assembly format.
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "tenon/dialects/stablehlo/shape_ops.h"

using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;

namespace tenon::stablehlo {

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  // The names that JAX uses: `c` for integers, `cst` for everything else.
  bool isInteger = mlir::isa<mlir::IntegerType>(getType().getElementType());
  setName(getOutput(), isInteger ? "c" : "cst");
}

// `stablehlo.constant {attributes} dense<1> : tensor<i32>`. A quantized result
// uses the generic form, because its value has the storage type.
ParseResult ConstantOp::parse(OpAsmParser& parser, mlir::OperationState& state) {
  if (mlir::succeeded(parser.parseOptionalLParen())) {
    mlir::Type type;
    if (parser.parseRParen()) return failure();
    if (mlir::succeeded(parser.parseOptionalLess()) &&
        (parser.parseAttribute(state.propertiesAttr) || parser.parseGreater())) {
      return failure();
    }
    if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
        parser.parseLParen() || parser.parseRParen() || parser.parseArrow() ||
        parser.parseType(type)) {
      return failure();
    }
    state.addTypes(type);
    return mlir::success();
  }
  mlir::ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value)) {
    return failure();
  }
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(value.getShapedType());
  return mlir::success();
}

void ConstantOp::print(OpAsmPrinter& printer) {
  if (getValue().getShapedType() != getType()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printAttribute(getValue());
}

}  // namespace tenon::stablehlo
