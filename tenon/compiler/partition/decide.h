// Chooses how an op is split: which mesh axes split each factor of its rule.
#ifndef TENON_COMPILER_PARTITION_DECIDE_H_
#define TENON_COMPILER_PARTITION_DECIDE_H_

#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "tenon/compiler/partition/rule.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// The shardings with which the op computes the same on parts as on whole tensors.
struct Decision {
  // Of each operand. Operands whose sharding differs must be moved first.
  std::vector<Sharding> operands;
  // Of each result. Axes that split a reduction factor are unreduced: the results are
  // partial, and must be combined along them.
  std::vector<Sharding> results;
};

// Whether the program of one device can compute `op` with factor `factor` split by
// computing the op on parts (and, for reductions, combining partial results).
bool MaySplit(mlir::Operation* op, const Rule& rule, int32_t factor);

// The rule of a custom call without one that computes independently along its leading
// dimensions, as its front end says; or nullopt.
std::optional<Rule> BatchRule(mlir::Operation* op);

// Chooses axes for the factors of `rule`. `operands` are the shardings that the operands
// have, and `results` those that are wanted, if any. Every dimension is a multiple of its
// shards in the decision, and results are split alike.
//
// The axes of a factor are those that a tensor already has for it. If tensors disagree,
// the choice keeps the most elements in place; a split reduction costs as many elements
// as its results have. An axis splits one factor only.
Decision Decide(mlir::Operation* op, const Rule& rule, llvm::ArrayRef<Sharding> operands,
                llvm::ArrayRef<std::optional<Sharding>> results);

// The same for ops without a rule: every device has and computes whole tensors.
Decision Replicated(mlir::Operation* op);

// `sharding` cut so that every dimension of `shape` is a multiple of its shards.
Sharding MakeDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_DECIDE_H_
