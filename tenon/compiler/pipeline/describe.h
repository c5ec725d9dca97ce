// What the executable image says about a program: parameters, results, aliases, costs.
#ifndef TENON_COMPILER_PIPELINE_DESCRIBE_H_
#define TENON_COMPILER_PIPELINE_DESCRIBE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/import/program_attributes.h"
#include "tenon/compiler/pipeline/costs.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// UNIMPLEMENTED for dynamic shapes, quantized and other types that have no storage, and
// for algorithms of products that nothing makes, naming op, type and location.
Status RefuseUnsupportedTypes(mlir::func::FuncOp entry);

// Fills all of `info` but the program's text that follows from the simplified function
// and from the costs that it had before. Donated parameters are given to the first result
// of the same size that has none.
Status DescribeProgram(mlir::func::FuncOp entry, const ProgramAttributes& attributes,
                       const Costs& costs, ExecutableInfo& info);

// The kernels of a built program, in the order in which it numbers them.
std::vector<ImageKernel> DescribeKernels(mlir::ModuleOp module);

// Equal for images that do the same; 32 hexadecimal digits.
std::string Fingerprint(const Image& image);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_DESCRIBE_H_
