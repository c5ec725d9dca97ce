// The program of one device, from a program on whole tensors.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_H_

#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/call_partitioner.h"
#include "tenon/compiler/partition/program_shardings.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler::partition {

struct ShardingReport;

// The shardings of the program's parameters and results, as serialized OpSharding.
struct BoundaryShardings {
  std::vector<std::string> parameters, results;
};

// The framework's part in partitioning. Both members are set, or neither.
struct Framework {
  const CallPartitioner* partitioner = nullptr;
  // Reads the program of one device for a call, in which StableHLO and calls remain.
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> (*read_program)(
      mlir::MLIRContext& context, std::string_view code) = nullptr;
};

// Propagates the shardings of the module (propagate.h), and replaces `entry`, its main
// function, by the program of each device of `grid`. All composites are inlined, except
// those of elementwise functions. A program without a mesh is the program of one device
// already.
//
// `framework` is told shardings that the program asks for, and partitions its own calls.
// Functions that it returns for these are added to the module.
//
// UNIMPLEMENTED, naming op and location, for what Localize does not support and for the
// annotations of GSPMD. INVALID_ARGUMENT for shardings of parameters and results that do
// not divide the shapes and for meshes of other devices.
//
// Fills in `report` if it is not null (explain.h).
StatusOr<BoundaryShardings> LocalizeProgram(mlir::ModuleOp module,
                                            mlir::func::FuncOp entry,
                                            const stablehlo::ProcessGrid& grid,
                                            const Framework& framework = {},
                                            ShardingReport* report = nullptr);

// Replaces `function` by the program that every device of the mesh runs: StableHLO on the
// device's parts of tensors, with collectives between partitions. Parameters and results
// are split by their shardings, which must divide their shapes. Sets the results'
// shardings that `shardings` does not have. The function has no calls and static shapes.
//
// An op with a factor rule computes on parts (decide.h); its operands are moved to the
// shardings that it needs, and its results to those of the program. All other ops are
// computed on whole tensors by every device, except calls with side effects: the first
// device of the mesh calls with whole tensors and sends the results to the others.
// UNIMPLEMENTED for tensors that become unreduced by max or min. With `explains`, the
// locations of collectives have the reasons for them (explain.h).
Status Localize(mlir::func::FuncOp function, ProgramShardings& shardings,
                const stablehlo::ProcessGrid& grid, const Framework& framework = {},
                bool explains = false);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_H_
