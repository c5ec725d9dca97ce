// Atomic operations that devices do not have.
#ifndef TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_
#define TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// The scope of atomic operations that name none: this device. Other devices and the host
// see results when the kernel has ended. Operations that the host sees at once are slow,
// and optional in OpenCL.
void LimitAtomicScopes(llvm::Function& function);

// Makes all atomic operations read-modify-write ones on integers of 32 or 64 bits. Loads
// and stores become some that change nothing or ignore the result, others become loops of
// compare-and-exchange, in the aligned word around a smaller value. Needs intrinsics to
// be expanded afterwards.
void ExpandAtomics(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_EXPAND_ATOMICS_H_
