// Describes collectives for the executable image.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_COLLECTIVE_CALLS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_COLLECTIVE_CALLS_H_

#include "tenon/base/status.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// UNIMPLEMENTED, naming op, types and location, for collectives that the runtime does not
// perform. INVALID_ARGUMENT for groups that do not fit the devices or the shapes.
StatusOr<ImageCollective> DescribeCollective(mlir::Operation& op,
                                             const stablehlo::ProcessGrid& grid);

// Builds, before `op`, a fusion that applies the reducer of a collective to two tiles of
// `elements` elements. UNIMPLEMENTED if the reducer is not elementwise.
StatusOr<ir::FusionOp> BuildCombiner(mlir::Operation& op, int64_t elements);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_COLLECTIVE_CALLS_H_
