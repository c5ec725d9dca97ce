// What the devices of a partitioned program hold and communicate, and why.
#ifndef TENON_COMPILER_PARTITION_EXPLAIN_H_
#define TENON_COMPILER_PARTITION_EXPLAIN_H_

#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/program_shardings.h"
#include "tenon/compiler/partition/sharding_report.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler::partition {

// `location` with a reason for what is emitted there. Equal ops with other reasons stay
// equal, because reasons are not attributes. Reasons nest: the outer one continues the
// inner one.
mlir::Location WithReason(mlir::Location location, const std::string& reason);
// All reasons of a location, those of joined ops in their order.
std::vector<std::string> ReasonsOf(mlir::Location location);

// Describes the arguments and results of `function`, a program on whole tensors.
void DescribeTensors(mlir::func::FuncOp function, const ProgramShardings& shardings,
                     ShardingReport& report);

// Describes the collectives of `function`, the program of one device. The report has its
// mesh already.
void DescribeCollectives(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
                         ShardingReport& report);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_EXPLAIN_H_
