// Program bytes in, verified StableHLO module out. Runs on the thread that owns the
// context; see the stack note below.
#ifndef TENON_COMPILER_IMPORT_IMPORT_H_
#define TENON_COMPILER_IMPORT_IMPORT_H_

#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Reads a StableHLO portable artifact (VHLO 0.9.0 to 1.20.0, in MLIR bytecode) or MLIR
// text of stablehlo, chlo, func and sdy, and of what mhlo has in common with stablehlo.
// The format is told by its first bytes. The module verifies and holds nothing but func,
// stablehlo, chlo and sdy operations; it does not point into `code`.
//
// Loads the dialects it needs into `context`, which must not allow unregistered dialects.
// Malformed programs give INVALID_ARGUMENT; nesting is limited so that 8 MiB of stack are
// enough.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ImportProgram(mlir::MLIRContext& context,
                                                          std::string_view code);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_IMPORT_H_
