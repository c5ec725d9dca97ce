#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tenon/compiler/legalize/element_loops.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

Status RewriteOnce(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
                   const ReductionOptions& reductions) {
  mlir::RewritePatternSet patterns(function.getContext());
  PopulateShapePatterns(patterns);
  PopulateAccumulatorPatterns(patterns, reductions.widen_extrema);
  PopulateBatchNormPatterns(patterns);
  PopulateContractionPatterns(patterns);
  PopulateDotAlgorithmPatterns(patterns);
  PopulateReductionPatterns(patterns, reductions);
  PopulateBranchPatterns(patterns);
  PopulateCollectivePatterns(patterns, grid);
  PopulateTokenPatterns(patterns);
  PopulateCustomCallPatterns(patterns);
  PopulateElementaryPatterns(patterns);
  PopulateErfcPatterns(patterns);
  PopulateRngPatterns(patterns);
  PopulateTriangularSolvePatterns(patterns);
  PopulateCholeskyPatterns(patterns);
  PopulateLuPatterns(patterns);
  PopulateFftPatterns(patterns);
  PopulateEinsumPatterns(patterns);
  PopulateDynamicShapePatterns(patterns);
  PopulateHouseholderPatterns(patterns);
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  if (mlir::failed(mlir::applyPatternsGreedily(function, std::move(patterns), config)))
    return Internal("legalization failed: its rewrites do not converge");
  return OkStatus();
}

Status RewriteOps(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
                  const ReductionOptions& reductions) {
  TENON_RETURN_IF_ERROR(RewriteOnce(function, grid, reductions));
  if (!ExpandToElementLoops(function, grid)) return OkStatus();
  return RewriteOnce(function, grid, reductions);
}

struct LegalizePass
    : mlir::PassWrapper<LegalizePass, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LegalizePass)
  llvm::StringRef getArgument() const override { return "tenon-legalize"; }
  llvm::StringRef getDescription() const override {
    return "rewrite ops to the more general ones that the compiler knows";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<ir::TenonDialect>();
  }
  void runOnOperation() override {
    Status status = RewriteOps(getOperation(), stablehlo::ProcessGrid(), {});
    if (status.ok()) return;
    getOperation().emitError(status.ToString());
    signalPassFailure();
  }
};

}  // namespace

Status LegalizeOps(mlir::func::FuncOp entry, const stablehlo::ProcessGrid& grid,
                   const ReductionOptions& reductions) {
  TENON_RETURN_IF_ERROR(RewriteOps(entry, grid, reductions));
  // Functions that custom calls named are no longer needed.
  auto module = entry->getParentOfType<mlir::ModuleOp>();
  for (auto function : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (function != entry) function.erase();
  return OkStatus();
}

std::unique_ptr<mlir::Pass> CreateLegalizePass() {
  return std::make_unique<LegalizePass>();
}

}  // namespace tenon::compiler
