// Custom calls of jaxlib's LAPACK handlers, "lapack_<s, d, c or z><routine>_ffi".
// Matrices are the last two dimensions of operands and results.
#ifndef TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_
#define TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_

#include <optional>

#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {

// Returns whether `op` calls `routine` for the element type of its operands, with the
// given numbers of operands and results. All operands must be non-empty column-major
// matrices of static shape, all results must have static shape, and the first result must
// have the type and layout of the last operand.
bool IsLapackCall(stablehlo::CustomCallOp op, llvm::StringRef routine, size_t operands,
                  size_t results);
// Returns a letter among the call's attributes, or nullopt if it has no attribute `name`.
std::optional<char> LapackOption(stablehlo::CustomCallOp op, llvm::StringRef name);
// Returns whether `value` consists of 32-bit integers in `shape`.
bool IsLapackNumbers(mlir::Value value, Dims shape);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_
