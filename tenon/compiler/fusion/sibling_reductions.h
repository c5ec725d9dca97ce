// Which clusters that reduce the same array may become one kernel, which reads it once.
#ifndef TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_
#define TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_

#include "tenon/compiler/fusion/cluster.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// Whether `cluster` reduces arrays of the shape of `value`, which are large, and all its
// reductions have the same dimensions.
bool ReducesLargeArray(const Cluster& cluster, mlir::Value value,
                       const TargetTraits& target);

// Whether the column reductions of `cluster` can share their loop with `reduce`, so that
// each element is computed once and sums are as exact as alone.
bool FitsColumns(const Cluster& cluster, stablehlo::ReduceOp reduce);

// Whether the loops of the two clusters, of which ReducesLargeArray is true for one
// value, only differ in what they compute. Neither may depend on the other.
bool HaveSameReductionLoops(const Cluster& first, const Cluster& second);

// Whether two such clusters gain by sharing a kernel, given the arrays from which both
// compute their operands.
bool GainsFromCommonArrays(const Cluster& cluster, llvm::ArrayRef<mlir::Value> common);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_
