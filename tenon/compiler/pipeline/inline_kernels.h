// Inlines kernels into the program's loops that launch them, if they are so short that
// the call in each iteration would dominate.
#ifndef TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_
#define TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Returns the names of those kernels. Their code must be emitted into the program's
// module.
llvm::DenseSet<mlir::StringAttr> FindInlinedKernels(ir::ProgramOp program);

// Inlines calls of the functions `names` of `module` and of their phases, and promotes
// their arguments to registers.
void InlineKernels(llvm::Module& module, const llvm::DenseSet<mlir::StringAttr>& names,
                   llvm::ModuleAnalysisManager& modules,
                   llvm::FunctionAnalysisManager& functions);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_
