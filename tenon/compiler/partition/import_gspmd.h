// Reads programs that are annotated for GSPMD, as JAX before 0.7 sends them by default.
#ifndef TENON_COMPILER_PARTITION_IMPORT_GSPMD_H_
#define TENON_COMPILER_PARTITION_IMPORT_GSPMD_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler::partition {

// Whether the program has annotations of GSPMD and none of Shardy.
bool HasGspmdShardings(mlir::ModuleOp module);

// Replaces GSPMD's annotations by Shardy's: the attributes mhlo.sharding by a mesh and
// sdy.sharding; the custom calls @Sharding by constraints; and a call between
// @SPMDFullToShardShape and @SPMDShardToFullShape by an sdy.manual_computation. The mesh
// has the axes that all shardings of the program are made of.
//
// UNIMPLEMENTED for manual computations that are not calls, or are inside of others.
Status ImportGspmd(mlir::ModuleOp module);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_IMPORT_GSPMD_H_
