// Products and convolutions as phases of devices with matrix instructions.
#ifndef TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_
#define TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_

#include <optional>

#include "tenon/compiler/codegen/grid/tiled_product.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

struct MatrixPhase {
  MatrixProduct product;  // without operands and result
  MatrixTile tile;
  int items = 0;  // of a group
  int64_t groups = 0;
  int64_t dynamic_local_bytes = 0;  // 0: the kernel states its local memory
};

// The matrix phase for a contract or convolution, whose tiled form is `product`, with the
// tile that `choose` selects. Nothing if the device has no instruction for the types or
// the product is too small for one.
std::optional<MatrixPhase> PlanMatrixPhase(mlir::Operation& op,
                                           const TiledProduct& product,
                                           const compiler::DeviceTarget& device,
                                           ChooseCandidate choose);

// Emits the work of a group; `body` has the items of the phase.
Status EmitMatrixPhase(mlir::Operation& op, GroupBody& body, TiledProduct product,
                       const MatrixPhase& phase, const compiler::DeviceTarget& device);

// Whether the memory of a kernel's argument begins at a multiple of
// MatrixInstructions::kCopyBytes in all launches.
bool IsAligned(mlir::Value view, ir::KernelOp kernel);
// Whether a matrix with these strides can be copied in units of that size.
bool IsCopied(ElementType type, int64_t batch, int64_t batch_stride, int64_t side_stride,
              int64_t depth_stride);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_MATRIX_PHASE_H_
