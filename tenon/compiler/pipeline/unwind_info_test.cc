// The unwind information of compiled programs is accepted. Damaged information is
// rejected, or does not harm the unwinder, which reads it on every throw.
#include "tenon/executable/unwind_info.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tenon/compiler/compile.h"
#include "tenon/executable/loader.h"

namespace tenon::compiler {
namespace {

// A loop, a product and a call of the runtime give several functions and frames.
constexpr char kProgram[] = R"(
  func.func @main(%x: tensor<300x300xf32>) -> tensor<300xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x300xf32>, tensor<f32>) -> tensor<300xf32>
    return %1 : tensor<300xf32>
  })";

Image Compiled(const CompilerConfig& config = {}) {
  auto image = Compile({kProgram, {}}, config);
  EXPECT_TRUE(image.ok()) << image.status().ToString();
  return *std::move(image);
}

bool LoadsAndUnwinds(const Image& image) {
  Machine machine{
      image.code_objects[0].architecture,
      {image.code_objects[0].features.begin(), image.code_objects[0].features.end()}};
  auto loaded = LoadImage(image, machine);
  if (!loaded.ok()) return false;
  bool caught = false;
  try {
    throw std::runtime_error("through the tables of all loaded code");
  } catch (const std::runtime_error&) {
    caught = true;
  }
  return caught;
}

TEST(UnwindInfo, UnwindTablesOfCompiledPrograms) {
  for (int level = 0; level <= 3; ++level) {
    CompilerConfig config;
    config.optimization_level = level;
    const Image image = Compiled(config);
    ASSERT_GT(image.code_objects[0].eh_frame_size, 0u);
    EXPECT_TRUE(ValidateUnwindInfo(image.code_objects[0]).ok());
    EXPECT_TRUE(LoadsAndUnwinds(image));
  }
  CompilerConfig other;
  other.target = "aarch64";
  const Image image = Compiled(other);
  EXPECT_GT(image.code_objects[0].eh_frame_size, 0u);
  const Status status = ValidateUnwindInfo(image.code_objects[0]);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(UnwindInfo, DamagedTablesAreRefusedOrHarmless) {
  const Image image = Compiled();
  int refused = 0, accepted = 0;
  for (uint64_t byte = 0; byte < image.code_objects[0].eh_frame_size; ++byte) {
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      Image damaged = image;
      damaged.code_objects[0].bytes[image.code_objects[0].eh_frame_offset + byte] ^=
          change;
      const Status status = ValidateUnwindInfo(damaged.code_objects[0]);
      if (status.ok()) {
        EXPECT_TRUE(LoadsAndUnwinds(damaged)) << byte;
        ++accepted;
      } else {
        EXPECT_EQ(status.code(), StatusCode::kDataLoss);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, accepted);
}

// Fields that would lead the unwinder out of the image or out of its own tables.
TEST(UnwindInfo, EachFieldIsChecked) {
  const Image image = Compiled();
  const uint64_t cie = image.code_objects[0].eh_frame_offset;
  uint32_t cie_length;
  std::memcpy(&cie_length, &image.code_objects[0].bytes[cie], 4);
  const uint64_t fde = cie + 4 + cie_length;
  auto refused = [&](uint64_t offset, std::initializer_list<uint8_t> bytes) {
    Image damaged = image;
    std::copy(bytes.begin(), bytes.end(), damaged.code_objects[0].bytes.begin() + offset);
    return ValidateUnwindInfo(damaged.code_objects[0]).code() == StatusCode::kDataLoss;
  };
  EXPECT_TRUE(refused(cie, {0xff, 0xff, 0xff, 0xff}));       // 64-bit records
  EXPECT_TRUE(refused(cie, {0xff, 0xff, 0xff, 0x7f}));       // past the end
  EXPECT_TRUE(refused(cie + 8, {2}));                        // version
  EXPECT_TRUE(refused(cie + 9, {'z', 'P', 0}));              // a personality
  EXPECT_TRUE(refused(cie + 16, {0x00}));                    // absolute pointers
  EXPECT_TRUE(refused(fde + 4, {0, 0, 0, 0}));               // a CIE of another form
  EXPECT_TRUE(refused(fde + 4, {0xff, 0xff, 0xff, 0x7f}));   // no CIE there
  EXPECT_TRUE(refused(fde + 8, {0xff, 0xff, 0xff, 0x7f}));   // code outside of the image
  EXPECT_TRUE(refused(fde + 12, {0xff, 0xff, 0xff, 0x7f}));  // and its size
  EXPECT_TRUE(refused(fde + 16, {1}));                       // augmentation data
  EXPECT_TRUE(refused(fde + 17, {0x0b}));  // restores a state that nothing remembered
  EXPECT_TRUE(refused(fde + 17, {0xbf}));  // register 63
  EXPECT_TRUE(refused(fde + 17, {0x3f}));  // no instruction
  EXPECT_TRUE(refused(fde + 17, {0x10, 0x00, 0x7f}));  // an expression past the end
}

}  // namespace
}  // namespace tenon::compiler
