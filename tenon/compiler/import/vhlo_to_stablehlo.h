// Turns the VHLO operations of a module, of any version, into StableHLO and func ones, in
// place. Runs on the thread that owns the module's context.
#ifndef TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_
#define TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace tenon::compiler {

// Locations, operand order and foreign attributes do not change. Attributes that
// StableHLO groups in one attribute are combined; those equal to their default are
// dropped. Casts between VHLO and builtin types around foreign operations are folded (the
// reader has made both sides equal). Failures are reported as diagnostics. The result is
// not yet verified.
mlir::LogicalResult ConvertVhloToStablehlo(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_H_
