// Divides the functions of a module among threads that generate code. Each thread emits
// the whole module, in a context of its own, and keeps one part. No state.
#ifndef TENON_COMPILER_PIPELINE_DIVIDE_MODULE_H_
#define TENON_COMPILER_PIPELINE_DIVIDE_MODULE_H_

#include "llvm/IR/Module.h"

namespace tenon::compiler {

// Makes a function visible to the other objects of a program, and to nothing else.
void Export(llvm::Function& function);
void RemoveUnusedGlobals(llvm::Module& module);

// Keeps the bodies of part `part` of `parts`, about equal in size. Functions that are
// used by another part are visible to the linker, with names that begin with `prefix` and
// a dot. Equal modules are divided equally.
void KeepPart(llvm::Module& module, llvm::StringRef prefix, size_t part, size_t parts);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_DIVIDE_MODULE_H_
