#include "tenon/compiler/import/compile_options.h"

#include <optional>
#include <protozero/pbf_writer.hpp>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

using protozero::pbf_writer;

// Options as JAX sends them: one replica, `partitions` partitions, one option of each
// kind.
std::string JaxOptions(int64_t partitions = 1) {
  std::string bytes;
  pbf_writer options(bytes);
  {
    pbf_writer layout(options, 1);
    layout.add_int32(2, 11);
    const int64_t dimensions[] = {2, 3};
    layout.add_packed_int64(3, dimensions, dimensions + 2);
    pbf_writer inner(layout, 5);
    inner.add_int64(1, 1);  // not packed
    inner.add_int64(1, 0);
  }
  {
    pbf_writer build(options, 3);
    build.add_int64(1, -1);
    build.add_message(3, std::string("\x08\x01"));  // a debug option: skipped
    build.add_int64(4, 1);
    build.add_int64(5, partitions);
    build.add_bool(6, true);
    {
      pbf_writer assignment(build, 9);
      assignment.add_int32(1, 1);
      assignment.add_int32(2, static_cast<int32_t>(partitions));
      for (int64_t i = 0; i < partitions; ++i) {
        pbf_writer computation(assignment, 3);
        computation.add_packed_int64(1, &i, &i + 1);
      }
    }
    const bool propagate[] = {true};
    build.add_packed_bool(12, propagate, propagate + 1);
    build.add_bool(19, true);
    build.add_float(20, 0.5f);
    build.add_int64(23, 1);
    build.add_int32(25, 29);
  }
  options.add_int64(5, -1);
  auto add = [&](const char* key, auto write) {
    pbf_writer entry(options, 7);
    entry.add_string(1, key);
    pbf_writer value(entry, 2);
    write(value);
  };
  add("xla_dump_to", [](pbf_writer& value) { value.add_string(1, "text"); });
  add("xla_embed_ir_in_executable", [](pbf_writer& value) { value.add_bool(2, true); });
  add("xla_dump_max_hlo_modules", [](pbf_writer& value) { value.add_int64(3, -7); });
  add("xla_gpu_auto_spmd_partitioning_memory_budget_ratio",
      [](pbf_writer& value) { value.add_double(4, 2.5); });
  options.add_bool(9, true);
  return bytes;
}

TEST(CompileOptionsTest, EmptyMeansDefaults) {
  auto options = ParseCompileOptions("");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->num_replicas, 1);
  EXPECT_EQ(options->num_partitions, 1);
  EXPECT_EQ(options->device_ordinal, -1);
  EXPECT_FALSE(options->device_assignment.has_value());
}

TEST(CompileOptionsTest, ReadsTheOptionsOfJax) {
  auto options = ParseCompileOptions(JaxOptions());
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  ASSERT_EQ(options->argument_layouts.size(), 1);
  EXPECT_EQ(options->argument_layouts[0].element_type, 11);
  EXPECT_EQ(options->argument_layouts[0].dimensions, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(options->argument_layouts[0].minor_to_major, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(options->profile_version, -1);
  EXPECT_TRUE(options->allow_in_place_mlir_modification);
  EXPECT_TRUE(options->use_spmd_partitioning);
  EXPECT_TRUE(options->use_shardy_partitioner);
  EXPECT_EQ(options->allow_spmd_sharding_propagation_to_output, std::vector<bool>{true});
  EXPECT_EQ(options->exec_time_optimization_effort, 0.5f);
  EXPECT_EQ(options->memory_fitting_level, 29);
  ASSERT_TRUE(options->device_assignment.has_value());
  EXPECT_EQ(options->device_assignment->devices,
            (std::vector<std::vector<int64_t>>{{0}}));
  EXPECT_EQ(options->env_option_overrides.size(), 4);
  EXPECT_EQ(std::get<std::string>(options->env_option_overrides["xla_dump_to"]), "text");
  EXPECT_EQ(std::get<bool>(options->env_option_overrides["xla_embed_ir_in_executable"]),
            true);
  EXPECT_EQ(std::get<int64_t>(options->env_option_overrides["xla_dump_max_hlo_modules"]),
            -7);
  EXPECT_EQ(std::get<double>(options->env_option_overrides
                                 ["xla_gpu_auto_spmd_partitioning_memory_budget_ratio"]),
            2.5);
}

TEST(CompileOptionsTest, ReadsExcessPrecision) {
  auto allowed = [&](std::optional<bool> flag, std::optional<bool> override) {
    std::string bytes;
    pbf_writer options(bytes);
    if (flag) {
      pbf_writer build(options, 3);
      pbf_writer debug(build, 3);
      debug.add_bool(122, *flag);
    }
    if (override) {
      pbf_writer entry(options, 7);
      entry.add_string(1, "xla_allow_excess_precision");
      pbf_writer value(entry, 2);
      value.add_bool(2, *override);
    }
    auto parsed = ParseCompileOptions(bytes);
    EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
    return parsed->allow_excess_precision;
  };
  EXPECT_FALSE(allowed({}, {}));
  // XLA's clients send this flag by default.
  EXPECT_FALSE(allowed(true, {}));
  EXPECT_TRUE(allowed({}, true));
  EXPECT_FALSE(allowed({}, false));
  EXPECT_TRUE(allowed(false, true));
  EXPECT_FALSE(allowed(true, false));
}

TEST(CompileOptionsTest, ReadsTheFileToWrite) {
  std::string bytes;
  for (auto [name, text] : {std::pair{"tenon_file", "f.tenon"},
                            {"tenon_file_note", "by a test"},
                            {"tenon_program_file", "f.mlir"},
                            {"tenon_explain_sharding", "why.txt"}}) {
    pbf_writer options(bytes);
    pbf_writer entry(options, 7);
    entry.add_string(1, name);
    pbf_writer value(entry, 2);
    value.add_string(1, text);
  }
  auto parsed = ParseCompileOptions(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(parsed->file, "f.tenon");
  EXPECT_EQ(parsed->file_note, "by a test");
  EXPECT_EQ(parsed->program_file, "f.mlir");
  EXPECT_EQ(parsed->explain_sharding, "why.txt");

  bytes.clear();
  {
    pbf_writer options(bytes);
    pbf_writer entry(options, 7);
    entry.add_string(1, "tenon_file");
    pbf_writer value(entry, 2);
    value.add_bool(2, true);
  }
  EXPECT_EQ(ParseCompileOptions(bytes).status().message(), "tenon_file must be a string");
}

TEST(CompileOptionsTest, ReadsSeveralPartitions) {
  auto options = ParseCompileOptions(JaxOptions(4));
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->num_partitions, 4);
  EXPECT_EQ(options->device_assignment->devices,
            (std::vector<std::vector<int64_t>>{{0}, {1}, {2}, {3}}));
}

TEST(CompileOptionsTest, OverridesOfUnknownOptionsAreErrors) {
  auto parse = [](const char* key, const char* text) {
    std::string bytes;
    {
      pbf_writer options(bytes);
      pbf_writer entry(options, 7);
      entry.add_string(1, key);
      pbf_writer value(entry, 2);
      value.add_string(1, text);
    }
    return ParseCompileOptions(bytes).status();
  };
  EXPECT_TRUE(parse("xla_embed_ir_in_executable", "True").ok());
  EXPECT_EQ(parse("invalid_key", "true").message(),
            "No such compile option: 'invalid_key'");
}

TEST(CompileOptionsTest, ContradictingAssignmentIsAnError) {
  std::string bytes;
  {
    pbf_writer options(bytes);
    pbf_writer build(options, 3);
    build.add_int64(5, 2);
    pbf_writer assignment(build, 9);
    assignment.add_int32(1, 1);
    assignment.add_int32(2, 1);
  }
  auto options = ParseCompileOptions(bytes);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().ToString(),
            "INVALID_ARGUMENT: device assignment in the compile options is not for 1 "
            "replicas x 2 "
            "partitions");
}

TEST(CompileOptionsTest, MalformedBytesAreAnError) {
  auto options = ParseCompileOptions("this is not a message");
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(options.status().message().starts_with("malformed compile options: "));
}

TEST(CompileOptionsTest, DamagedBytesDoNotCrash) {
  std::string bytes = JaxOptions(3);
  for (size_t size = 0; size < bytes.size(); ++size) {
    (void)ParseCompileOptions(bytes.substr(0, size)).ok();
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)ParseCompileOptions(damaged).ok();
  }
}

TEST(CompileOptionsTest, DeeplyNestedShapeIsAnError) {
  std::string shape;
  for (int i = 0; i < 100; ++i) {
    std::string outer;
    pbf_writer(outer).add_message(4, shape);
    shape = outer;
  }
  std::string bytes;
  pbf_writer(bytes).add_message(1, shape);
  EXPECT_EQ(ParseCompileOptions(bytes).status().ToString(),
            "INVALID_ARGUMENT: malformed compile options: shape nested too deep");
}

}  // namespace
}  // namespace tenon::compiler
