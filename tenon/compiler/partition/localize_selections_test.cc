// top_k along a split dimension, and slices of what was moved.
#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

// The first `k` of each row of a tensor of `type` and `shape`, which `dims` split. Whole
// numbers below ten: many values are equal.
std::string TopK(const std::string& shape, const std::string& dims, int64_t k,
                 const std::string& type = "i32") {
  const size_t columns = shape.rfind('x') + 1;  // 0 for one dimension
  const std::string rows = shape.substr(0, columns);
  const auto tensor = [&](int64_t count, const std::string& element) {
    return "tensor<" + rows + std::to_string(count) + "x" + element + ">";
  };
  const std::string operand = tensor(std::stoll(shape.substr(columns)), type);
  const std::string results = "(" + tensor(k, type) + ", " + tensor(k, "i32") + ")";
  return "func.func @main(%a: " + operand + " " + Arg(dims) + ") -> " + results +
         " {\n%v, %i = chlo.top_k(%a, k = " + std::to_string(k) + ") : " + operand +
         " -> " + results + "\nreturn %v, %i : " + results.substr(1, results.size() - 2) +
         "\n}";
}

TEST(LocalizeSelectionsTest, TopKSelectsFromParts) {
  EXPECT_PARTITION(TopK("8x64", R"([{}, {"x"}])", 5), "all_to_all 2");
  EXPECT_PARTITION(TopK("8x64", R"([{"y"}, {"x"}])", 5), "all_to_all 2");
  EXPECT_PARTITION(TopK("8x64", R"([{}, {"x", "y"}])", 5, "bf16"), "all_to_all 2");
  EXPECT_PARTITION(TopK("8x64", R"([{}, {"y"}])", 1, "f32"), "all_to_all 2");
  // No other dimension can be split.
  EXPECT_PARTITION(TopK("3x64", R"([{}, {"x"}])", 5), "all_gather 1");
  EXPECT_PARTITION(TopK("64", R"([{"x", "y"}])", 7), "all_gather 1");
}

TEST(LocalizeSelectionsTest, TopKOfManyElementsMovesTheOperand) {
  // As many candidates as elements.
  EXPECT_PARTITION(TopK("8x64", R"([{}, {"x"}])", 16), "all_to_all 1");
  EXPECT_PARTITION(TopK("8x64", R"([{}, {"x"}])", 64), "all_to_all 1");
  EXPECT_PARTITION(TopK("64", R"([{"x"}])", 16), "all_gather 1");
  // Rows are independent.
  EXPECT_PARTITION(TopK("8x64", R"([{"x", "y"}, {}])", 64), "");
}

// The sort is computed on whole columns. Its result should be split along the columns
// too, but the slice reads it where it is.
TEST(LocalizeSelectionsTest, SlicesReadWhatWasProduced) {
  EXPECT_PARTITION("func.func @main(%a: tensor<8x16xi32> " + Arg(R"([{}, {"x"}])") +
                       ") -> (tensor<8x4xi32> " + Arg(R"([{}, {"x"}])") + R"() {
    %s = "stablehlo.sort"(%a) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 1 : i64, )" +
                       On(R"([{}, {"x"}])").substr(1) +
                       R"( : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %r = stablehlo.slice %s [0:8, 3:7] : (tensor<8x16xi32>) -> tensor<8x4xi32>
    return %r : tensor<8x4xi32>
  })",
                   "all_to_all 2");
}

}  // namespace
}  // namespace tenon::compiler::partition
