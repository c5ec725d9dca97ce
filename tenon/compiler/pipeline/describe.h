// Fills the image's description of a program: parameters, results, aliases, costs.
#ifndef TENON_COMPILER_PIPELINE_DESCRIBE_H_
#define TENON_COMPILER_PIPELINE_DESCRIBE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/import/program_attributes.h"
#include "tenon/compiler/pipeline/costs.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// Returns UNIMPLEMENTED, naming op, type and location, for dynamic shapes, for quantized
// and other types that have no storage, and for unsupported algorithms of products.
Status RefuseUnsupportedTypes(mlir::func::FuncOp entry);

// Fills all of `info` except the program's text, from the simplified function and from
// the costs that it had before simplification. Each donated parameter is aliased with the
// first free result of the same type, shape, layout and memory kind.
Status DescribeProgram(mlir::func::FuncOp entry, const ProgramAttributes& attributes,
                       const Costs& costs, ExecutableInfo& info);

// Describes the kernels of a built program, in the order of their numbers.
std::vector<ImageKernel> DescribeKernels(mlir::ModuleOp module);

// 32 hexadecimal digits. Equal for images with equal code, constants, options and program
// text.
std::string Fingerprint(const Image& image);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_DESCRIBE_H_
