#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {

Status LegalizeOps(mlir::func::FuncOp entry) {
  mlir::RewritePatternSet patterns(entry.getContext());
  PopulateShapePatterns(patterns);
  PopulateBatchNormPatterns(patterns);
  PopulateContractionPatterns(patterns);
  PopulateReductionPatterns(patterns);
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  if (mlir::failed(mlir::applyPatternsGreedily(entry, std::move(patterns), config)))
    return Internal("the rewrites of the legalization do not come to an end");
  return OkStatus();
}

}  // namespace tenon::compiler
