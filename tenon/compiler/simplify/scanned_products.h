// Hoists products of the rows that a loop reads one per iteration.
#ifndef TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_
#define TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Where a loop multiplies each row of an array by the same matrix, computes the product
// of the whole array before the loop: one large product instead of many small ones.
void HoistScannedProducts(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_
