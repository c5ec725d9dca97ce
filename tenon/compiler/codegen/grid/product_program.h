// The program of a product or a convolution alone, for which tiles are measured.
#ifndef TENON_COMPILER_CODEGEN_GRID_PRODUCT_PROGRAM_H_
#define TENON_COMPILER_CODEGEN_GRID_PRODUCT_PROGRAM_H_

#include <string>

#include "tenon/compiler/codegen/grid/tiled_product.h"

namespace tenon::codegen {

// StableHLO text of a program whose arguments are the operands of a tenon.contract or a
// tenon.convolution, as dense arrays in the same order of dimensions in memory, and whose
// result has the type of the sum.
std::string ProductProgram(mlir::Operation& op, const TiledProduct& product);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_PRODUCT_PROGRAM_H_
