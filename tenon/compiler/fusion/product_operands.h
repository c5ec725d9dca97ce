// What products on devices with matrix instructions read.
#ifndef TENON_COMPILER_FUSION_PRODUCT_OPERANDS_H_
#define TENON_COMPILER_FUSION_PRODUCT_OPERANDS_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Copies ops that compute an array from indices alone, such as a causal mask, for each of
// their users. Loading an element for each score would take longer than the products.
void CopyIndexValues(mlir::Block& block);

// Operands of batched products that are transposes of one array, in whatever order of
// rows and columns, become one transpose: that with the array's last dimension last.
void ShareTransposes(mlir::Block& block);

// A batched product whose result is only transposed, so that its rows become contiguous,
// gets its factors exchanged: then they are contiguous in the product, too, and the
// transpose moves whole rows.
void OrderResults(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_PRODUCT_OPERANDS_H_
