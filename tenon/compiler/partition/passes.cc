#include "tenon/compiler/partition/passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/partition/boundary.h"
#include "tenon/compiler/partition/import_gspmd.h"
#include "tenon/compiler/partition/import_sharding_text.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/op_sharding.h"
#include "tenon/compiler/partition/prepare.h"
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

StatusOr<std::string> EncodeAttribute(sdy::TensorShardingAttr attribute, mlir::Type type,
                                      MeshTable& meshes) {
  auto rank = llvm::cast<mlir::RankedTensorType>(type).getRank();
  TENON_ASSIGN_OR_RETURN(Sharding sharding, ReadSharding(attribute, rank, meshes));
  return llvm::toHex(EncodeOpSharding(sharding, meshes[sharding.mesh]),
                     /*LowerCase=*/true);
}

Status EncodeOpShardings(mlir::ModuleOp module) {
  constexpr char kAttribute[] = "tenon.op_sharding";
  TENON_ASSIGN_OR_RETURN(MeshTable meshes, MeshTable::Read(module));
  mlir::func::FuncOp main = MainFunction(module);
  if (!main) return InvalidArgument("the program has no function to call");
  mlir::Builder builder(module.getContext());
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto given = main.getArgAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
    if (!given) continue;
    TENON_ASSIGN_OR_RETURN(std::string bytes, EncodeAttribute(given, type, meshes));
    main.setArgAttr(i, kAttribute, builder.getStringAttr(bytes));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    auto given = main.getResultAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
    if (!given) continue;
    TENON_ASSIGN_OR_RETURN(std::string bytes, EncodeAttribute(given, type, meshes));
    main.setResultAttr(i, kAttribute, builder.getStringAttr(bytes));
  }
  return OkStatus();
}

Status InlineComputations(mlir::ModuleOp module) {
  InlineNamedComputations(module);
  return OkStatus();
}

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

std::unique_ptr<mlir::Pass> CreateInlineNamedComputationsPass() {
  return std::make_unique<FunctionPass>("inline-named-computations",
                                        "Replaces named computations by their bodies",
                                        InlineComputations);
}

std::unique_ptr<mlir::Pass> CreateImportGspmdPass() {
  return std::make_unique<FunctionPass>(
      "import-gspmd", "Replaces annotations of GSPMD by those of Shardy", ImportGspmd);
}

std::unique_ptr<mlir::Pass> CreateImportShardingTextPass() {
  return std::make_unique<FunctionPass>(
      "import-sharding-text", "Replaces shardings in frontend attributes by sdy.sharding",
      ImportShardingText);
}

std::unique_ptr<mlir::Pass> CreateEncodeOpShardingsPass() {
  return std::make_unique<FunctionPass>(
      "encode-op-shardings",
      "Adds the xla.OpSharding bytes of arguments' and results' shardings",
      EncodeOpShardings);
}

std::unique_ptr<mlir::Pass> CreateSettleBoundaryPass() {
  return std::make_unique<FunctionPass>(
      "settle-boundary",
      "Makes the shardings of arguments and results divisible and closed",
      SettleBoundary);
}

}  // namespace tenon::compiler::partition
