// Products of programs for devices ask for tiles, and a product alone asks the same.
#include "tenon/compiler/tile_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/targets/nvptx/nvptx_architecture.h"
#include "tenon/compiler/targets/spirv/spirv_architecture.h"

namespace tenon::compiler {
namespace {

class RecordedTiles final : public TileChoices {
 public:
  explicit RecordedTiles(int answer = 0) : answer_(answer) {}
  int Choose(const TileQuestion& question) override {
    questions.push_back(question);
    return std::min(answer_, question.num_candidates - 1);
  }
  std::vector<TileQuestion> questions;

 private:
  const int answer_;
};

Status CompileWith(const std::string& code, const std::string& target,
                   TileChoices& choices) {
  CompilerConfig config;
  config.target = target;
  config.tf32 = true;
  config.tiles = &choices;
  return Compile({code, {}}, config).status();
}

std::string Main(const std::string& arguments, const std::string& result,
                 const std::string& body) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body + "}\n";
}

struct NamedProgram {
  std::string name, code;
};

std::vector<NamedProgram> Programs() {
  const auto convolution = [](const std::string& lhs, const std::string& rhs,
                              const std::string& result, const std::string& numbers,
                              const std::string& window, const std::string& groups) {
    return Main("%x: " + lhs + ", %w: " + rhs, result,
                "%r = stablehlo.convolution(%x, %w) dim_numbers = " + numbers +
                    ", window = {" + window + "} {" + groups + "} : (" + lhs + ", " +
                    rhs + ") -> " + result + "\n%s = stablehlo.tanh %r : " + result +
                    "\nreturn %s : " + result + "\n");
  };
  const std::string one_group =
      "batch_group_count = 1 : i64, feature_group_count = 1 : i64";
  return {
      {"product with an epilogue",
       Main("%a: tensor<256x96xf32>, %b: tensor<96x512xf32>", "tensor<256x512xf32>",
            "%c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
            "(tensor<256x96xf32>, tensor<96x512xf32>) -> tensor<256x512xf32>\n"
            "%d = stablehlo.tanh %c : tensor<256x512xf32>\n"
            "return %d : tensor<256x512xf32>\n")},
      {"batches, bf16, both transposed, HIGHEST",
       Main("%a: tensor<4x64x128xbf16>, %b: tensor<4x256x64xbf16>",
            "tensor<4x128x256xf32>",
            "%c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], "
            "contracting_dims = [1] x [2], precision = [HIGHEST, HIGHEST] : "
            "(tensor<4x64x128xbf16>, tensor<4x256x64xbf16>) -> tensor<4x128x256xf32>\n"
            "return %c : tensor<4x128x256xf32>\n")},
      {"bytes",
       Main("%a: tensor<128x128xi8>, %b: tensor<128x128xi8>", "tensor<128x128xi32>",
            "%c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
            "(tensor<128x128xi8>, tensor<128x128xi8>) -> tensor<128x128xi32>\n"
            "return %c : tensor<128x128xi32>\n")},
      {"strided convolution, NHWC",
       convolution("tensor<4x29x29x64xf32>", "tensor<3x3x64x128xf32>",
                   "tensor<4x15x15x128xf32>", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                   "stride = [2, 2], pad = [[1, 1], [1, 1]]", one_group)},
      {"dilated convolution, NCHW",
       convolution("tensor<2x64x16x16xf32>", "tensor<64x64x3x3xf32>",
                   "tensor<2x64x31x31xf32>", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
                   "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
                   one_group)},
      {"groups",
       convolution("tensor<2x32x32x128xf32>", "tensor<3x3x32x128xf32>",
                   "tensor<2x30x30x128xf32>", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                   "", "batch_group_count = 1 : i64, feature_group_count = 4 : i64")},
  };
}

class TileChoicesTest : public ::testing::TestWithParam<std::string> {
 protected:
  TileChoicesTest() {
    [[maybe_unused]] static const bool added = [] {
      AddNvptxArchitecture();
      AddSpirvArchitecture();
      return true;
    }();
  }
};

TEST_P(TileChoicesTest, AProductAloneAsksTheSameOnce) {
  size_t questions = 0;
  for (const NamedProgram& program : Programs()) {
    RecordedTiles recorded;
    Status status = CompileWith(program.code, GetParam(), recorded);
    ASSERT_TRUE(status.ok()) << program.name << ": " << status.ToString();
    for (const TileQuestion& question : recorded.questions) {
      ++questions;
      EXPECT_GT(question.num_candidates, 1);
      for (int candidate = 0; candidate < question.num_candidates; ++candidate) {
        RecordedTiles alone(candidate);
        status = CompileWith(question.program, GetParam(), alone);
        ASSERT_TRUE(status.ok()) << program.name << ": " << status.ToString() << "\n"
                                 << question.program;
        ASSERT_EQ(alone.questions.size(), 1u) << program.name;
        EXPECT_EQ(alone.questions[0].num_candidates, question.num_candidates)
            << program.name;
        EXPECT_EQ(alone.questions[0].program, question.program) << program.name;
      }
    }
  }
  EXPECT_GE(questions, 5u);
}

TEST(TilesOfProcessorsTest, ProcessorsDoNotAsk) {
  RecordedTiles recorded;
  EXPECT_TRUE(CompileWith(Programs()[0].code, "host", recorded).ok());
  EXPECT_TRUE(recorded.questions.empty());
}

INSTANTIATE_TEST_SUITE_P(Devices, TileChoicesTest,
                         ::testing::Values("spirv64", "nvptx64:sm_80", "nvptx64:sm_90a"));

}  // namespace
}  // namespace tenon::compiler
