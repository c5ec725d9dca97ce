// Tests which code is built into programs that contain the compiler.
#include <gtest/gtest.h>

#include <set>

#include "llvm/ADT/StringExtras.h"
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

std::string RealTransform(int64_t rows, int64_t length, bool inverse = false) {
  const std::string outer = "tensor<" + std::to_string(rows) + "x";
  std::string from = outer + std::to_string(length) + "xf32>";
  std::string to = outer + std::to_string(length / 2 + 1) + "xcomplex<f32>>";
  if (inverse) std::swap(from, to);
  return "func.func @main(%x: " + from + ") -> " + to +
         " {\n%0 = stablehlo.fft %x, type = " + (inverse ? "IRFFT" : "RFFT") +
         ", length = [" + std::to_string(length) + "] : (" + from + ") -> " + to +
         "\nreturn %0 : " + to + "\n}";
}

// Compiles programs, and sorts the shared functions that they call by whether they are
// built in.
class BuiltInCodeTest : public ::testing::Test {
 protected:
  void CompileFor(const std::string& level, const std::string& program) {
    CompilerConfig config;
    config.target = "x86_64:" + level;
    config.on_shared_code = [&](std::string_view key, std::string_view) {
      if (FindBuiltInCode(key))
        ++found_;
      else
        missing_.emplace(key);
    };
    ASSERT_TRUE(Compile({program, {}}, config).ok()) << program;
  }
  void ExpectNoneMissing() {
    EXPECT_TRUE(missing_.empty()) << missing_.size() << " functions:\n"
                                  << llvm::join(missing_, "\n");
  }

  std::set<std::string> missing_;
  int found_ = 0;
};

std::string ColumnTransform(const std::string& kind, int64_t rows, int64_t columns) {
  const std::string sizes = std::to_string(rows) + "x" + std::to_string(columns);
  const std::string type = "tensor<" + sizes + "xcomplex<f32>>";
  return "func.func @main(%x: " + type + ") -> " + type +
         " {\n%0 = stablehlo.fft %x, type = " + kind + ", length = [" +
         std::to_string(rows) + ", " + std::to_string(columns) + "] : (" + type +
         ") -> " + type + "\nreturn %0 : " + type + "\n}";
}

TEST_F(BuiltInCodeTest, HasTheStepsOfColumns) {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (const char* kind : {"FFT", "IFFT"})
      for (int64_t rows : {5, 8, 11, 13, 31, 96})
        for (int64_t columns : {7, 16, 37})
          CompileFor(level, ColumnTransform(kind, rows, columns));
  EXPECT_GE(found_, 3 * 2 * 6 * 3);
  ExpectNoneMissing();
}

TEST_F(BuiltInCodeTest, HasTheStepsOfTransforms) {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    for (const std::string& program :
         {Transform(100, 64, "f32"), Transform(64, 100, "f64"), Transform(1, 8192, "f32"),
          Transform(33, 48, "f32"), Transform(2, 10000, "f64"),
          Transform(512, 256, "f32"), Transform(1, 1 << 18, "f32"),
          Transform(1, 1511, "f32"), Transform(64, 1511, "f32"),
          Transform(10, 521, "f64"), Transform(3, 20011, "f64"), RealTransform(1, 512),
          RealTransform(1, 1 << 17), RealTransform(64, 3 * 5 * 7 * 9),
          RealTransform(33, 11 * 13 * 17), RealTransform(64, 9 * 1511),
          RealTransform(100, 2187, true), RealTransform(33, 3 * 1511, true)})
      CompileFor(level, program);
  }
  EXPECT_GE(found_, 3 * 13 * 3);
  ExpectNoneMissing();
}

std::string Product(int64_t rows, int64_t columns, int64_t k) {
  auto type = [](int64_t x, int64_t y) {
    return "tensor<" + std::to_string(x) + "x" + std::to_string(y) + "xf32>";
  };
  const std::string types =
      "(" + type(rows, k) + ", " + type(k, columns) + ") -> " + type(rows, columns);
  return "func.func @main(%x: " + type(rows, k) + ", %y: " + type(k, columns) + ") -> " +
         type(rows, columns) +
         " {\n%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : " +
         types + "\nreturn %0 : " + type(rows, columns) + "\n}";
}

// A filter of 3x3 with one element of padding on all sides. `groups` is 1 or `features`.
std::string Convolution(int64_t size, int64_t features, int64_t groups) {
  const std::string f = std::to_string(features);
  const std::string type =
      "tensor<1x" + std::to_string(size) + "x" + std::to_string(size) + "x" + f + "xf32>";
  const std::string filter =
      "tensor<3x3x" + std::to_string(features / groups) + "x" + f + "xf32>";
  return "func.func @main(%x: " + type + ", %w: " + filter + ") -> " + type +
         " {\n%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
         "o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : "
         "i64, feature_group_count = " +
         std::to_string(groups) + " : i64} : (" + type + ", " + filter + ") -> " + type +
         "\nreturn %0 : " + type + "\n}";
}

std::string Sort(int64_t length, const std::string& element) {
  const std::string type = "tensor<" + std::to_string(length) + "x" + element + ">";
  const std::string scalar = "tensor<" + element + ">";
  return "func.func @main(%x: " + type + ") -> " + type +
         " {\n%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: " + scalar + ", %b: " + scalar +
         "):\n%1 = stablehlo.compare LT, %a, %b, TOTALORDER : (" + scalar + ", " +
         scalar + ") -> tensor<i1>\nstablehlo.return %1 : tensor<i1>\n}) : (" + type +
         ") -> " + type + "\nreturn %0 : " + type + "\n}";
}

std::string TopK(int64_t length, int64_t k, const std::string& element) {
  const std::string values = "tensor<" + std::to_string(k) + "x" + element + ">";
  const std::string type = "tensor<" + std::to_string(length) + "x" + element + ">";
  return "func.func @main(%x: " + type + ") -> " + values +
         " {\n%v, %i = chlo.top_k(%x, k = " + std::to_string(k) + ") : " + type +
         " -> (" + values + ", tensor<" + std::to_string(k) +
         "xi32>)\nreturn %v : " + values + "\n}";
}

TEST_F(BuiltInCodeTest, HasTilesAndSorts) {
  for (const char* level : {"x86-64-v3", "x86-64-v4"}) {
    for (const std::string& program :
         {Product(512, 512, 512), Product(1024, 1024, 1024), Product(100, 100, 100),
          Product(300, 333, 100), Product(3, 50, 40), Product(64, 33, 7),
          Convolution(56, 64, 1), Convolution(7, 512, 1), Convolution(56, 64, 64),
          Sort(100, "f32"), Sort(10000, "f32"), Sort(100000, "f64"),
          TopK(70000, 20, "f32"), TopK(500, 3, "bf16"), TopK(9000, 900, "i64")}) {
      const int before = found_;
      CompileFor(level, program);
      EXPECT_GT(found_, before) << program;
    }
  }
  ExpectNoneMissing();
}

// All large primes share functions.
TEST_F(BuiltInCodeTest, HasStepsOfLargePrimes) {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (int64_t length : {101, 202, 257, 755})
      CompileFor(level, Transform(64, length, "f32"));
  ExpectNoneMissing();
}

}  // namespace
}  // namespace tenon::compiler
