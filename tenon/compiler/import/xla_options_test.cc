#include "tenon/compiler/import/xla_options.h"

#include <gtest/gtest.h>

namespace tenon::compiler {
namespace {

// Returns the error text, to be compared with that of the built-in CPU of jaxlib 0.10.2.
std::string Check(std::string_view name, const OptionValue& value) {
  return std::string(CheckXlaOption(name, value).message());
}

TEST(XlaOptionsTest, AcceptsFittingValues) {
  EXPECT_EQ(Check("xla_cpu_enable_fast_math", true), "");
  EXPECT_EQ(Check("xla_cpu_enable_fast_math", "False"), "");
  EXPECT_EQ(Check("xla_backend_optimization_level", int64_t{2}), "");
  EXPECT_EQ(Check("xla_backend_optimization_level", " -1 "), "");
  EXPECT_EQ(Check("xla_gpu_nccl_termination_timeout_seconds", int64_t{1} << 40), "");
  EXPECT_EQ(Check("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", 0.5), "");
  EXPECT_EQ(Check("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", "5e-1"), "");
  EXPECT_EQ(Check("xla_dump_to", "anywhere"), "");
  EXPECT_EQ(Check("xla_disable_hlo_passes", "a,b"), "");
  EXPECT_EQ(Check("xla_gpu_shape_checks", "RUNTIME"), "");
  EXPECT_EQ(Check("xla_gpu_shape_checks", int64_t{99}), "");
  EXPECT_EQ(Check("xla_gpu_enable_command_buffer", "FUSION,WHILE"), "");
  EXPECT_EQ(Check("xla_gpu_experimental_autotune_backends", "TRITON"), "");
}

TEST(XlaOptionsTest, RefusesOtherValues) {
  const auto misfit = [](std::string name, std::string value, std::string type) {
    return "While setting option " + name + ", '" + value + "' is not a valid " + type +
           " value.";
  };
  std::string name = "xla_cpu_enable_fast_math";
  EXPECT_EQ(Check(name, "true"), misfit(name, "true", "bool"));
  EXPECT_EQ(Check(name, int64_t{1}), misfit(name, "1", "bool"));
  name = "xla_backend_optimization_level";
  EXPECT_EQ(Check(name, "20x"), misfit(name, "20x", "int32"));
  EXPECT_EQ(Check(name, "99999999999"), misfit(name, "99999999999", "int32"));
  EXPECT_EQ(Check(name, true), misfit(name, "1", "int32"));
  EXPECT_EQ(Check(name, 1.5), misfit(name, "1.5", "int32"));
  EXPECT_EQ(Check(name, int64_t{1} << 40), misfit(name, "1099511627776", "int32"));
  name = "xla_gpu_auto_spmd_partitioning_memory_budget_ratio";
  EXPECT_EQ(Check(name, int64_t{1}), misfit(name, "1", "float"));
  EXPECT_EQ(Check("xla_dump_to", int64_t{1}), misfit("xla_dump_to", "1", "string"));
  name = "xla_gpu_shape_checks";
  EXPECT_EQ(Check(name, "runtime"), misfit(name, "runtime", "enum"));
  name = "xla_gpu_enable_command_buffer";
  EXPECT_EQ(Check(name, "+FUSION,WHILE"), misfit(name, "+FUSION", "enum"));
  name = "xla_backend_extra_options";
  EXPECT_EQ(Check(name, "a=b"), misfit(name, "a=b", "message"));
}

TEST(XlaOptionsTest, NamesUnknownOptions) {
  EXPECT_EQ(Check("nope", true), "No such compile option: 'nope'");
  EXPECT_EQ(Check("xla_nope", "1"), "No such compile option: 'xla_nope'");
  EXPECT_EQ(Check("", "1"), "No such compile option: ''");
}

}  // namespace
}  // namespace tenon::compiler
