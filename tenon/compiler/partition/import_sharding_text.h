// Reads shardings that are text in frontend attributes, as XLA writes them into HLO.
#ifndef TENON_COMPILER_PARTITION_IMPORT_SHARDING_TEXT_H_
#define TENON_COMPILER_PARTITION_IMPORT_SHARDING_TEXT_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler::partition {

// Replaces the frontend attributes xla.sdy.meshes of the module, and xla.sdy.sharding of
// arguments and ops, by meshes and sdy.sharding; the custom calls @Sharding and
// @xla.sdy.FuncResultSharding by constraints and shardings of results.
//
// INVALID_ARGUMENT for text that cannot be read. UNIMPLEMENTED for other calls of Shardy,
// such as those around manual computations. Other programs stay as they are.
Status ImportShardingText(mlir::ModuleOp module);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_IMPORT_SHARDING_TEXT_H_
