// Products of matrices, and what is made of them, without dimensions of one element.
#ifndef TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_
#define TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Drops the dimensions of one element of large products that have such ones beside those
// of their batch, and of what follows from them: moved about between other dimensions
// they would hide that a loop works on the rows of a product.
void DropUnitDimensions(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_
