// Layouts that frameworks ask of parameters and results. Inside, all tensors are
// row-major.
#ifndef TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_
#define TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// The dimensions, minor first, that an `mhlo.layout_mode` names: "{0,1}", or row-major
// for
// "", "default" and "auto". Errors: UNIMPLEMENTED for tiles and other properties,
// INVALID_ARGUMENT for what is no permutation of `rank` dimensions.
StatusOr<std::vector<int64_t>> ParseLayoutMode(std::string_view mode, int64_t rank);

// Gives the parameters and results of `entry` that `info` lays out otherwise the
// row-major type of the same memory, and transposes between it and what the program
// means.
void ApplyBoundaryLayouts(mlir::func::FuncOp entry, const ExecutableInfo& info);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_
