// When two fusions can share a kernel. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_
#define TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// What counts of constants whose elements are all one number: that, or only their types.
enum class Numbers { kCompared, kIgnored };

// The number of `op`, a constant of one number at every index; null for any other op.
mlir::DenseElementsAttr NumberOf(mlir::Operation& op);

// Fusions of the same kind, attributes, operand types and ops, wherever they come from.
// Equal ones have equal hashes.
bool EqualFusions(ir::FusionOp a, ir::FusionOp b, Numbers numbers);
size_t HashOfFusion(ir::FusionOp fusion, Numbers numbers);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_FUSION_EQUALITY_H_
