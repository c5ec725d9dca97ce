// Turns the VHLO operations of a module, of any version, into StableHLO and func ones, in
// place. Runs on the thread that owns the module's context.
#ifndef TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_
#define TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace tenon::compiler {

// Locations, operand order and foreign attributes stay. Attributes that StableHLO holds
// in groups are put together; those that equal their default are left out. Also folds the
// casts between VHLO and builtin types around foreign operations (the reader has made
// both sides equal). Failures are reported as diagnostics. The result is not yet
// verified.
mlir::LogicalResult ConvertVhloToStablehlo(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_
