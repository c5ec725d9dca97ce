// Which clusters that reduce the same array may become one kernel, which reads it once.
#ifndef TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_
#define TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_

#include "tenon/compiler/fusion/cluster.h"

namespace tenon::compiler {

// Whether `cluster` reduces `value`, with all its reductions over the dimensions that
// `value` loses, and gains if another reduction of `value` joins it.
bool ReducesLargeArray(const Cluster& cluster, mlir::Value value,
                       const TargetTraits& target);

// Whether the loops of the two clusters, of which ReducesLargeArray is true for one
// value, only differ in what they compute. Neither may depend on the other.
bool HaveSameReductionLoops(const Cluster& first, const Cluster& second);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_SIBLING_REDUCTIONS_H_
