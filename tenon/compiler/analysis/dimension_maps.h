// Maps dimensions of an op's result to dimensions of its operands. Pure functions; any
// thread.
#ifndef TENON_COMPILER_ANALYSIS_DIMENSION_MAPS_H_
#define TENON_COMPILER_ANALYSIS_DIMENSION_MAPS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// No dimension of the operand corresponds to the dimension of the result.
inline constexpr int64_t kNoDim = -1;

// The dimension of the operand of a reshape that is dimension `dim` of its result;
// nullopt if the reshape splits or merges it.
std::optional<int64_t> ReshapedDim(llvm::ArrayRef<int64_t> to,
                                   llvm::ArrayRef<int64_t> from, int64_t dim);
// The dimension of the inputs of `reduce` that is dimension `dim` of its results.
int64_t KeptDim(stablehlo::ReduceOp reduce, int64_t dim);
// The dimensions of the two factors that become dimension `dim` of the product.
std::pair<int64_t, int64_t> FactorDims(stablehlo::DotGeneralOp dot, int64_t dim);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_DIMENSION_MAPS_H_
