// Removes unit dimensions from matrix products and the ops that follow them.
#ifndef TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_
#define TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Removes unit dimensions, other than batch dimensions, from large products and from the
// ops that follow. Transposes that move unit dimensions between others would hide that a
// loop works on the rows of a product.
void DropUnitDimensions(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_UNIT_DIMENSIONS_H_
