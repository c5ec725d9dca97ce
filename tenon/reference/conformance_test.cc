// Evaluates all programs of StableHLO's test data without dynamic shapes. Skips if the
// data is absent. With TENON_CONFORMANCE_FILTER, only programs whose name contains it.
#include <cstdlib>

#include "gtest/gtest.h"
#include "tenon/compiler/import/conformance_programs.h"
#include "tenon/compiler/import/import.h"
#include "tenon/reference/evaluate.h"

namespace tenon::reference {
namespace {

using compiler::SharedFolder;

// Programs whose results are sums. The expected values were added up in another order.
bool IsSum(const std::string& name) {
  for (const char* prefix : {"conv_general_dilated", "cumsum", "dot_general", "fft",
                             "reduce_window_add", "triangular_solve"})
    if (name.starts_with(prefix)) return true;
  return false;
}

Status RunProgram(const compiler::ConformanceProgram& program,
                  const EvaluateOptions& options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TENON_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                         compiler::ImportProgram(context, program.code));
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return InvalidArgument("there is no main");
  return Evaluate(main, {}, options).status();
}

bool IsDynamic(const std::string& name) {
  return name.find("dynamic") != std::string::npos;
}

TEST(ConformanceTest, StaticPrograms) {
  const auto programs = compiler::ConformancePrograms("testdata");
  TENON_SKIP_WITHOUT_PROGRAMS(programs);
  const char* filter = std::getenv("TENON_CONFORMANCE_FILTER");
  int passed = 0, failed = 0, within_sum_tolerance = 0, skipped = 0;
  for (const auto& program : programs) {
    if (filter && program.name.find(filter) == std::string::npos) continue;
    if (IsDynamic(program.name)) {  // the shapes of their arguments are unknown
      ++skipped;
      continue;
    }
    Status status = RunProgram(program, {});
    if (!status.ok() && IsSum(program.name)) {
      EvaluateOptions options;
      options.check_norm_epsilons = 8;
      status = RunProgram(program, options);
      within_sum_tolerance += status.ok();
    }
    status.ok() ? ++passed : ++failed;
    EXPECT_TRUE(status.ok()) << program.name << ": " << status.ToString();
  }
  std::printf(
      "%d programs passed (%d of them within the tolerance of sums), %d failed; "
      "%d dynamic ones skipped\n",
      passed, within_sum_tolerance, failed, skipped);
}

}  // namespace
}  // namespace tenon::reference
