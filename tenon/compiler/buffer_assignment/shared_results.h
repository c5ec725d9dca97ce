// Results that several devices of a program may keep in the same memory.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_

#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// ImageTensor::shared_by of each result of `program`, whose kernels are in `module`.
// `collectives` are those of the program, by site.
//
// The buffer of a shared result is written by all_reduce and all_gather only, all of the
// same groups, which write the same elements for all members of a group. Such a
// collective runs once, when all members have come to it: what a member reads before it
// in the program has been read, and what it reads behind it is new. So each member sees
// what it would see in its own memory.
std::vector<int64_t> SharedResults(mlir::ModuleOp module, ir::ProgramOp program,
                                   const std::vector<ImageCollective>& collectives);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_
