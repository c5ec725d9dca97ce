// Emits the test whether the processor that runs the code has the features that the code
// needs.
#ifndef TENON_COMPILER_TARGETS_PROCESSOR_CHECK_H_
#define TENON_COMPILER_TARGETS_PROCESSOR_CHECK_H_

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {

// Emits code, and blocks, for an i32: 1 if the processor has all features that code for
// `target` needs, 0 if it lacks one, and -1 if it cannot be asked. Code for a baseline
// processor needs nothing, so the answer is 1.
llvm::Value* EmitProcessorCheck(llvm::IRBuilder<>& b, const TargetDescription& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_PROCESSOR_CHECK_H_
