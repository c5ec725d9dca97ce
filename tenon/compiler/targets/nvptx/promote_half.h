// Arithmetic on half precision in f32, and comparisons of bfloat as integers.
#ifndef TENON_COMPILER_TARGETS_NVPTX_PROMOTE_HALF_H_
#define TENON_COMPILER_TARGETS_NVPTX_PROMOTE_HALF_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// Replaces arithmetic, comparisons, signs, minima and maxima of half by those of f32,
// whose results, rounded to half, are the same. Where subnormals of f32 are flushed, LLVM
// would choose instructions that flush those of half too, which no other target does.
// Comparisons of bfloat, which LLVM makes from tests of its bits, become those of
// integers: f32 would flush subnormals, and PTX has no such instruction for bfloat.
void PromoteHalf(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_PROMOTE_HALF_H_
