// How many lanes the points of a loop have. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_VECTOR_WIDTH_H_
#define TENON_COMPILER_CODEGEN_KERNEL_VECTOR_WIDTH_H_

#include "mlir/IR/Block.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::codegen {

using compiler::TargetTraits;

// Returns the number of lanes for the points of `block`: as many of its widest elements
// as a vector register holds. Wide elements that are rare do not count.
int ChooseWidth(mlir::Block& block, const TargetTraits& target);

// Returns the number of ops in a block, nested ones included.
size_t CountOps(mlir::Block& block);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_VECTOR_WIDTH_H_
