// Tests what PoCL's devices need: see tests/opencl for programs on them.
#include "tenon/devices/opencl/bitcode.h"

#include <gtest/gtest.h>

#include <string>

#include "tenon/devices/opencl/testing.h"

namespace tenon::opencl {
namespace {

TEST(OpenClBitcodeTest, PoclsPlatformNamesTheTranslator) {
  const std::string pocl = "Portable Computing Language";
  EXPECT_EQ(
      TranslatorOf(pocl, "OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC, LLVM 15.0.6, X"),
      "llvm-spirv-15");
  EXPECT_EQ(TranslatorOf(pocl, "OpenCL 3.0 PoCL"), "");
  EXPECT_EQ(TranslatorOf("Intel(R) OpenCL", "OpenCL 3.0 LLVM 15.0.6"), "");
}

TEST(OpenClBitcodeTest, AMissingTranslatorIsAnError) {
  EXPECT_FALSE(IsInPath("llvm-spirv-0"));
  EXPECT_EQ(
      TranslateToBitcode(testing::ModuleOf("kernels"), "llvm-spirv-0").status().message(),
      "llvm-spirv-0 cannot translate the SPIR-V module: No such file or "
      "directory");
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
