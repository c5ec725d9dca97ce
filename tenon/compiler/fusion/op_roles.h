// Classifies ops by the role they can have in a fusion. Pure; any thread.
#ifndef TENON_COMPILER_FUSION_OP_ROLES_H_
#define TENON_COMPILER_FUSION_OP_ROLES_H_

#include <optional>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The number of elements of a tensor; 0 for other types.
int64_t ElementCountOf(mlir::Value value);
// Whether `op` takes at most a few instructions per element, so that recomputing it is
// fine.
bool IsCheap(mlir::Operation* op);
// Whether `op` expands few values to an array: a splat constant, a broadcast, or an iota,
// also one that numbers all elements of an array in order.
bool IsBroadcast(mlir::Operation* op);
// Whether `op` interleaves up to four columns. A loop kernel does this vectorized over
// rows. Copying row by row stalls on 4K aliasing, when a load's address matches an
// earlier store's low bits.
bool InterleavesColumns(stablehlo::ConcatenateOp op);
// The kind of fusion of which `op` is the hero: it has loops of its own. Nullopt for
// other ops.
std::optional<ir::FusionKind> HeroKind(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_OP_ROLES_H_
