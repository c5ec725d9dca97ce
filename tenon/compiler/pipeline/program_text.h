// The program as clients get it back (PJRT's OptimizedProgram): StableHLO that any parser
// of it takes, with nothing in it that only Tenon knows. Stateless.
#ifndef TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_
#define TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_

#include <string>

#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// A program whose large constants have numbers instead of values: they are written where
// the image has them already, or else at the end of the compilation.
struct ProgramText {
  std::string text;
  llvm::SmallVector<mlir::ElementsAttr> constants;
};

// Of a simplified module. Composites of known functions get decompositions,
// factorisations become StableHLO's or LAPACK's by the custom calls that JAX has for
// them.
ProgramText WriteProgram(mlir::ModuleOp module);

// `program` in the form of executable/program_text.h. `module` has the constant section.
StatusOr<std::string> PlaceConstants(const ProgramText& program, mlir::ModuleOp module);

// Replaces the tenon dialect's ops at the level of tensors in `module`.
void ReplaceFactorizations(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_PROGRAM_TEXT_H_
