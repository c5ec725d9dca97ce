// The functions and data of an object file that C code refers to, as LLVM IR. The header
// (header.h) declares them.
#ifndef TENON_COMPILER_OBJECT_INTERFACE_CODE_H_
#define TENON_COMPILER_OBJECT_INTERFACE_CODE_H_

#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "tenon/compiler/object/object.h"
#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {

// The names of parameters and results in C, in the order of the program.
struct InterfaceNames {
  std::vector<std::string> parameters, results;
};

// Functions have at most this many arguments, because compilers need not accept more.
inline constexpr size_t kMaxCArguments = 120;

// The position of each argument of NAME_run: parameters, and then the results that use no
// parameter's storage. Tensors without bytes, such as tokens, have none.
struct RunArgument {
  bool is_result = false;
  size_t index = 0;       // among parameters or results
  int64_t in_place = -1;  // of a parameter: the result that uses its storage
};
std::vector<RunArgument> RunArguments(const ExecutableInfo& info);

// Defines the function that runs parallel loops (codegen/kernel/kernel_emitter.h). The
// context of the code is the caller's tenon_env, or null.
void DefineParallelFor(llvm::Module& module, const TargetDescription& target,
                       bool callback, bool ieee_denormals);

// Defines NAME_run, NAME_call, NAME_supported and NAME_info around the program's entry
// point.
void DefineInterface(llvm::Module& module, const TargetDescription& target,
                     const Image& image, uint64_t arena_bytes,
                     const InterfaceNames& names, const ObjectOptions& options);

// Define functions for this module alone: memcpy, memmove and memset; and the product of
// integers of 128 bits, which code for WebAssembly calls.
void DefineMemoryFunctions(llvm::Module& module);
bool MultipliesWideIntegers(const llvm::Module& module);
void DefineWideMultiply(llvm::Module& module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_INTERFACE_CODE_H_
