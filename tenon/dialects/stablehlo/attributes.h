// Parsers and printers shared by the dialect's attributes and ops.
#ifndef TENON_DIALECTS_STABLEHLO_ATTRIBUTES_H_
#define TENON_DIALECTS_STABLEHLO_ATTRIBUTES_H_

#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::stablehlo {

// `[0, ?, 2]`: dimension numbers or sizes.
mlir::FailureOr<llvm::SmallVector<int64_t>> parseDims(mlir::AsmParser& parser);
void printDims(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> dims);

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
mlir::ParseResult ParseConvDims(mlir::AsmParser& parser, ConvDimensionNumbersAttr& dims);
void PrintConvDims(mlir::AsmPrinter& printer, ConvDimensionNumbersAttr dims);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_ATTRIBUTES_H_
