// Classifies ops by whether a fusion can compute them point by point, and by cost. Pure;
// any thread.
#ifndef TENON_COMPILER_ANALYSIS_POINT_OPS_H_
#define TENON_COMPILER_ANALYSIS_POINT_OPS_H_

#include <optional>

#include "mlir/IR/Operation.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// An op on rank-0 values that is computed in scalar registers, inside or outside kernels.
bool IsScalarOp(mlir::Operation* op);
// The operand that `op` may view in place: that of a reshape, or of a bitcast whose
// elements are not larger. Null for other ops, and for scalars.
mlir::Value ViewedOperand(mlir::Operation* op);
// Whether PointBuilder can emit `op`.
bool IsPointOp(mlir::Operation* op);
// Whether each result element depends only on the operand elements at the same index.
// Rank-0 operands apply to all elements.
bool IsElementwise(mlir::Operation* op);
// The enumerator of `op` in the table of elementwise ops. Composites are found by their
// own name. Nullopt for ops outside the table.
std::optional<ElementwiseOp> ElementwiseOpOf(mlir::Operation& op);
// Whether `op` is an elementwise op of many instructions, which should not be recomputed.
bool IsCostly(mlir::Operation* op);
// A constant whose elements are all equal.
bool IsSplatConstant(mlir::Operation* op);
// A concatenation of slices of one tensor. The slices differ only in the concatenated
// dimension and have unit strides there. jnp.roll lowers to this. Each result element is
// the tensor's element at one computed index.
bool IsRoll(mlir::Operation* op);
// Whether every result element of `fusion` depends only on the operand elements at the
// same index.
bool IsElementwiseFusion(ir::FusionOp fusion);
// Whether every result element of the fusion depends only on the element of `operand` at
// the same index.
bool IsReadByPoint(mlir::BlockArgument operand);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_POINT_OPS_H_
