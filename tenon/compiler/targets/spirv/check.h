// What LLVM's SPIR-V back end cannot select ends the process there, so it is found
// before.
#ifndef TENON_COMPILER_TARGETS_SPIRV_CHECK_H_
#define TENON_COMPILER_TARGETS_SPIRV_CHECK_H_

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Address spaces in OpenCL's numbering. The generic one contains private, local and
// global memory.
inline constexpr unsigned kConstantSpace = 2;
inline constexpr unsigned kGenericSpace = 4;

// Whether the back end has an exact instruction for the intrinsic.
bool HasSpirvIntrinsic(llvm::Intrinsic::ID id, const llvm::Type& type);

// UNIMPLEMENTED if a kernel has an instruction, type or call that is not known to work.
Status CheckForSpirv(const llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_SPIRV_CHECK_H_
