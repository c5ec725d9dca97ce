// Finds clusters that form attention: two products with row operations in between.
#ifndef TENON_COMPILER_FUSION_ATTENTION_H_
#define TENON_COMPILER_FUSION_ATTENTION_H_

#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// Joins a product, the loops that transform its rows, and the product that contracts
// those rows. The joined kernel never writes the first product to memory. Other kernels
// may read the rows, as long as the joined kernel does not depend on them.
//
// On a device with matrix instructions only what tenon.attention can compute may stay
// joined. For the rest, these instructions multiply whole matrices, which takes less time
// than products of a few rows without them, though the scores are written. Which clusters
// that are is known only after all have been joined. So this adds the last product of
// each of the others to `refused`, and returns false: the clusters must be found again.
// `ignores_rounding`: rows of 16-bit floats will be computed in 32 bits.
bool JoinAttention(BlockClusters& clusters, const TargetTraits& target,
                   bool ignores_rounding,
                   llvm::SmallPtrSetImpl<mlir::Operation*>& refused);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ATTENTION_H_
