// How the dimensions of an op's operands and results correspond: the factor rule of an
// op.
//
// A factor is what dimensions have in common: in a product ij,jk->ik the factors are i, j
// and k. A dimension maps to one or more factors, major first. The rules are Shardy's, so
// that propagation gives the shardings that XLA reports. Values; any thread may use them.
#ifndef TENON_COMPILER_PARTITION_RULE_H_
#define TENON_COMPILER_PARTITION_RULE_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/dialects/sdy/sdy.h"

namespace tenon::compiler::partition {

enum class FactorKind : uint8_t {
  kPassThrough,      // each device computes its part
  kReduction,        // each device computes a partial result
  kNeedReplication,  // the op needs the whole dimension
  kPermutation,  // devices exchange parts of their data, such as the borders of windows
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPassThrough;
  bool blocked = false;  // shardings do not propagate along it

  bool operator==(const Factor&) const = default;
};

// The factors of a dimension, major first; at least one. A scalar has no dimensions.
using DimFactors = llvm::SmallVector<int32_t, 1>;
using Mapping = llvm::SmallVector<DimFactors, 4>;

struct Rule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<Mapping, 4> operands;
  llvm::SmallVector<Mapping, 1> results;
  bool custom = false;  // given by the program

  bool operator==(const Rule&) const = default;
};

// The attribute of a rule that the program gives.
inline constexpr char kShardingRuleAttr[] = "sdy.sharding_rule";

// The rule of `op`: the one that the program gives, else that of the table of ops.
// Nullopt for ops without one: shardings do not propagate through them, and the
// partitioner must give them whole tensors. A malformed rule of the program is an error.
StatusOr<std::optional<Rule>> RuleOf(mlir::Operation* op);

// Every operand and result of `type` has one factor per dimension.
Rule IdentityRule(mlir::ShapedType type, int64_t num_operands, int64_t num_results);

// Whether Shardy schedules `op` as elementwise: each result element depends on the
// operand elements at the same index.
bool IsElementwiseForSharding(mlir::Operation* op);

sdy::OpShardingRuleAttr WriteRule(const Rule& rule, mlir::MLIRContext* context);
// Fails if the rule does not fit the shapes of `op`.
StatusOr<Rule> ReadRule(sdy::OpShardingRuleAttr attribute, mlir::Operation* op);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_RULE_H_
