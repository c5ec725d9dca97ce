// The first step of legalization: which functions there are and what passes may assume.
#ifndef TENON_COMPILER_TARGETS_GPU_PREPARE_H_
#define TENON_COMPILER_TARGETS_GPU_PREPARE_H_

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Whether a function of a device module is an entry.
bool IsEntry(const llvm::Function& function);

// Checks that all calls can be inlined, and sets the attributes of functions.
Status PrepareFunctions(llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_PREPARE_H_
