// Tests which code is built into programs that contain the compiler.
#include <gtest/gtest.h>

#include <set>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/built_in_code.h"

namespace tenon::compiler {
namespace {

std::string Transform(int64_t rows, int64_t length, const std::string& real) {
  const std::string type = "tensor<" + std::to_string(rows) + "x" +
                           std::to_string(length) + "xcomplex<" + real + ">>";
  return "func.func @main(%x: " + type + ") -> " + type +
         " {\n%0 = stablehlo.fft %x, type = IFFT, length = [" + std::to_string(length) +
         "] : (" + type + ") -> " + type + "\nreturn %0 : " + type + "\n}";
}

TEST(BuiltInCode, HasTheStepsOfTransforms) {
  std::set<std::string> missing;
  int found = 0;
  CompilerConfig config;
  config.on_shared_code = [&](std::string_view key, std::string_view) {
    if (FindBuiltInCode(key))
      ++found;
    else
      missing.emplace(key);
  };
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    config.target = std::string("x86_64:") + level;
    for (const std::string& program :
         {Transform(100, 64, "f32"), Transform(64, 100, "f64"), Transform(1, 8192, "f32"),
          Transform(33, 48, "f32"), Transform(2, 10000, "f64"),
          Transform(512, 256, "f32")})
      ASSERT_TRUE(Compile({program, {}}, config).ok());
  }
  EXPECT_GE(found, 3 * 6 * 3);
  EXPECT_TRUE(missing.empty()) << missing.size() << " functions, like "
                               << *missing.begin();
}

// Large primes have functions of their own, which are generated.
TEST(BuiltInCode, HasNoStepsOfLargePrimes) {
  std::set<std::string> missing;
  CompilerConfig config;
  config.target = "x86_64:x86-64-v3";
  config.on_shared_code = [&](std::string_view key, std::string_view) {
    if (!FindBuiltInCode(key)) missing.emplace(key);
  };
  ASSERT_TRUE(Compile({Transform(64, 101, "f32"), {}}, config).ok());
  EXPECT_EQ(missing.size(), 1u);
}

}  // namespace
}  // namespace tenon::compiler
