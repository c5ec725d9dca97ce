#include "tenon/compiler/import/import.h"

#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/import/conformance_programs.h"
#include "tenon/compiler/import/narrow_floats_program.h"

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
    if (name == "invalid_vhlo_future.mlir.bc") {  // contains an unknown operation
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

TEST(ImportTest, NarrowFloatsOfNewerMlirAreRead) {
  mlir::MLIRContext context;
  auto module = ImportProgram(context, NarrowFloatsProgram());
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  std::string text;
  llvm::raw_string_ostream(text) << **module;
  for (const char* type :
       {"tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
        "f8E4M3B11FNUZ", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"}) {
    EXPECT_NE(text.find("x" + std::string(type) + ">"), std::string::npos) << text;
  }
  EXPECT_NE(text.find("dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>"),
            std::string::npos)
      << text;
}

TEST(ImportTest, TextIsParsed) {
  EXPECT_TRUE(Import(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %a, %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    })")
                  .ok());
}

TEST(ImportTest, ErrorsHaveLocations) {
  EXPECT_EQ(Import("func.func @main(%a: tensor<2xf32>) {\n  return %b : tensor<2xf32>\n}")
                .ToString(),
            "INVALID_ARGUMENT: use of undeclared SSA value name at program:2:10");
  Status status = Import(R"(
    func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
        loc("model.py":12:3)
      return %0 : tensor<2xf32>
    })");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(status.message().find("'stablehlo.add' op") != std::string_view::npos &&
              status.message().ends_with(" at model.py:12:3"))
      << status.ToString();
}

TEST(ImportTest, RejectsMalformedPrograms) {
  EXPECT_EQ(Import("").ToString(), "INVALID_ARGUMENT: program is empty");
  EXPECT_EQ(Import(std::string_view("\x08\0\x12", 3)).ToString(),
            "INVALID_ARGUMENT: program is neither MLIR bytecode nor MLIR text; send a "
            "StableHLO portable artifact or text");
  EXPECT_EQ(Import("ML\xefR").ToString(),
            "INVALID_ARGUMENT: malformed program: header is cut off");
  EXPECT_EQ(Import("func.func @main() { %0 = arith.constant 1 : i32 return }").code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Import("module { module {} }").ToString(),
            "INVALID_ARGUMENT: 'builtin.module' op is neither a function nor a mesh at "
            "program:1:10");
}

}  // namespace
}  // namespace tenon::compiler
