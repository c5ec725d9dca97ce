// tenon-opt: reads MLIR, runs passes, prints MLIR. For tests and for looking at programs.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tenon/compiler/dialects/register.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  tenon::RegisterAllDialects(registry);
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tenon-opt: Tenon's pass driver\n", registry));
}
