// Products of rows that a loop takes one after the other.
#ifndef TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_
#define TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// A loop that multiplies each row of an array by the same matrix takes rows of the
// product of the whole array instead: one large product for many small ones.
void HoistScannedProducts(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_SCANNED_PRODUCTS_H_
