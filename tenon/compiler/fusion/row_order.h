// Gives the rows of matrix products one order of dimensions.
#ifndef TENON_COMPILER_FUSION_ROW_ORDER_H_
#define TENON_COMPILER_FUSION_ROW_ORDER_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Products whose rows have several dimensions (query heads that share their keys) are
// often transposed before and after operations on their rows. This moves the transposes
// after elementwise ops, reductions of the last dimension and broadcasts, and into the
// products that follow, so that attention is recognized.
void KeepOrderOfRows(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ROW_ORDER_H_
