// Products and convolutions as phases of devices with matrix instructions.
#ifndef TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_
#define TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_

#include <optional>

#include "tenon/compiler/codegen/grid/tiled_product.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {

struct MatrixPhase {
  MatrixProduct product;  // without operands and result
  MatrixTile tile;
  int items = 0;  // of a group
  int64_t groups = 0;
};

// The matrix phase for a contract or convolution, whose tiled form is `product`. Nothing
// if the device has no instruction for the types or the product is too small for one.
std::optional<MatrixPhase> PlanMatrixPhase(mlir::Operation& op,
                                           const TiledProduct& product,
                                           const compiler::DeviceTarget& device);

// Emits the work of a group; `body` has the items of the phase.
Status EmitMatrixPhase(mlir::Operation& op, GroupBody& body, TiledProduct product,
                       const MatrixPhase& phase, const compiler::DeviceTarget& device);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_
