// Tests what PoCL's devices need: see tests/opencl for programs on them.
#include "tenon/devices/opencl/bitcode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/devices/opencl/testing.h"

namespace tenon::opencl {
namespace {

std::string Bytes(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * sizeof words[0]);
}

TEST(OpenClBitcodeTest, PoclsPlatformNamesTheTranslator) {
  const std::string pocl = "Portable Computing Language";
  EXPECT_EQ(
      TranslatorOf(pocl, "OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC, LLVM 15.0.6, X"),
      "llvm-spirv-15");
  EXPECT_EQ(TranslatorOf(pocl, "OpenCL 3.0 PoCL"), "");
  EXPECT_EQ(TranslatorOf("Intel(R) OpenCL", "OpenCL 3.0 LLVM 15.0.6"), "");
}

TEST(OpenClBitcodeTest, NullsOfScalarsBecomeConstants) {
  const std::vector<uint32_t> header = {0x07230203, 0x10200, 0, 99, 0};
  std::vector<uint32_t> module = header, expected = header;
  const auto both = [&](std::vector<uint32_t> words) {
    module.insert(module.end(), words.begin(), words.end());
    expected.insert(expected.end(), words.begin(), words.end());
  };
  const auto null = [&](uint32_t type, uint32_t result, std::vector<uint32_t> instead) {
    const uint32_t words[] = {3u << 16 | 46, type, result};
    module.insert(module.end(), std::begin(words), std::end(words));
    expected.insert(expected.end(), instead.begin(), instead.end());
  };
  both({2u << 16 | 20, 1});         // %1 is bool
  both({4u << 16 | 21, 2, 32, 0});  // %2 is i32
  both({3u << 16 | 22, 3, 64});     // %3 is f64
  both({4u << 16 | 23, 4, 2, 4});   // %4 is vector<4xi32>
  null(1, 10, {3u << 16 | 42, 1, 10});
  null(2, 11, {4u << 16 | 43, 2, 11, 0});
  null(3, 12, {5u << 16 | 43, 3, 12, 0, 0});
  null(4, 13, {3u << 16 | 46, 4, 13});
  EXPECT_EQ(WithoutScalarNulls(Bytes(module)), Bytes(expected));
}

TEST(OpenClBitcodeTest, AMissingTranslatorIsAnError) {
  EXPECT_FALSE(IsInPath("llvm-spirv-0"));
  EXPECT_EQ(
      TranslateToBitcode(testing::ModuleOf("kernels"), "llvm-spirv-0").status().message(),
      "llvm-spirv-0 cannot translate the SPIR-V module: ");
}

TEST(OpenClBitcodeTest, ADamagedModuleIsAnError) {
  const std::string translator = "llvm-spirv-15";
  if (!IsInPath(translator)) GTEST_SKIP() << translator << " is not in PATH";
  std::string module = testing::ModuleOf("kernels");
  EXPECT_EQ(TranslateToBitcode(module, translator)->substr(0, 2), "BC");
  module[0] = 0;  // of the magic number
  EXPECT_EQ(TranslateToBitcode(module, translator).status().code(),
            StatusCode::kInternal);
}

}  // namespace
}  // namespace tenon::opencl
