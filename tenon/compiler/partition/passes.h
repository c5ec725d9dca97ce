// The passes of tenon-opt that show what this folder computes. The compiler calls the
// functions themselves.
#ifndef TENON_COMPILER_PARTITION_PASSES_H_
#define TENON_COMPILER_PARTITION_PASSES_H_

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tenon::compiler::partition {

// --populate-sharding-rules: the factor rule of each op that has one, as the attribute
// sdy.sharding_rule.
std::unique_ptr<mlir::Pass> CreatePopulateShardingRulesPass();

// --partition: propagates shardings and replaces main by the program of one device
// (LocalizeProgram in localize.h).
std::unique_ptr<mlir::Pass> CreatePartitionPass();

// --propagate-shardings: PropagateShardings (propagate.h).
std::unique_ptr<mlir::Pass> CreatePropagateShardingsPass();

// --settle-boundary: SettleBoundary (boundary.h).
std::unique_ptr<mlir::Pass> CreateSettleBoundaryPass();

// --inline-named-computations: InlineNamedComputations (prepare.h).
std::unique_ptr<mlir::Pass> CreateInlineNamedComputationsPass();

// --import-gspmd: ImportGspmd (import_gspmd.h).
std::unique_ptr<mlir::Pass> CreateImportGspmdPass();

// --import-sharding-text: ImportShardingText (import_sharding_text.h).
std::unique_ptr<mlir::Pass> CreateImportShardingTextPass();

// --encode-op-shardings: the xla.OpSharding bytes of the main function's argument and
// result shardings, in hexadecimal, as the attribute tenon.op_sharding.
std::unique_ptr<mlir::Pass> CreateEncodeOpShardingsPass();

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PASSES_H_
