// Atomic operations that devices do not have.
#ifndef TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_
#define TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// Makes all read-modify-write operations ones on integers of 32 or 64 bits: others become
// loops of compare-and-exchange, in the aligned word around a smaller value. Needs
// intrinsics to be expanded afterwards.
void ExpandAtomics(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_
