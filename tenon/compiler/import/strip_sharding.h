// Turns a program that is annotated for a mesh into a program for one device. Rejects
// programs over several devices. Runs on the thread that owns the module's context.
#ifndef TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
#define TENON_COMPILER_IMPORT_STRIP_SHARDING_H_

#include <cstdint>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
};

// The larger of the counts in the compile options, which are the arguments, and in the
// module (mhlo.num_replicas, mhlo.num_partitions).
DeviceCounts CountDevices(mlir::ModuleOp module, int64_t num_replicas,
                          int64_t num_partitions);

// Removes Shardy's meshes, shardings and constraints, and the older mhlo.sharding. Bodies
// of manual and named computations replace their ops. Every value must have the shape of
// one device's part already (see partition/localize.h): INVALID_ARGUMENT for a manual
// computation that splits values over several devices.
Status StripSharding(mlir::ModuleOp module, const DeviceCounts& devices);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
