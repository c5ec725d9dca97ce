// Turns a program that is annotated for a mesh into a program for one device. Rejects
// programs over several devices. Runs on the thread that owns the module's context.
#ifndef TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
#define TENON_COMPILER_IMPORT_STRIP_SHARDING_H_

#include <cstdint>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// First part of the UNIMPLEMENTED error for programs over several devices; ": N replicas
// x M partitions" follows.
inline constexpr std::string_view kSeveralDevicesError =
    "programs over several devices are not supported yet";

// Removes Shardy's meshes, shardings and constraints, and the older mhlo.sharding. Bodies
// of manual and named computations replace their ops. The counts are those of the compile
// options; the module's own (mhlo.num_replicas, mhlo.num_partitions) are checked too.
Status StripSharding(mlir::ModuleOp module, int64_t num_replicas, int64_t num_partitions);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
