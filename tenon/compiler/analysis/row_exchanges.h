// The loop by which JAX's lu_pivots_to_permutation makes a permutation of an LU
// factorization's pivots, one exchange in each iteration. A device starts several kernels
// for each, while the factorization knows the permutation. No state.
#ifndef TENON_COMPILER_ANALYSIS_ROW_EXCHANGES_H_
#define TENON_COMPILER_ANALYSIS_ROW_EXCHANGES_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The result of such a loop on all pivots of `op`, one matrix: row i of the factors was
// row result[i] of the operand, counted from 0. Null if there is none.
mlir::Value PermutationOf(ir::LuOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_ROW_EXCHANGES_H_
