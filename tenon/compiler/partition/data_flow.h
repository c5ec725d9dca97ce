// Edges of control flow: the values that must have one sharding because one becomes the
// other, such as the operand, the arguments and the result of a loop.
//
// While propagation runs, each such group has an sdy.data_flow_edge. Its operand, the
// owner, is a result of the op or an argument of its body; its users are the owner's.
//   owner                          sources                        other targets
//   while: result i                operand i, returned value i    arguments i of both
//   regions case, if: result i             returned value i of branches   none
//   optimization_barrier: result   operand i                      none
//   manual, named: argument i      operand i                      none
//   manual, named: result i        returned value i               none
#ifndef TENON_COMPILER_PARTITION_DATA_FLOW_H_
#define TENON_COMPILER_PARTITION_DATA_FLOW_H_

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/dialects/sdy/sdy.h"

namespace tenon::compiler::partition {

// Whether the op's regions or results have edges.
bool IsDataFlowOp(mlir::Operation* op);
// The op whose result or block argument `value` is.
mlir::Operation* OwningOp(mlir::Value value);

// Adds an edge for each value of each such op; values without a static shape have none.
void AddDataFlowEdges(mlir::ModuleOp module);
void AddDataFlowEdges(mlir::Operation* op);

// The edge that `target` is the owner or another target of; null if none.
sdy::DataFlowEdgeOp EdgeOf(mlir::Value target);
// The edge that the value used by `source` flows into; null if none. Also null for
// operands of manual and named computations, as in Shardy: when such an operand changes,
// the edge of the body's argument waits for the next phase of propagation.
sdy::DataFlowEdgeOp EdgeOf(mlir::OpOperand& source);
llvm::SmallVector<mlir::Value, 2> SourcesOf(sdy::DataFlowEdgeOp edge);
llvm::SmallVector<mlir::Value, 2> OtherTargetsOf(sdy::DataFlowEdgeOp edge);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_DATA_FLOW_H_
