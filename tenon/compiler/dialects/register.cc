#include "tenon/compiler/dialects/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "tenon/compiler/dialects/chlo/chlo.h"
#include "tenon/compiler/dialects/sdy/sdy.h"
#include "tenon/compiler/dialects/stablehlo/dialect.h"

namespace tenon {

void RegisterAllDialects(mlir::DialectRegistry& registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect,
                  stablehlo::StableHLODialect, chlo::ChloDialect, sdy::SdyDialect>();
}

}  // namespace tenon
