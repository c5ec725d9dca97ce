// The chlo ops: registration and assembly format.
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/dialects/chlo/chlo.h"

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;

namespace tenon::chlo {
namespace {

// `operand -> result`, or one type for both.
ParseResult parseUnaryType(OpAsmParser& parser, mlir::Type& operand, mlir::Type& result) {
  if (parser.parseType(operand)) return mlir::failure();
  result = operand;
  return mlir::succeeded(parser.parseOptionalArrow()) ? parser.parseType(result)
                                                      : ParseResult(mlir::success());
}

void printUnaryType(OpAsmPrinter& printer, mlir::Operation*, mlir::Type operand,
                    mlir::Type result) {
  printer << operand << " -> " << result;
}

// `lhs, rhs -> result`, or one type for all.
ParseResult parseBinaryType(OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs,
                            mlir::Type& result) {
  if (parser.parseType(lhs)) return mlir::failure();
  rhs = result = lhs;
  if (mlir::failed(parser.parseOptionalComma())) return mlir::success();
  return mlir::failure(parser.parseType(rhs) || parser.parseArrow() ||
                       parser.parseType(result));
}

void printBinaryType(OpAsmPrinter& printer, mlir::Operation*, mlir::Type lhs,
                     mlir::Type rhs, mlir::Type result) {
  printer << lhs << ", " << rhs << " -> " << result;
}

}  // namespace
}  // namespace tenon::chlo

#include "tenon/dialects/chlo/dialect.cc.inc"
#define GET_OP_CLASSES
#include "tenon/dialects/chlo/ops.cc.inc"

namespace tenon::chlo {

void ChloDialect::initialize() {
  addAttributesOfDialect();
  addOperations<
#define GET_OP_LIST
#include "tenon/dialects/chlo/ops.cc.inc"
      >();
}

// `(%x) inits (%y) dimension=0 attributes {..} { body } : (types) -> (types)`. The
// results are the outputs, then the carried values, one per init.
ParseResult ScanOp::parse(OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  mlir::FunctionType types;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion()) || parser.parseColonType(types))
    return mlir::failure();
  if (types.getNumInputs() != inputs.size() + inits.size())
    return parser.emitError(where) << "scan needs a type for each input and init";
  if (types.getNumResults() < inits.size())
    return parser.emitError(where) << "scan has fewer results than inits";
  if (parser.resolveOperands(inputs, types.getInputs().take_front(inputs.size()), where,
                             state.operands) ||
      parser.resolveOperands(inits, types.getInputs().take_back(inits.size()), where,
                             state.operands))
    return mlir::failure();
  state.addTypes(types.getResults());
  const auto num_inputs = static_cast<int32_t>(inputs.size());
  const auto num_inits = static_cast<int32_t>(inits.size());
  const auto num_outputs = static_cast<int32_t>(types.getNumResults()) - num_inits;
  mlir::Builder& b = parser.getBuilder();
  state.addAttribute(getDimensionAttrName(state.name), b.getI64IntegerAttr(dimension));
  state.addAttribute(getOperandSegmentSizeAttr(),
                     b.getDenseI32ArrayAttr({num_inputs, num_inits}));
  state.addAttribute(getResultSegmentSizeAttr(),
                     b.getDenseI32ArrayAttr({num_outputs, num_inits}));
  return mlir::success();
}

void ScanOp::print(OpAsmPrinter& printer) {
  printer << "(";
  printer.printOperands(getInputs());
  printer << ") inits (";
  printer.printOperands(getInits());
  printer << ") dimension=" << getDimension();
  printer.printOptionalAttrDictWithKeyword(
      getOperation()->getAttrs(),
      {"dimension", getOperandSegmentSizeAttr(), getResultSegmentSizeAttr()});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

}  // namespace tenon::chlo
