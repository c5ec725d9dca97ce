// Layouts that frameworks request for parameters and results. Inside a program all
// tensors are row-major.
#ifndef TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_
#define TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/import/program_attributes.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// Returns the dimensions, minor first, that an `mhlo.layout_mode` names: "{0,1}", or
// row-major for "", "default" and "auto". Returns UNIMPLEMENTED for tiles and other
// properties, and INVALID_ARGUMENT for anything but a permutation of `rank` dimensions.
StatusOr<std::vector<int64_t>> ParseLayoutMode(std::string_view mode, int64_t rank);

// The layout mode for a result whose layout the program leaves to the compiler: that
// which makes a transpose at the end unnecessary, or "default".
std::string ChooseLayout(mlir::Value result);

// For results whose layout the program leaves to the compiler: takes that of a call of
// LayoutConstraint that returns the result.
void ReadLayoutConstraints(mlir::func::FuncOp entry, ProgramAttributes& attributes);

// Changes each parameter and result of `entry` for which `info` has another layout to the
// row-major type of the same memory. Inserts a transpose between that type and the
// program's.
void ApplyBoundaryLayouts(mlir::func::FuncOp entry, const ExecutableInfo& info);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_BOUNDARY_LAYOUTS_H_
