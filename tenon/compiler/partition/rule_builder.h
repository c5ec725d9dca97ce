// Builds factor rules, one factor at a time.
#ifndef TENON_COMPILER_PARTITION_RULE_BUILDER_H_
#define TENON_COMPILER_PARTITION_RULE_BUILDER_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include "tenon/compiler/partition/rule.h"

namespace tenon::compiler::partition {

// The dimension of a tensor that does not have the factor.
inline constexpr int64_t kNoDim = -1;

// The dimensions of a tensor; empty for tokens and other values without a shape.
llvm::ArrayRef<int64_t> ShapeOf(mlir::Type type);
inline llvm::ArrayRef<int64_t> ShapeOf(mlir::Value value) {
  return ShapeOf(value.getType());
}

class RuleBuilder {
 public:
  explicit RuleBuilder(mlir::Operation* op);
  RuleBuilder(mlir::TypeRange operands, mlir::TypeRange results);

  // A factor at one dimension of every operand and result that is no scalar.
  RuleBuilder& AddToAll(int64_t dim, Factor factor);
  RuleBuilder& AddToOperands(int64_t dim, Factor factor);
  RuleBuilder& AddToResults(int64_t dim, Factor factor);
  // A factor at one dimension of each operand and each result, or kNoDim.
  RuleBuilder& Add(llvm::ArrayRef<int64_t> operands, llvm::ArrayRef<int64_t> results,
                   Factor factor);
  // The same for ops of one operand and one result.
  RuleBuilder& Add(int64_t operand, int64_t result, Factor factor) {
    return Add(llvm::ArrayRef<int64_t>(operand), llvm::ArrayRef<int64_t>(result), factor);
  }
  // A factor per dimension of `shape` at every tensor; `kind` of dimension i.
  RuleBuilder& AddPointwise(
      llvm::ArrayRef<int64_t> shape,
      llvm::function_ref<FactorKind(int64_t)> kind = [](int64_t) {
        return FactorKind::kPassThrough;
      });
  // The same, with the factor `mismatch` (its size is that of `in`) where the sizes
  // differ.
  RuleBuilder& AddPointwiseOr(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out,
                              Factor mismatch);

  // Gives every dimension without a factor one of size 1.
  Rule Build();

 private:
  int32_t NewFactor(Factor factor);

  Rule rule_;
};

// One factor per dimension of all tensors; scalars have none. Nullopt if tensors that are
// no scalars have different ranks, or if the result is no tensor.
std::optional<Rule> PointwiseRule(mlir::Operation* op);

// The rules of op families; nullopt for ops that they do not know.
std::optional<Rule> StructuredRule(
    mlir::Operation* op);                               // products, convolutions, windows
std::optional<Rule> IndexingRule(mlir::Operation* op);  // gather, scatter, slices
std::optional<Rule> ShapeRule(mlir::Operation* op);     // reshape, broadcast, concatenate
std::optional<Rule> CollectiveRule(mlir::Operation* op);  // all_gather, all_to_all, ...
std::optional<Rule> CustomCallRule(mlir::Operation* op);  // custom calls and composites

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_RULE_BUILDER_H_
