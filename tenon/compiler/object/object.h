// Compiles a program to an object file whose functions any C program can call, and writes
// the C header for it. docs/design/0026-object-files.md says why it is as it is.
#ifndef TENON_COMPILER_OBJECT_OBJECT_H_
#define TENON_COMPILER_OBJECT_OBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/compile.h"

namespace tenon::compiler {

struct ObjectOptions {
  std::string name = "model";  // a C identifier: the prefix of all symbols
  // Parallel loops run on threads of the caller (tenon_env in the header). Otherwise they
  // are plain loops.
  bool callback = false;
  // The object has its own memcpy, memmove and memset, and needs nothing.
  bool freestanding = false;
  int64_t max_stack_bytes = 0;  // more is an error; 0: no limit
};

struct ObjectFile {
  std::string bytes;
  std::string header;  // C99, and C++
  std::string triple;  // as LLVM spells the target
  Image image;         // metadata; its code object is the object file
  int64_t stack_bytes = 0;
  std::vector<std::string> undefined;  // symbols that the object needs, sorted
};

// Compiles for the one target of `config`. INVALID_ARGUMENT for a name that is no C
// identifier, or several targets; UNIMPLEMENTED for a program of several devices, or one
// that calls Python; RESOURCE_EXHAUSTED for more stack than allowed.
StatusOr<ObjectFile> CompileObject(const CompileRequest& request,
                                   const CompilerConfig& config,
                                   const ObjectOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_OBJECT_H_
