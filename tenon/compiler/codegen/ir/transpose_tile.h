// Transposition of square blocks of elements (transpose tiles) in registers. No state.
#ifndef TENON_COMPILER_CODEGEN_IR_TRANSPOSE_TILE_H_
#define TENON_COMPILER_CODEGEN_IR_TRANSPOSE_TILE_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// Transposes a tile: element c of vector r becomes element r of vector c. The number of
// `rows` is a power of two, and each vector has as many elements. An element is `unit`
// lanes.
void TransposeTile(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> rows,
                   int unit);

// Vectors of 4 * n lanes, as n blocks of 4 x 4 elements side by side: transposes each
// block. The shuffles stay within quarters of 512-bit registers of 32-bit elements.
void TransposeBlocksOfFour(llvm::IRBuilderBase& b, llvm::Value* (&rows)[4]);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_TRANSPOSE_TILE_H_
