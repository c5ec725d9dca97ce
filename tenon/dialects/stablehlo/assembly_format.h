// Custom directives of the ops' assembly formats. The generated code calls a parse and a
// print function per directive. Stateless.
#ifndef TENON_DIALECTS_STABLEHLO_ASSEMBLY_FORMAT_H_
#define TENON_DIALECTS_STABLEHLO_ASSEMBLY_FORMAT_H_

#include "mlir/IR/OpImplementation.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::stablehlo {

namespace detail {
mlir::ParseResult ParseSameType(mlir::OpAsmParser& parser,
                                llvm::ArrayRef<mlir::Type*> operands, mlir::Type& result);
void PrintSameType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                   mlir::TypeRange operands, mlir::Type result);
}  // namespace detail

// One type if operands and result have the same type, else a function type.
// The result type is the last argument.
template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser,
                                                 Types&... types) {
  mlir::Type* all[] = {&types...};
  return detail::ParseSameType(parser, llvm::ArrayRef(all).drop_back(),
                               *all[sizeof...(types) - 1]);
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                    Types... types) {
  mlir::Type all[] = {types...};
  detail::PrintSameType(printer, op, llvm::ArrayRef(all).drop_back(),
                        all[sizeof...(types) - 1]);
}

using UnresolvedOperands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
using TypeVector = llvm::SmallVectorImpl<mlir::Type>;

mlir::ParseResult parseVariadicSameOperandsAndResultType(mlir::OpAsmParser& parser,
                                                         UnresolvedOperands& operands,
                                                         TypeVector& types,
                                                         mlir::Type& result);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter& printer,
                                            mlir::Operation* op,
                                            mlir::OperandRange operands,
                                            mlir::TypeRange types, mlir::Type result);

// The complex result type if both operands have its real type, else a function type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser& parser, mlir::Type& lhs,
                                     mlir::Type& rhs, mlir::Type& result);
void printComplexOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type lhs,
                        mlir::Type rhs, mlir::Type result);

// `pred type, value type`, or a function type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser& parser, mlir::Type& pred,
                                    mlir::Type& onTrue, mlir::Type& onFalse,
                                    mlir::Type& result);
void printSelectOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type pred,
                       mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

// The tuple type, whose elements are the operand types.
mlir::ParseResult parseTupleOpType(mlir::OpAsmParser& parser, TypeVector& operands,
                                   mlir::Type& result);
void printTupleOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      mlir::TypeRange operands, mlir::Type result);

// The operand types, which are also the result types.
mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser& parser, TypeVector& operands,
                                      TypeVector& results);
void printPairwiseOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                         mlir::TypeRange operands, mlir::TypeRange results);

// `%a, %b,`: operands before an attribute, each followed by a comma.
mlir::ParseResult parseVariadicOperandWithAttribute(mlir::OpAsmParser& parser,
                                                    UnresolvedOperands& operands);
void printVariadicOperandWithAttribute(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                       mlir::OperandRange operands);

// `e5m2`
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser& parser,
                                        mlir::IntegerAttr& exponent,
                                        mlir::IntegerAttr& mantissa);
void printExponentMantissa(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

// `[0:4, 1:9:2]`: start, limit and the stride if it is not 1
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser,
                                   mlir::DenseI64ArrayAttr& starts,
                                   mlir::DenseI64ArrayAttr& limits,
                                   mlir::DenseI64ArrayAttr& strides);
void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      mlir::DenseI64ArrayAttr starts, mlir::DenseI64ArrayAttr limits,
                      mlir::DenseI64ArrayAttr strides);

// `, precision = [DEFAULT, HIGH]` or nothing
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser& parser,
                                       mlir::ArrayAttr& precision);
void printPrecisionConfig(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                          mlir::ArrayAttr precision);
// The same, then `, algorithm = <...>` or nothing
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser& parser,
                                                   mlir::ArrayAttr& precision,
                                                   DotAlgorithmAttr& algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                      mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser& parser,
                                           DotDimensionNumbersAttr& dims);
void printDotDimensionNumbers(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                              DotDimensionNumbersAttr dims);

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser& parser,
                                             ConvDimensionNumbersAttr& dims);
void printConvolutionDimensions(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                ConvDimensionNumbersAttr dims);

// `stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = .., rhs_dilate = .., reverse =
// ..`
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser& parser,
                                        mlir::DenseI64ArrayAttr& strides,
                                        mlir::DenseIntElementsAttr& padding,
                                        mlir::DenseI64ArrayAttr& lhsDilation,
                                        mlir::DenseI64ArrayAttr& rhsDilation,
                                        mlir::DenseBoolArrayAttr& reversal);
void printWindowAttributes(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

// `@name`
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser& parser,
                                        mlir::StringAttr& target);
void printCustomCallTarget(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::StringAttr target);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_ASSEMBLY_FORMAT_H_
