// Products with few rows or columns, and convolutions of few features, which read each
// element of the larger operand once: without blocks in local memory.
#ifndef TENON_COMPILER_CODEGEN_GRID_THIN_PRODUCT_H_
#define TENON_COMPILER_CODEGEN_GRID_THIN_PRODUCT_H_

#include "tenon/compiler/codegen/grid/tiled_product.h"

namespace tenon::codegen {

// The groups of a thin product, each with as many items as the device allows.
int64_t CountThinGroups(const TiledProduct& product,
                        const compiler::DeviceTarget& device);
// Emits the work of group number `group` (i64): its items share some rows or columns of
// the larger operand and divide the depth among them.
Status EmitThinProduct(GroupBody& body, const TiledProduct& product, llvm::Value* group);

// Emits results number `number` (i64) of a product: those of batch_unit batches. Columns
// and then batches vary fastest.
Status EmitDirectProduct(GroupBody& body, const TiledProduct& product,
                         llvm::Value* number);

// Emits result number `number` of a product whose parts have been stored: loads and adds
// them up. `product` stores the results themselves.
Status EmitSumOfParts(GroupBody& body, const TiledProduct& product, llvm::Value* parts,
                      llvm::Value* number);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_THIN_PRODUCT_H_
