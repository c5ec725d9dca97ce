// The evaluator: runs StableHLO programs on literals, one operation after the other. It
// is the oracle of tests and what folds constants; clarity and right results come before
// speed.
//
// Semantics are the specification's; where that leaves a choice, the built-in CPU's
// (design 4.7): x/0 = -1 and x rem 0 = x for integers, saturating conversion of floats to
// integers, NaN-propagating min and max. Floats of 16 bits and fewer are computed in f32
// and rounded once an operation; sums and products of reductions are accumulated wider
// and rounded once.
//
// A module being evaluated must not change; several threads may evaluate it.
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
  // Operands and results of arithmetic that are denormal count as zeros, as generated
  // code computes. Moving data keeps them.
  bool flush_denormals = true;
  // Executed operations, those in loop bodies counted each time; more is
  // RESOURCE_EXHAUSTED.
  int64_t max_steps = std::numeric_limits<int64_t>::max();
  // Element operations, as EstimateWork (work.h) tells; more is RESOURCE_EXHAUSTED.
  int64_t max_work = std::numeric_limits<int64_t>::max();
  // Bytes of a single result; more is RESOURCE_EXHAUSTED.
  int64_t max_literal_bytes = int64_t{1} << 33;
  // Nested calls, loops and branches; more is RESOURCE_EXHAUSTED.
  int64_t max_depth = 4096;
  // @check.expect_close also accepts floats that differ by at most this many times the
  // type's epsilon times the largest expected magnitude: for programs whose sums may be
  // in any order.
  double check_norm_epsilons = 0;
};

// The results of a verified function (or of a region, whose captured values must be
// constants) on `arguments`. Tuples are passed and returned as their leaves, tokens as
// kToken literals. Errors name the operation and its location. custom_calls @check.* of
// the StableHLO test suites compare and fail with FAILED_PRECONDITION; others are
// UNIMPLEMENTED.
StatusOr<std::vector<Literal>> Evaluate(mlir::func::FuncOp function,
                                        std::span<const Literal> arguments,
                                        const EvaluateOptions& options = {});
StatusOr<std::vector<Literal>> EvaluateRegion(mlir::Region& region,
                                              std::span<const Literal> arguments,
                                              const EvaluateOptions& options = {});
// The results of one operation; values its regions capture must be constants.
StatusOr<std::vector<Literal>> EvaluateOp(mlir::Operation* op,
                                          std::span<const Literal> operands,
                                          const EvaluateOptions& options = {});

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_EVALUATE_H_
