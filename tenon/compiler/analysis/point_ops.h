// What ops can be part of a fusion's point, and what they cost there. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_POINT_OPS_H_
#define TENON_COMPILER_ANALYSIS_POINT_OPS_H_

#include <optional>

#include "mlir/IR/Operation.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// An op on rank-0 values that is computed in registers wherever it stands.
bool IsScalarOp(mlir::Operation* op);
// Whether PointBuilder can make `op` part of a point.
bool IsPointOp(mlir::Operation* op);
// A function of the elements at the same indices of its operands (rank-0 ones apart).
bool IsElementwise(mlir::Operation* op);
// The row of the elementwise table that computes `op`, a composite by its own name;
// nothing for ops that have none.
std::optional<ElementwiseOp> ElementwiseOpOf(mlir::Operation& op);
// An elementwise op of many instructions, not to be computed twice.
bool IsCostly(mlir::Operation* op);
// A constant whose elements are all the same.
bool IsSplatConstant(mlir::Operation* op);
// A concatenation of slices of one tensor that differ in its dimension alone and have
// unit strides there, as jnp.roll sends: its elements are those of the tensor at a chosen
// index.
bool IsRoll(mlir::Operation* op);
// Every result of `fusion` is a function of the same elements of its operands.
bool IsFlat(ir::FusionOp fusion);
// Every result of the fusion is a function of the same elements of its operand `operand`.
bool IsReadByPoint(mlir::BlockArgument operand);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_POINT_OPS_H_
