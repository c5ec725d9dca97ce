// Makes a program for one device out of one that is annotated for a mesh; refuses
// programs over several devices. Runs on the thread that owns the module's context.
#ifndef TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
#define TENON_COMPILER_IMPORT_STRIP_SHARDING_H_

#include <cstdint>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// How the message of the UNIMPLEMENTED error for programs over several devices begins;
// behind it stands ": N replicas x M partitions".
inline constexpr std::string_view kSeveralDevicesError =
    "programs over several devices are not supported yet";

// Removes sdy (meshes, shardings, constraints; bodies of manual and named computations
// take their place) and the older mhlo.sharding form. The counts are those of the compile
// options; the module's own (mhlo.num_replicas, mhlo.num_partitions) count too.
Status StripSharding(mlir::ModuleOp module, int64_t num_replicas, int64_t num_partitions);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_STRIP_SHARDING_H_
