// Replaces collectives of the program of one device by cheaper ones.
#ifndef TENON_COMPILER_PARTITION_CLEAN_COLLECTIVES_H_
#define TENON_COMPILER_PARTITION_CLEAN_COLLECTIVES_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler::partition {

// Shares equal collectives of a block, and erases those without users. All devices run
// one program, so none waits for a collective that another does not run.
//
// Then, of programs of one replica, replaces
//   all_reduce of which each device only takes its own part: by reduce_scatter;
//   all_gather of which each device takes the part that it gave: by that part.
// What part a device takes is computed for every device of every group (device_values.h),
// so it does not matter how the program writes the index. The bits stay, because both
// reductions combine a group's elements in the same tree.
void CleanCollectives(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid);

// Joins collectives of the same kind, groups and element type that do not depend on each
// other into one op with several operands: all_reduce with the same reducer, and
// all_gather along the same dimension. Gradients of small parameters are the main case.
//
// Each meeting of 8 devices costs as much as copying some ten KB, so only collectives of
// at most kMaxCombinedBytes together are joined: larger ones would keep their operands
// and results alive for nothing. Ops move within their block only, and not past an op
// with side effects.
inline constexpr int64_t kMaxCombinedBytes = int64_t{1} << 20;
void CombineCollectives(mlir::func::FuncOp function);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_CLEAN_COLLECTIVES_H_
