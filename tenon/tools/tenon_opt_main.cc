// tenon-opt: mlir-opt with Tenon's dialects and passes.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/partition/passes.h"
#include "tenon/dialects/register.h"
#include "tenon/dialects/tenon/tenon_ops.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  tenon::RegisterAllDialects(registry);
  registry.insert<tenon::ir::TenonDialect, mlir::arith::ArithDialect>();
  mlir::registerTransformsPasses();
  mlir::registerPass(tenon::compiler::CreateLegalizePass);
  mlir::registerPass(tenon::compiler::CreateFusionPass);
  mlir::registerPass(tenon::compiler::partition::CreatePopulateShardingRulesPass);
  mlir::registerPass(tenon::compiler::partition::CreatePartitionPass);
  mlir::registerPass(tenon::compiler::partition::CreatePropagateShardingsPass);
  mlir::registerPass(tenon::compiler::partition::CreateSettleBoundaryPass);
  mlir::registerPass(tenon::compiler::partition::CreateInlineNamedComputationsPass);
  mlir::registerPass(tenon::compiler::partition::CreateImportGspmdPass);
  mlir::registerPass(tenon::compiler::partition::CreateImportShardingTextPass);
  mlir::registerPass(tenon::compiler::partition::CreateEncodeOpShardingsPass);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tenon-opt: Tenon's pass driver\n", registry));
}
