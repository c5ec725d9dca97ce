// Attributes and types of the stablehlo dialect in MLIR bytecode, as StableHLO 1.17
// writes them.
#ifndef TENON_COMPILER_IMPORT_STABLEHLO_BYTECODE_H_
#define TENON_COMPILER_IMPORT_STABLEHLO_BYTECODE_H_

#include "mlir/IR/MLIRContext.h"

namespace tenon::compiler {

// Loads the dialect, and lets MLIR's bytecode reader read it.
void LoadStablehloForBytecode(mlir::MLIRContext* context);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_STABLEHLO_BYTECODE_H_
