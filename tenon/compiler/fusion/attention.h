// Which clusters become one of attention: two products with rows in between.
#ifndef TENON_COMPILER_FUSION_ATTENTION_H_
#define TENON_COMPILER_FUSION_ATTENTION_H_

#include "tenon/compiler/fusion/cluster.h"

namespace tenon::compiler {

// Joins a product, a loop that makes of each row of it a row that nothing else asks for,
// and the product of those rows: together they never write the first product to memory.
void JoinAttention(BlockClusters& clusters);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ATTENTION_H_
