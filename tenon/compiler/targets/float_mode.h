// Emits the switch of a thread's floating-point mode, for code that runs without our
// runtime. The runtime's own switch is devices/cpu/float_mode.cc.
#ifndef TENON_COMPILER_TARGETS_FLOAT_MODE_H_
#define TENON_COMPILER_TARGETS_FLOAT_MODE_H_

#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"

namespace tenon::compiler {

// Emits code that sets the mode of generated code: rounding to nearest, no traps, and
// denormals flushed unless `ieee_denormals`. Returns the previous mode, or null for a
// target that has one mode only.
llvm::Value* EmitEnterFloatMode(llvm::IRBuilder<>& b, const llvm::Triple& triple,
                                bool ieee_denormals);
// Emits code that restores the mode `previous`.
void EmitLeaveFloatMode(llvm::IRBuilder<>& b, const llvm::Triple& triple,
                        llvm::Value* previous);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_FLOAT_MODE_H_
