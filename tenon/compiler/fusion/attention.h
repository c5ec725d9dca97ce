// Finds clusters that form attention: two products with row operations in between.
#ifndef TENON_COMPILER_FUSION_ATTENTION_H_
#define TENON_COMPILER_FUSION_ATTENTION_H_

#include "tenon/compiler/fusion/cluster.h"

namespace tenon::compiler {

// Joins a product, the loops that transform its rows, and the product that contracts
// those rows. The joined kernel never writes the first product to memory. Other kernels
// may read the rows, as long as the joined kernel does not depend on them.
void JoinAttention(BlockClusters& clusters);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ATTENTION_H_
