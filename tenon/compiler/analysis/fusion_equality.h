// Decides which fusions can share a kernel. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_
#define TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Whether splat constants are compared by value, or only by type.
enum class SplatValues { kCompared, kIgnored };

// The value of `op` if it is a splat constant of integers or floats, else null.
mlir::DenseElementsAttr SplatValueOf(mlir::Operation& op);

// Whether two fusions have the same kind, attributes, operand types and ops. Locations
// are not compared. Equal fusions have equal hashes.
bool EqualFusions(ir::FusionOp a, ir::FusionOp b, SplatValues splats);
size_t HashOfFusion(ir::FusionOp fusion, SplatValues splats);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_
