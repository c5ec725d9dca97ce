// The program as clients get it back (PJRT's OptimizedProgram): StableHLO that any
// StableHLO parser accepts, without anything specific to Tenon. Stateless.
#ifndef TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_
#define TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_

#include <string>

#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// A program in which large constants are replaced by numbered placeholders. The values
// are inserted at the end of the compilation, as references into the image if it has
// them.
struct ProgramText {
  std::string text;
  llvm::SmallVector<mlir::ElementsAttr> constants;
};

// Writes a simplified module. Composites of known functions get decompositions;
// factorizations become StableHLO's ops, or LAPACK's by the custom calls that JAX has for
// them.
ProgramText WriteProgram(mlir::ModuleOp module);

// 32 hexadecimal digits, equal for equal programs in every process of a job: of the text
// and its constants, without addresses in custom calls, which differ between processes.
// `module` is the one that `program` was written from.
std::string SharedFingerprint(const ProgramText& program, mlir::ModuleOp module);

// Puts constants into `program`, in the form of executable/program_text.h. `module` has
// the constant section.
StatusOr<std::string> PlaceConstants(const ProgramText& program, mlir::ModuleOp module);

// Replaces the tenon dialect's tensor-level ops in `module` by StableHLO.
void ReplaceFactorizations(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_
