// Rows of products of matrices in one order of their dimensions.
#ifndef TENON_COMPILER_FUSION_ROW_ORDER_H_
#define TENON_COMPILER_FUSION_ROW_ORDER_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Products whose rows have several dimensions (heads of queries that share their keys)
// are often transposed before and after what is made of their rows. Moves these
// transposes behind elementwise operations, reductions of the last dimension and
// broadcasts, and into the products that follow, so that attention is found.
void KeepOrderOfRows(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ROW_ORDER_H_
