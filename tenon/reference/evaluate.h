// The evaluator: runs StableHLO programs on literals, one operation after another. It is
// the oracle of tests, and folds constants. Clear code and right results come before
// speed.
//
// Follows the specification. Where that leaves a choice, it follows XLA's built-in CPU
// backend: x/0 = -1 and x rem 0 = x for integers, saturating conversion of floats to
// integers, NaN-propagating min and max. Floats of 16 bits and fewer are computed in f32
// and rounded once per operation. Sums and products in reductions are accumulated in a
// wider type and rounded once.
//
// A module must not change while it is evaluated; several threads may evaluate it.
#ifndef TENON_REFERENCE_EVALUATE_H_
#define TENON_REFERENCE_EVALUATE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon::reference {

struct EvaluateOptions {
  // Treats denormal operands and results of arithmetic as zeros, like generated code.
  // Operations that move data keep denormals.
  bool flush_denormals = true;
  // Limit of executed operations, counting every iteration of loops; beyond it,
  // RESOURCE_EXHAUSTED.
  int64_t max_steps = std::numeric_limits<int64_t>::max();
  // Limit of element operations by EstimateWork (work.h); beyond it, RESOURCE_EXHAUSTED.
  int64_t max_work = std::numeric_limits<int64_t>::max();
  // Limit of the bytes of one result; beyond it, RESOURCE_EXHAUSTED.
  int64_t max_literal_bytes = int64_t{1} << 33;
  // Limit of nested calls, loops and branches; beyond it, RESOURCE_EXHAUSTED.
  int64_t max_depth = 4096;
  // For programs whose sums may be in any order: @check.expect_close also accepts floats
  // that differ by at most this number times the type's epsilon times the largest
  // expected magnitude.
  double check_norm_epsilons = 0;
};

// Evaluates a verified function, or a region whose captured values are constants, on
// `arguments`. Tuples are passed and returned as their leaves, tokens as kToken literals.
// Errors name the operation and its location. The custom calls @check.* of StableHLO's
// test suites compare values and fail with FAILED_PRECONDITION; all other custom calls
// are UNIMPLEMENTED.
StatusOr<std::vector<Literal>> Evaluate(mlir::func::FuncOp function,
                                        std::span<const Literal> arguments,
                                        const EvaluateOptions& options = {});
StatusOr<std::vector<Literal>> EvaluateRegion(mlir::Region& region,
                                              std::span<const Literal> arguments,
                                              const EvaluateOptions& options = {});
// Evaluates one operation. Values that its regions capture must be constants.
StatusOr<std::vector<Literal>> EvaluateOp(mlir::Operation* op,
                                          std::span<const Literal> operands,
                                          const EvaluateOptions& options = {});

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_EVALUATE_H_
