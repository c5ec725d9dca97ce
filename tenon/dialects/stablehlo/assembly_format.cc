#include "tenon/dialects/stablehlo/assembly_format.h"

#include "mlir/IR/Builders.h"
#include "tenon/dialects/stablehlo/attributes.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::succeeded;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace tenon::stablehlo {
namespace {

// Assigns the types in `function` to the operands and the one result of an op.
ParseResult AssignFunctionType(OpAsmParser& parser, llvm::SMLoc loc,
                               mlir::FunctionType function, ArrayRef<Type*> operands,
                               Type& result) {
  if (function.getNumInputs() != operands.size()) {
    return parser.emitError(loc)
           << "function type has " << function.getNumInputs() << " inputs, but there are "
           << operands.size() << " operands";
  }
  if (function.getNumResults() != 1) {
    return parser.emitError(loc) << "function type must have one result";
  }
  for (auto [operand, type] : llvm::zip_equal(operands, function.getInputs())) {
    *operand = type;
  }
  result = function.getResult(0);
  return success();
}

ParseResult ParseI64List(OpAsmParser& parser, SmallVector<int64_t>& values) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

// `tensor<4xcomplex<f32>>` -> `tensor<4xf32>`; null for other types.
Type RealTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

}  // namespace

namespace detail {

ParseResult ParseSameType(OpAsmParser& parser, ArrayRef<Type*> operands, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (auto function = dyn_cast<mlir::FunctionType>(type)) {
    return AssignFunctionType(parser, loc, function, operands, result);
  }
  for (Type* operand : operands) *operand = type;
  result = type;
  return success();
}

void PrintSameType(OpAsmPrinter& printer, Operation* op, TypeRange operands,
                   Type result) {
  if (llvm::all_equal(operands) && (operands.empty() || operands.front() == result)) {
    printer.printType(result);
  } else {
    printer.printFunctionalType(op);
  }
}

}  // namespace detail

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser& parser,
                                                   UnresolvedOperands& operands,
                                                   TypeVector& types, Type& result) {
  types.resize(operands.size());
  SmallVector<Type*> pointers;
  for (Type& type : types) pointers.push_back(&type);
  return detail::ParseSameType(parser, pointers, result);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter& printer, Operation* op,
                                            mlir::OperandRange, TypeRange types,
                                            Type result) {
  detail::PrintSameType(printer, op, types, result);
}

ParseResult parseComplexOpType(OpAsmParser& parser, Type& lhs, Type& rhs, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  if (auto function = dyn_cast<mlir::FunctionType>(result)) {
    return AssignFunctionType(parser, loc, function, {&lhs, &rhs}, result);
  }
  lhs = rhs = RealTypeOf(result);
  if (!lhs) return parser.emitError(loc) << "expected a complex tensor, got " << result;
  return success();
}

void printComplexOpType(OpAsmPrinter& printer, Operation* op, Type lhs, Type rhs,
                        Type result) {
  if (lhs == rhs && lhs == RealTypeOf(result)) {
    printer.printType(result);
  } else {
    printer.printFunctionalType(op);
  }
}

ParseResult parseSelectOpType(OpAsmParser& parser, Type& pred, Type& onTrue,
                              Type& onFalse, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pred)) return failure();
  if (auto function = dyn_cast<mlir::FunctionType>(pred)) {
    return AssignFunctionType(parser, loc, function, {&pred, &onTrue, &onFalse}, result);
  }
  if (parser.parseComma() || parser.parseType(result)) return failure();
  onTrue = onFalse = result;
  return success();
}

void printSelectOpType(OpAsmPrinter& printer, Operation* op, Type pred, Type onTrue,
                       Type onFalse, Type result) {
  if (onTrue == result && onFalse == result) {
    printer << pred << ", " << result;
  } else {
    printer.printFunctionalType(op);
  }
}

ParseResult parseTupleOpType(OpAsmParser& parser, TypeVector& operands, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  auto tuple = dyn_cast<mlir::TupleType>(result);
  if (!tuple) return parser.emitError(loc) << "expected a tuple type, got " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter& printer, Operation*, TypeRange, Type result) {
  printer.printType(result);
}

ParseResult parsePairwiseOpType(OpAsmParser& parser, TypeVector& operands,
                                TypeVector& results) {
  if (parser.parseTypeList(operands)) return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseOpType(OpAsmPrinter& printer, Operation*, TypeRange operands,
                         TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseVariadicOperandWithAttribute(OpAsmParser& parser,
                                              UnresolvedOperands& operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) return success();
    if (failed(*parsed) || parser.parseComma()) return failure();
    operands.push_back(operand);
  }
}

void printVariadicOperandWithAttribute(OpAsmPrinter& printer, Operation*,
                                       mlir::OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty()) printer << ',';
}

ParseResult parseExponentMantissa(OpAsmParser& parser, mlir::IntegerAttr& exponent,
                                  mlir::IntegerAttr& mantissa) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef format;
  if (parser.parseKeyword(&format)) return failure();
  llvm::StringRef rest = format;
  int32_t exponentBits, mantissaBits;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits)) {
    return parser.emitError(loc) << "expected a format like e5m10, got " << format;
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(OpAsmPrinter& printer, Operation*, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseSliceRanges(OpAsmParser& parser, mlir::DenseI64ArrayAttr& starts,
                             mlir::DenseI64ArrayAttr& limits,
                             mlir::DenseI64ArrayAttr& strides) {
  SmallVector<int64_t> start, limit, stride;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
                parser.parseInteger(limit.emplace_back())) {
              return failure();
            }
            stride.push_back(1);
            if (failed(parser.parseOptionalColon())) return success();
            return parser.parseInteger(stride.back());
          })) {
    return failure();
  }
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter& printer, Operation*, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
      [&](auto range) {
        auto [start, limit, stride] = range;
        printer << start << ':' << limit;
        if (stride != 1) printer << ':' << stride;
      });
  printer << ']';
}

namespace {

// Parses `precision = [...]` after its comma.
ParseResult ParsePrecision(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  SmallVector<mlir::Attribute> values;
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
            values.push_back(PrecisionAttr::parse(parser, Type()));
            return ParseResult(success(static_cast<bool>(values.back())));
          })) {
    return failure();
  }
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult ParseAlgorithm(OpAsmParser& parser, DotAlgorithmAttr& algorithm) {
  if (parser.parseKeyword("algorithm") || parser.parseEqual()) return failure();
  algorithm =
      mlir::dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, Type()));
  return ParseResult(success(static_cast<bool>(algorithm)));
}

}  // namespace

ParseResult parsePrecisionConfig(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  if (failed(parser.parseOptionalComma())) return success();
  return ParsePrecision(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precision) {
  if (!precision) return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer, [&](auto value) {
    printer << stringifyPrecision(value.getValue());
  });
  printer << ']';
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser& parser,
                                             mlir::ArrayAttr& precision,
                                             DotAlgorithmAttr& algorithm) {
  if (failed(parser.parseOptionalComma())) return success();
  llvm::StringRef keyword;
  // The algorithm may be present without the precision.
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"algorithm"}))) {
    if (parser.parseEqual()) return failure();
    algorithm =
        mlir::dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, Type()));
    return ParseResult(success(static_cast<bool>(algorithm)));
  }
  if (ParsePrecision(parser, precision)) return failure();
  if (failed(parser.parseOptionalComma())) return success();
  return ParseAlgorithm(parser, algorithm);
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter& printer, Operation* op,
                                      mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm) return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

ParseResult parseDotDimensionNumbers(OpAsmParser& parser, DotDimensionNumbersAttr& dims) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  auto parsePair = [&](SmallVector<int64_t>& lhs, SmallVector<int64_t>& rhs) {
    return ParseResult(failure(parser.parseEqual() || ParseI64List(parser, lhs) ||
                               parser.parseKeyword("x") || ParseI64List(parser, rhs)));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parsePair(lhsBatch, rhsBatch) || parser.parseComma())) {
    return failure();
  }
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(lhsContracting, rhsContracting)) {
    return failure();
  }
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch, rhsBatch,
                                      lhsContracting, rhsContracting);
  return success();
}

void printDotDimensionNumbers(OpAsmPrinter& printer, Operation*,
                              DotDimensionNumbersAttr dims) {
  auto printPair = [&](llvm::StringRef name, ArrayRef<int64_t> lhs,
                       ArrayRef<int64_t> rhs) {
    printer << name << " = ";
    printDims(printer, lhs);
    printer << " x ";
    printDims(printer, rhs);
  };
  if (!dims.getLhsBatchingDimensions().empty() ||
      !dims.getRhsBatchingDimensions().empty()) {
    printPair("batching_dims", dims.getLhsBatchingDimensions(),
              dims.getRhsBatchingDimensions());
    printer << ", ";
  }
  printPair("contracting_dims", dims.getLhsContractingDimensions(),
            dims.getRhsContractingDimensions());
}

ParseResult parseConvolutionDimensions(OpAsmParser& parser,
                                       ConvDimensionNumbersAttr& dims) {
  return ParseConvDims(parser, dims);
}

void printConvolutionDimensions(OpAsmPrinter& printer, Operation*,
                                ConvDimensionNumbersAttr dims) {
  PrintConvDims(printer, dims);
}

ParseResult parseWindowAttributes(OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                  mlir::DenseIntElementsAttr& padding,
                                  mlir::DenseI64ArrayAttr& lhsDilation,
                                  mlir::DenseI64ArrayAttr& rhsDilation,
                                  mlir::DenseBoolArrayAttr& reversal) {
  mlir::Builder& builder = parser.getBuilder();
  llvm::StringRef keyword;
  llvm::SMLoc loc = parser.getCurrentLocation();
  auto parseOnce = [&](mlir::Attribute seen) -> ParseResult {
    if (seen) return parser.emitError(loc) << "`" << keyword << "` given twice";
    return parser.parseEqual();
  };
  auto parseArray = [&](mlir::DenseI64ArrayAttr& attribute) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseOnce(attribute) || ParseI64List(parser, values)) return failure();
    attribute = builder.getDenseI64ArrayAttr(values);
    return success();
  };
  while (true) {
    loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&keyword))) return success();
    if (keyword == "stride") {
      if (parseArray(strides)) return failure();
    } else if (keyword == "lhs_dilate") {
      if (parseArray(lhsDilation)) return failure();
    } else if (keyword == "rhs_dilate") {
      if (parseArray(rhsDilation)) return failure();
    } else if (keyword == "reverse") {
      SmallVector<int64_t> values;
      if (parseOnce(reversal) || ParseI64List(parser, values)) return failure();
      SmallVector<bool> flags(llvm::map_range(values, [](int64_t v) { return v != 0; }));
      reversal = builder.getDenseBoolArrayAttr(flags);
    } else if (keyword == "pad") {
      SmallVector<int64_t> values;
      if (parseOnce(padding) ||
          parser.parseCommaSeparatedList(
              OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
                int64_t low, high;
                if (parser.parseLSquare() || parser.parseInteger(low) ||
                    parser.parseComma() || parser.parseInteger(high) ||
                    parser.parseRSquare()) {
                  return failure();
                }
                values.append({low, high});
                return success();
              })) {
        return failure();
      }
      int64_t rows = static_cast<int64_t>(values.size() / 2);
      padding = mlir::DenseIntElementsAttr::get(
          RankedTensorType::get({rows, 2}, builder.getI64Type()), values);
    } else {
      return parser.emitError(loc) << "unknown window attribute `" << keyword << "`";
    }
    if (failed(parser.parseOptionalComma())) return success();
  }
}

void printWindowAttributes(OpAsmPrinter& printer, Operation*,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal) {
  bool first = true;
  auto key = [&](llvm::StringRef name) {
    if (!std::exchange(first, false)) printer << ", ";
    printer << name << " = [";
  };
  auto printArray = [&](llvm::StringRef name, mlir::DenseI64ArrayAttr values) {
    if (!values) return;
    key(name);
    llvm::interleaveComma(values.asArrayRef(), printer);
    printer << ']';
  };
  printArray("stride", strides);
  if (padding) {
    key("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    llvm::interleaveComma(
        llvm::seq<size_t>(0, values.size() / 2), printer, [&](size_t row) {
          printer << '[' << values[2 * row] << ", " << values[2 * row + 1] << ']';
        });
    printer << ']';
  }
  printArray("lhs_dilate", lhsDilation);
  printArray("rhs_dilate", rhsDilation);
  if (reversal) {
    key("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), printer);
    printer << ']';
  }
}

ParseResult parseCustomCallTarget(OpAsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(OpAsmPrinter& printer, Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

}  // namespace tenon::stablehlo
