#include "tenon/compiler/partition/passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/partition/boundary.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/propagate.h"
#include "tenon/compiler/partition/rule.h"
#include "tenon/dialects/stablehlo/dialect.h"

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

class PartitionPass
    : public mlir::PassWrapper<PartitionPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartitionPass)

  llvm::StringRef getArgument() const final { return "partition"; }
  llvm::StringRef getDescription() const final {
    return "Replaces main by the program of one device";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const final {
    registry.insert<sdy::SdyDialect, stablehlo::StableHLODialect>();
  }

  void runOnOperation() final {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) {
      getOperation().emitError("there is no function main");
      return signalPassFailure();
    }
    auto count = getOperation()->getAttrOfType<mlir::IntegerAttr>("mhlo.num_partitions");
    auto boundary =
        LocalizeProgram(getOperation(), main, {1, count ? count.getInt() : 1});
    if (!boundary.ok()) {
      main.emitError(boundary.status().message());
      return signalPassFailure();
    }
    for (auto mesh : llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>())) {
      mesh.erase();
    }
  }
};

// A pass that is one function of the module.
class FunctionPass
    : public mlir::PassWrapper<FunctionPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FunctionPass)

  FunctionPass(llvm::StringRef argument, llvm::StringRef description,
               Status (*function)(mlir::ModuleOp))
      : argument_(argument), description_(description), function_(function) {}

  llvm::StringRef getArgument() const final { return argument_; }
  llvm::StringRef getDescription() const final { return description_; }
  void getDependentDialects(mlir::DialectRegistry& registry) const final {
    registry.insert<sdy::SdyDialect>();
  }

  void runOnOperation() final {
    if (Status status = function_(getOperation()); !status.ok()) {
      getOperation().emitError(status.message());
      signalPassFailure();
    }
  }

 private:
  llvm::StringRef argument_, description_;
  Status (*function_)(mlir::ModuleOp);
};

}  // namespace

std::unique_ptr<mlir::Pass> CreatePartitionPass() {
  return std::make_unique<PartitionPass>();
}

std::unique_ptr<mlir::Pass> CreatePopulateShardingRulesPass() {
  return std::make_unique<PopulateShardingRulesPass>();
}

std::unique_ptr<mlir::Pass> CreatePropagateShardingsPass() {
  return std::make_unique<FunctionPass>(
      "propagate-shardings",
      "Propagates shardings and writes them as sdy.sharding attributes",
      PropagateShardings);
}

std::unique_ptr<mlir::Pass> CreateSettleBoundaryPass() {
  return std::make_unique<FunctionPass>(
      "settle-boundary",
      "Makes the shardings of arguments and results divisible and closed",
      SettleBoundary);
}

}  // namespace tenon::compiler::partition
