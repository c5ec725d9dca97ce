#include "tenon/compiler/import/import.h"

#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/import/conformance_programs.h"

namespace tenon::compiler {
namespace {

Status Import(std::string_view code) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return ImportProgram(context, code).status();
}

TEST(ImportTest, GoldenArtifactsLoad) {
  auto programs = ConformancePrograms("vhlo-golden");
  TENON_SKIP_WITHOUT_PROGRAMS(programs);
  EXPECT_EQ(programs.size(), 34);
  for (const auto& [name, code] : programs) {
    Status status = Import(code);
    if (name ==
        "invalid_vhlo_future.mlir.bc") {  // made with an operation that does not exist
      EXPECT_EQ(
          status.ToString(),
          "INVALID_ARGUMENT: program written by 'StableHLO_v2.0.0': unknown operation "
          "'vhlo.constant_v99'; VHLO 0.9.0 to 1.20.0 are read");
      continue;
    }
    EXPECT_TRUE(status.ok()) << name << ": " << status.ToString().substr(0, 400);
  }
}

TEST(ImportTest, TestDataLoads) {
  auto programs = ConformancePrograms("testdata");
  TENON_SKIP_WITHOUT_PROGRAMS(programs);
  EXPECT_EQ(programs.size(), 1411);
  for (const auto& [name, code] : programs) {
    Status status = Import(code);
    EXPECT_TRUE(status.ok()) << name << ": " << status.ToString().substr(0, 400);
  }
}

}  // namespace
}  // namespace tenon::compiler
