// What LLVM's NVPTX back end has instructions for. It ends the process when it meets
// anything else, so everything is looked up before. Any thread.
#ifndef TENON_COMPILER_TARGETS_NVPTX_SELECTABLE_H_
#define TENON_COMPILER_TARGETS_NVPTX_SELECTABLE_H_

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Whether the back end selects an intrinsic whose first overloaded type is `type`, or a
// vector of it. The target's own intrinsics are not looked at: whoever emits them knows
// the processor.
bool PtxSelects(llvm::Intrinsic::ID id, const llvm::Type& type);

// UNIMPLEMENTED for the first thing in the module that the back end does not select, with
// the name of its function.
Status CheckSelectable(const llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_SELECTABLE_H_
