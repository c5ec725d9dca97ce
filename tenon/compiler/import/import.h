// Program bytes in, verified StableHLO module out. Runs on the thread that owns the
// context; the stack it needs is given below.
#ifndef TENON_COMPILER_IMPORT_IMPORT_H_
#define TENON_COMPILER_IMPORT_IMPORT_H_

#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Reads a StableHLO portable artifact (VHLO 0.9.0 to 1.20.0, in MLIR bytecode) or MLIR
// text of stablehlo, chlo, func and sdy, and of the part of mhlo that stablehlo shares.
// The first bytes select the format. The module is verified, holds only func, stablehlo,
// chlo and sdy operations, and does not point into `code`.
//
// Loads the dialects it needs into `context`, which must not allow unregistered dialects.
// Malformed programs give INVALID_ARGUMENT. Nesting is limited so that 8 MiB of stack
// suffice.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ImportProgram(mlir::MLIRContext& context,
                                                          std::string_view code);

// The same for a program that a framework of this process wrote in bytecode of stablehlo
// itself. Every version of StableHLO may change this format; that of 1.17 is read.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ImportUnversionedProgram(
    mlir::MLIRContext& context, std::string_view code);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_IMPORT_H_
