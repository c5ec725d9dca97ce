// Custom calls of jaxlib's LAPACK handlers, "lapack_<s, d, c or z><routine>_ffi": the
// matrices are the last two dimensions of their operands and results.
#ifndef TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_
#define TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_

#include <optional>

#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {

// Whether `op` calls `routine` for its operands' type, all of which are matrices that are
// not empty and lie column by column, with so many operands and results of static shape;
// the first result is as the last operand.
bool IsLapackCall(stablehlo::CustomCallOp op, llvm::StringRef routine, size_t operands,
                  size_t results);
// A letter of the call's attributes; nothing if there is none of that name.
std::optional<char> LapackOption(stablehlo::CustomCallOp op, llvm::StringRef name);
// Whether `value` has integers of 32 bits, of `shape`.
bool IsLapackNumbers(mlir::Value value, Dims shape);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_LAPACK_CALL_H_
