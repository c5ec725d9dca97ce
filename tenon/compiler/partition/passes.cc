#include "tenon/compiler/partition/passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/partition/rule.h"

namespace tenon::compiler::partition {
namespace {

class PopulateShardingRulesPass
    : public mlir::PassWrapper<PopulateShardingRulesPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PopulateShardingRulesPass)

  llvm::StringRef getArgument() const final { return "populate-sharding-rules"; }
  llvm::StringRef getDescription() const final {
    return "Adds the factor rule of each op as the attribute sdy.sharding_rule";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const final {
    registry.insert<sdy::SdyDialect>();
  }

  void runOnOperation() final {
    getOperation()->walk([&](mlir::Operation* op) {
      auto rule = RuleOf(op);
      if (!rule.ok()) {
        op->emitError(rule.status().message());
        return signalPassFailure();
      }
      if (*rule) op->setAttr(kShardingRuleAttr, WriteRule(**rule, &getContext()));
    });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreatePopulateShardingRulesPass() {
  return std::make_unique<PopulateShardingRulesPass>();
}

}  // namespace tenon::compiler::partition
