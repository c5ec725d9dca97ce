// Makes device kernels of host code, as real input for tests of device targets.
#ifndef TESTS_SPIRV_HOST_PHASES_H_
#define TESTS_SPIRV_HOST_PHASES_H_

#include "llvm/IR/Module.h"

namespace tenon::compiler {

// Every phase of a kernel becomes an entry: its views are arguments in global memory, and
// a work group runs one chunk. Everything else of the module is removed.
void KeepPhasesAsKernels(llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TESTS_SPIRV_HOST_PHASES_H_
