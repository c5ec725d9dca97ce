#include "tenon/compiler/import/program_attributes.h"

#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/import/import.h"

namespace tenon::compiler {
namespace {

class ProgramAttributesTest : public testing::Test {
 protected:
  StatusOr<ProgramAttributes> Read(std::string_view text) {
    TENON_ASSIGN_OR_RETURN(auto module, ImportProgram(context_, text));
    return ReadProgramAttributes(*module);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(ProgramAttributesTest, ReadsArgumentsAndResults) {
  auto program = Read(R"(
    module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      func.func private @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
      func.func public @main(
          %a: tensor<f32> {tf.aliasing_output = 1 : i32, mhlo.memory_kind = "pinned_host"},
          %b: tensor<i32> {jax.buffer_donor = true, mhlo.layout_mode = "{1,0}"},
          %c: tensor<i32> {jax.buffer_donor = false, mhlo.sharding = "{replicated}"}
              loc("params['w']"))
          -> (tensor<i32> {mhlo.memory_kind = "device", jax.result_info = "result.y"},
              tensor<f32>) {
        return %b, %a : tensor<i32>, tensor<f32>
      }
    })");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_EQ(program->name, "jit_f");
  EXPECT_EQ(program->num_partitions, 2);
  ASSERT_EQ(program->arguments.size(), 3);
  EXPECT_EQ(program->arguments[0].aliased_result, 1);
  EXPECT_EQ(program->arguments[0].memory_kind, "pinned_host");
  EXPECT_FALSE(program->arguments[0].donated);
  EXPECT_FALSE(program->arguments[1].aliased_result.has_value());
  EXPECT_TRUE(program->arguments[1].donated);
  EXPECT_EQ(program->arguments[1].layout_mode, "{1,0}");
  EXPECT_FALSE(program->arguments[2].donated);
  EXPECT_EQ(program->arguments[2].sharding, "{replicated}");
  EXPECT_EQ(program->arguments[1].name, "");
  EXPECT_EQ(program->arguments[2].name, "params['w']");
  ASSERT_EQ(program->results.size(), 2);
  EXPECT_EQ(program->results[0].name, "result.y");
  EXPECT_EQ(program->results[0].memory_kind, "device");
  EXPECT_EQ(program->results[1].memory_kind, "");
}

TEST_F(ProgramAttributesTest, AliasesMustFit) {
  auto error = [&](std::string_view a, std::string_view b) {
    return Read(
               "func.func @main(%a: tensor<f32> {tf.aliasing_output = " + std::string(a) +
               "}, %b: tensor<i32> {tf.aliasing_output = " + std::string(b) +
               "}) -> (tensor<f32>, tensor<i32>) { return %a, %b : tensor<f32>, "
               "tensor<i32> }")
        .status()
        .ToString();
  };
  EXPECT_EQ(error("0 : i32", "1 : i32"), "OK");
  EXPECT_EQ(error("0 : i32", "2 : i32"),
            "INVALID_ARGUMENT: argument 1 has an unexpected attribute tf.aliasing_output "
            "= 2 : i32");
  EXPECT_EQ(error("0 : i32", "0 : i32"),
            "INVALID_ARGUMENT: argument 1 aliases result 0, which another argument "
            "aliases too");
  EXPECT_EQ(error("1 : i32", "0 : i32"),
            "INVALID_ARGUMENT: argument 0 cannot alias its result: it is tensor<f32>, "
            "but result 1 is tensor<i32>");
}

TEST_F(ProgramAttributesTest, EntryIsMainOrTheOnlyPublicFunction) {
  EXPECT_TRUE(Read("func.func @f() { return }").ok());
  EXPECT_EQ(
      Read("func.func @f() { return } func.func @g() { return }").status().ToString(),
      "INVALID_ARGUMENT: module has several public functions, none of them @main");
  EXPECT_EQ(Read("func.func private @f() { return }").status().ToString(),
            "INVALID_ARGUMENT: module has no public function with a body");
}

}  // namespace
}  // namespace tenon::compiler
