#include "tenon/dialects/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/sdy/sdy.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon {

void RegisterAllDialects(mlir::DialectRegistry& registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect,
                  stablehlo::StableHLODialect, chlo::ChloDialect, sdy::SdyDialect>();
}

}  // namespace tenon
