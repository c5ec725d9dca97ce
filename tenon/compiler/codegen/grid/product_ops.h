// Products and convolutions of kernels as tiled products. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_PRODUCT_OPS_H_
#define TENON_COMPILER_CODEGEN_GRID_PRODUCT_OPS_H_

#include <optional>

#include "tenon/compiler/codegen/grid/tiled_product.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// The sizes of a tenon.contract or tenon.convolution; nullopt for other ops, and for
// types that tiles do not have.
std::optional<TiledProduct> ProductOf(mlir::Operation& op);
// TiledProduct::batch_unit of an op with sums of this type.
int BatchUnitOf(mlir::Operation& op, ElementType sum);
// Sets how elements are loaded and stored. The views of `op` are bound in `body`, which
// must outlive the product.
void BindProduct(mlir::Operation& op, GroupBody& body, TiledProduct& product);
// Emits the sum of the parts of result number `number` (i64), and the epilogue for it.
Status EmitSumOfParts(mlir::Operation& op, GroupBody& body, TiledProduct product,
                      llvm::Value* number);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_PRODUCT_OPS_H_
