// Kernels that the program's loops launch and that do so little that the call of each
// round would count: they become part of the loop.
#ifndef TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_
#define TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The names of those kernels. Their code has to be in the program's module.
llvm::DenseSet<mlir::StringAttr> FindInlinedKernels(ir::ProgramOp program);

// Inlines calls of functions `names` of `module`, with the phases they run, and has their
// arguments stay in registers.
void InlineKernels(llvm::Module& module, const llvm::DenseSet<mlir::StringAttr>& names,
                   llvm::ModuleAnalysisManager& modules,
                   llvm::FunctionAnalysisManager& functions);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_INLINE_KERNELS_H_
