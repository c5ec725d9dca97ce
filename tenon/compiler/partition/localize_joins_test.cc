// Concatenations of slices along a split dimension.
#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

constexpr char kSplit[] = R"([{"x"}, {}])";

// Slices `[begin, end)` of %a: tensor<rows x 5>, concatenated.
std::string Slices(const std::vector<std::pair<int64_t, int64_t>>& slices,
                   int64_t rows = 16, const std::string& type = "i32") {
  const auto tensor = [&](int64_t size) {
    return "tensor<" + std::to_string(size) + "x5x" + type + ">";
  };
  std::string ops, operands, types;
  int64_t total = 0;
  for (auto [begin, end] : slices) {
    const std::string name = "%s" + std::to_string(total);
    ops += name + " = stablehlo.slice %a [" + std::to_string(begin) + ":" +
           std::to_string(end) + ", 0:5] : (" + tensor(rows) + ") -> " +
           tensor(end - begin) + "\n";
    operands += (total ? ", " : "") + name;
    types += (total ? ", " : "") + tensor(end - begin);
    total += end - begin;
  }
  return "func.func @main(%a: " + tensor(rows) + " " + Arg(kSplit) + ") -> (" +
         tensor(total) + " " + Arg(kSplit) + ") {\n" + ops +
         "%r = stablehlo.concatenate " + operands + ", dim = 0 " + On(kSplit) + " : (" +
         types + ") -> " + tensor(total) + "\nreturn %r : " + tensor(total) + "\n}";
}

// The ends of the parts of two shards that follow each other.
TEST(LocalizeJoinsTest, RollsExchangeBorders) {
  EXPECT_PARTITION(Slices({{15, 16}, {0, 15}}), "collective_permute 1");
  EXPECT_PARTITION(Slices({{1, 16}, {0, 1}}), "collective_permute 1");
  EXPECT_PARTITION(Slices({{1, 16}, {0, 1}}, 16, "bf16"), "collective_permute 1");
  EXPECT_PARTITION(Slices({{6, 16}, {0, 6}}), "collective_permute 2");
  EXPECT_PARTITION(Slices({{8, 16}, {0, 8}}), "collective_permute 1");
  // Neighboring slices are one.
  EXPECT_PARTITION(Slices({{15, 16}, {0, 3}, {3, 15}}), "collective_permute 1");
  EXPECT_PARTITION(Slices({{0, 7}, {7, 16}}), "");
}

TEST(LocalizeJoinsTest, OtherSlicesAreWindows) {
  // The edge is repeated.
  EXPECT_PARTITION(Slices({{0, 1}, {0, 15}}), "collective_permute 1");
  EXPECT_PARTITION(Slices({{1, 16}, {15, 16}}), "collective_permute 1");
  // Parts of the result have another size.
  EXPECT_PARTITION(Slices({{3, 9}, {10, 12}}), "collective_permute 4");
  // Rolls by less than a part, and by more, of parts of two elements.
  EXPECT_PARTITION(Slices({{1, 8}, {0, 1}}, 8), "collective_permute 1");
  EXPECT_PARTITION(Slices({{5, 8}, {0, 5}}, 8), "collective_permute 2");
  // More pieces than there are shards: gathered.
  EXPECT_PARTITION(Slices({{3, 4}, {0, 2}, {14, 15}, {8, 11}, {7, 8}, {1, 4}, {11, 16}}),
                   "all_gather 1");
}

// A tensor that every device has is not split. Its window is taken from it.
TEST(LocalizeJoinsTest, OtherTensorsAreWhole) {
  EXPECT_PARTITION("func.func @main(%a: tensor<16x5xi32> " + Arg(kSplit) +
                       ", %b: tensor<1x5xi32>) -> (tensor<16x5xi32> " + Arg(kSplit) +
                       R"() {
    %s = stablehlo.slice %a [0:15, 0:5] : (tensor<16x5xi32>) -> tensor<15x5xi32>
    %r = stablehlo.concatenate %b, %s, dim = 0 )" +
                       On(kSplit) +
                       R"( : (tensor<1x5xi32>, tensor<15x5xi32>) -> tensor<16x5xi32>
    return %r : tensor<16x5xi32>
  })",
                   "collective_permute 1");
  EXPECT_PARTITION("func.func @main(%a: tensor<16x5xi32> " + Arg(kSplit) +
                       ", %b: tensor<3x5xi32>) -> (tensor<16x5xi32> " + Arg(kSplit) +
                       R"() {
    %s = stablehlo.slice %a [2:15, 0:5] : (tensor<16x5xi32>) -> tensor<13x5xi32>
    %r = stablehlo.concatenate %s, %b, dim = 0 )" +
                       On(kSplit) +
                       R"( : (tensor<13x5xi32>, tensor<3x5xi32>) -> tensor<16x5xi32>
    return %r : tensor<16x5xi32>
  })",
                   "collective_permute 1");
}

// The slice has another user, which gets it whole.
TEST(LocalizeJoinsTest, OtherUsersGetTheSlice) {
  EXPECT_PARTITION(
      "func.func @main(%a: tensor<16x5xi32> " + Arg(kSplit) + ") -> (tensor<16x5xi32> " +
          Arg(kSplit) + R"(, tensor<15x5xi32> {sdy.sharding =
          #sdy.sharding<@mesh, [{}, {}]>}) {
    %s = stablehlo.slice %a [0:15, 0:5] : (tensor<16x5xi32>) -> tensor<15x5xi32>
    %t = stablehlo.slice %a [15:16, 0:5] : (tensor<16x5xi32>) -> tensor<1x5xi32>
    %r = stablehlo.concatenate %t, %s, dim = 0 )" +
          On(kSplit) + R"( : (tensor<1x5xi32>, tensor<15x5xi32>) -> tensor<16x5xi32>
    return %r, %s : tensor<16x5xi32>, tensor<15x5xi32>
  })",
      "all_gather 1, collective_permute 1");
}

}  // namespace
}  // namespace tenon::compiler::partition
