// Loads and stores of vectors.
#ifndef TENON_COMPILER_TARGETS_GPU_LEGALIZE_VECTORS_H_
#define TENON_COMPILER_TARGETS_GPU_LEGALIZE_VECTORS_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// Vectors in memory have 2, 4, 8 or 16 lanes: others are accessed lane by lane. In OpenCL
// a vector of three lanes takes the memory of four.
void SplitVectorAccesses(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_LEGALIZE_VECTORS_H_
