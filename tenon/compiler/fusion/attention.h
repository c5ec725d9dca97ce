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
// On a device with matrix instructions only what goes through the keys block by block
// (tenon.attention) is joined. Elsewhere these instructions multiply whole matrices,
// which takes less time than products of a few rows without them, though the scores are
// written. `ignores_rounding`: rows of 16-bit floats will be computed in 32 bits.
void JoinAttention(BlockClusters& clusters, const TargetTraits& target,
                   bool ignores_rounding);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ATTENTION_H_
