#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tenon/embed/testing.h"
#include "tenon/format/testing.h"
#include "tenon/runtime.hpp"

namespace tenon::embed {
namespace {

// y = x * w, where y may use x's memory. Parameter 0 is w, which a file may provide.
int32_t Multiply(RunContext*, const RunBuffer* args, const RunBuffer* results, void*) {
  const auto* w = static_cast<const float*>(args[0].data);
  auto* y = static_cast<float*>(results[0].data);
  for (int i = 0; i < 16; ++i) y[i] *= w[i];
  return 0;
}

std::string Values() {
  float values[16];
  for (int i = 0; i < 16; ++i) values[i] = static_cast<float>(i);
  return {reinterpret_cast<const char*>(values), sizeof values};
}

constexpr char kHeader[] =
    R"({"a.w":{"dtype":"F32","shape":[16],"data_offsets":[0,64]}})";

// A folder with a program, and a safetensors file as its content requires.
class WeightsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + name, std::ios::binary) << bytes;
  }
  std::string Program(const std::string& file) {
    Image image = testing::ImageOf(Multiply);
    image.info.name = "multiply";
    image.info.parameters = {testing::TensorOf(ElementType::kF32, {16}),
                             testing::TensorOf(ElementType::kF32, {16})};
    image.info.parameters[0].name = "w";
    image.info.parameters[1].name = "x";
    image.info.results = {image.info.parameters[1]};
    image.info.aliases = {{.result = 0, .parameter = 1, .must = false}};
    const std::string values = Values();
    const ImageWeights weights{.file = file, .weights = {{0, "a.w", values}}};
    return image.Serialize({.page_aligned = true, .weights = &weights});
  }
  // Runs the program, or the error.
  std::string Run(uint32_t flags = 0, const char* weights = nullptr) {
    auto program = rt::Program::Open((folder_ + "p.tenon").c_str(), flags, weights);
    if (!program) {
      std::string message = program.error().message();
      for (size_t at; (at = message.find(folder_)) != std::string::npos;)
        message.replace(at, folder_.size(), "F/");
      return std::to_string(program.error().code()) + ": " + message;
    }
    EXPECT_EQ(program->inputs().size(), 1u);
    EXPECT_STREQ(program->inputs()[0].name, "x");
    EXPECT_EQ(program->weights().size(), 1u);
    EXPECT_STREQ(program->weights()[0].name, "w");
    EXPECT_EQ(program->inputs()[0].parameter, 1);
    EXPECT_EQ(program->weights()[0].parameter, 0);
    EXPECT_EQ(program->outputs()[0].alias, 0);
    const rt::Arrays x = program->MakeInputs(), y = program->MakeOutputs();
    for (int i = 0; i < 16; ++i) x.data<float>(0)[i] = 2;
    const rt::Error error = program->Run(x.pointers(), y.pointers());
    if (error) return error.message();
    EXPECT_EQ(x.data<float>(0)[5], 2);
    EXPECT_FALSE(program->Run(x.pointers(), x.pointers()));
    std::string shown;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(x.data<float>(0)[i], y.data<float>(0)[i]);
      shown += std::to_string(static_cast<int>(y.data<float>(0)[i])) + " ";
    }
    return shown;
  }
  void TearDown() override {
    for (const char* name : {"p.tenon", "w.safetensors", "other"})
      std::remove((folder_ + name).c_str());
  }

  const std::string folder_ = ::testing::TempDir() + "/";
};

TEST_F(WeightsTest, AreInside) {
  Write("p.tenon", Program(""));
  EXPECT_EQ(Run(TENON_OPEN_CHECK_CONSTANTS), "0 2 4 6 ");
  EXPECT_EQ(Run(0, "w.safetensors"),
            "3: the program has its weights inside, but tenon_open_options.weights is "
            "'w.safetensors'");
  std::string bytes = Program("");
  bytes[bytes.size() - 1] ^= 1;
  Write("p.tenon", bytes);
  EXPECT_EQ(Run(), "0 2 4 6 ");
  EXPECT_EQ(Run(TENON_OPEN_CHECK_CONSTANTS),
            "15: the weights are damaged, or are not those that the program was compiled "
            "with: the checksum of 'a.w' does not match");
}

TEST_F(WeightsTest, AreInAFileBesideTheProgram) {
  Write("p.tenon", Program("w.safetensors"));
  Write("w.safetensors", format::Safetensors(kHeader, Values()));
  EXPECT_EQ(Run(TENON_OPEN_CHECK_CONSTANTS), "0 2 4 6 ");
  // Values that are not aligned are copied.
  Write("other", format::Safetensors(kHeader, Values(), 8));
  EXPECT_EQ(Run(TENON_OPEN_CHECK_CONSTANTS, (folder_ + "other").c_str()), "0 2 4 6 ");
  // Other values of the same shape are accepted, unless they are checked.
  Write("other", format::Safetensors(kHeader, Values().substr(0, 60) + "1234"));
  EXPECT_EQ(Run(0, (folder_ + "other").c_str()), "0 2 4 6 ");
  EXPECT_EQ(Run(TENON_OPEN_CHECK_CONSTANTS, (folder_ + "other").c_str()),
            "15: the weights are damaged, or are not those that the program was compiled "
            "with: the checksum of 'a.w' does not match");
}

TEST_F(WeightsTest, FilesThatDoNotFitAreRefused) {
  Write("p.tenon", Program("w.safetensors"));
  EXPECT_EQ(
      Run(),
      "5: no weights for the program: cannot open 'F/w.safetensors': No such file or "
      "directory; put the file there, or name another in tenon_open_options.weights");
  const auto run = [&](const std::string& header, const std::string& data) {
    Write("w.safetensors", format::Safetensors(header, data));
    return Run();
  };
  const std::string start = "cannot use the weights 'F/w.safetensors': ";
  EXPECT_EQ(run("{}", ""), "9: " + start +
                               "they have no tensor 'a.w', which the program needs for "
                               "parameter 0");
  EXPECT_EQ(
      run(R"({"a.w":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]}})", Values()),
      "9: " + start + "tensor 'a.w' is f32[4,4], but the program needs f32[16]");
  EXPECT_EQ(run(R"({"a.w":{"dtype":"F4","shape":[],"data_offsets":[0,1]}})", "1"),
            "9: " + start + "tensor 'a.w' is F4[], but the program needs f32[16]");
  EXPECT_EQ(run(kHeader, Values() + "1"),
            "15: " + start +
                "the file is truncated or damaged: its tensors have 64 bytes, but 65 "
                "bytes follow its header");
  Write("w.safetensors", "");
  EXPECT_EQ(Run(),
            "15: no weights for the program: cannot open 'F/w.safetensors': it is empty; "
            "put the file there, or name another in tenon_open_options.weights");
}

TEST_F(WeightsTest, ProgramsInMemoryNameTheFile) {
  const AlignedBytes bytes(Program("w.safetensors"));
  const std::span<const std::byte> span(static_cast<const std::byte*>(bytes.data()),
                                        bytes.size());
  EXPECT_STREQ(rt::Program::OpenMemory(span).error().message(),
               "the program has its weights in 'w.safetensors', but it is in memory and "
               "has no folder; name the file in tenon_open_options.weights");
  Write("other", format::Safetensors(kHeader, Values()));
  EXPECT_TRUE(rt::Program::OpenMemory(span, 0, (folder_ + "other").c_str()));
}

TEST_F(WeightsTest, OptionsOfTheFirstVersionHaveNone) {
  Write("p.tenon", Program(""));
  tenon_open_options options = {offsetof(tenon_open_options, weights), 0, "not read"};
  tenon_program* program;
  tenon_error error;
  EXPECT_EQ(tenon_program_open((folder_ + "p.tenon").c_str(), &options, &program, &error),
            0);
  tenon_program_close(program);
  options.struct_size = 1;
  EXPECT_EQ(tenon_program_open((folder_ + "p.tenon").c_str(), &options, &program, &error),
            3);
  Write("p.tenon", ScaleImage().Serialize());
  EXPECT_EQ(Run(0, "w"),
            "3: the program has no weights, but tenon_open_options.weights is 'w'");
}

}  // namespace
}  // namespace tenon::embed
