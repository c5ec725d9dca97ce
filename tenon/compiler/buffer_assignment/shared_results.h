// Results that the devices of a program may keep in the same memory.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_

#include <vector>

#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// For each result of `program`, whether nothing accesses its buffer but collectives that
// write the same elements for all of the program's `num_devices`: all_reduce and
// all_gather of one group. Such a collective runs once for all devices, so no device
// writes while another one runs. `collectives` are those of the program, by site.
std::vector<bool> SharedResults(ir::ProgramOp program,
                                const std::vector<ImageCollective>& collectives,
                                int64_t num_devices);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_RESULTS_H_
