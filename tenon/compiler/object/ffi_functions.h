// Custom calls of an object file: each target is a C function that the object's user
// defines.
#ifndef TENON_COMPILER_OBJECT_FFI_FUNCTIONS_H_
#define TENON_COMPILER_OBJECT_FFI_FUNCTIONS_H_

#include <set>
#include <string>

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// The names of the C functions: the targets, where these are identifiers.
std::set<std::string> FfiFunctions(const ExecutableInfo& info);

// UNIMPLEMENTED for a call of Python, or of a name that the object itself defines or
// that code generation calls; and where a handler wants another layout than row-major.
Status CheckFfiCalls(const ExecutableInfo& info, const std::string& object_name);

// Defines the functions that the program calls at each site
// (codegen::FfiFunctionName). They declare those of the user under names that
// NameFfiFunctions replaces once the module's own functions have their prefix.
Status DefineFfiCalls(llvm::Module& module, const TargetDescription& target,
                      const ExecutableInfo& info, const std::string& object_name);
void NameFfiFunctions(llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_FFI_FUNCTIONS_H_
