// From the LLVM IR that the emitters wrote to machine code. Used by one thread per
// module.
#ifndef TENON_COMPILER_PIPELINE_MACHINE_CODE_H_
#define TENON_COMPILER_PIPELINE_MACHINE_CODE_H_

#include <functional>
#include <string>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/base/status.h"
#include "tenon/compiler/pipeline/generate_code.h"
#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {

// Sets the vector width and the denormal mode of all functions, and asks for unwind
// tables.
void SetFunctionAttributes(llvm::Module& module, const CodeOptions& options);

// Inlines the kernels named in `inlined`, and runs LLVM's passes on the IR.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, int level,
              const llvm::DenseSet<mlir::StringAttr>& inlined);

llvm::CodeGenOptLevel CodegenLevel(int level);

// Writes the module as an object file or as assembly. `last_pass`, if set, creates a pass
// that runs on each function's final machine code, before it is written.
Status EmitFile(llvm::Module& module, llvm::TargetMachine& machine,
                llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& bytes,
                const std::function<llvm::Pass*()>& last_pass = nullptr);

// Writes the module as an object file, with passes that are kept for the next module.
// Thread-safe.
StatusOr<std::string> EmitObject(llvm::Module& module, BorrowedTargetMachine machine);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_MACHINE_CODE_H_
