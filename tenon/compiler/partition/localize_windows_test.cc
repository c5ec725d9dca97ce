// Windows, slices and the like along split dimensions: borders are exchanged.
#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

// One op of tensor<16x5xi32>, split along its first dimension by x.
std::string Op(const std::string& op, const std::string& type, const std::string& result,
               const std::string& dims = R"([{"x"}, {}])") {
  return "func.func @main(%a: tensor<16x5xi32> " + Arg(R"([{"x"}, {}])") + ") -> (" +
         result + " " + Arg(dims) +
         ") {\n%v = stablehlo.constant dense<7> : tensor<i32>\n"
         "%r = stablehlo." +
         op + " " + On(dims) + " : " + type + "\nreturn %r : " + result + "\n}";
}

TEST(LocalizeWindowsTest, EdgesAreShifted) {
  const auto same = "(tensor<16x5xi32>, tensor<i32>) -> tensor<16x5xi32>";
  // Each shard gets one row of a neighbor; the outermost gets the padding value.
  EXPECT_PARTITION(Op("pad %a, %v, low = [1, 0], high = [-1, 0], interior = [0, 0]", same,
                      "tensor<16x5xi32>"),
                   "collective_permute 1");
  EXPECT_PARTITION(Op("pad %a, %v, low = [-2, 1], high = [2, -1], interior = [0, 0]",
                      same, "tensor<16x5xi32>"),
                   "collective_permute 1");
  // Parts of another size come from several neighbors.
  EXPECT_PARTITION(
      Op("pad %a, %v, low = [3, 0], high = [5, 0], interior = [0, 0]",
         "(tensor<16x5xi32>, tensor<i32>) -> tensor<24x5xi32>", "tensor<24x5xi32>"),
      "collective_permute 2");
  EXPECT_PARTITION(Op("slice %a [4:12, 0:5]", "(tensor<16x5xi32>) -> tensor<8x5xi32>",
                      "tensor<8x5xi32>"),
                   "collective_permute 2");
  EXPECT_PARTITION(Op("slice %a [1:16:2, 0:5]", "(tensor<16x5xi32>) -> tensor<8x5xi32>",
                      "tensor<8x5xi32>"),
                   "");
  EXPECT_PARTITION(
      Op("reverse %a, dims = [0, 1]", "tensor<16x5xi32>", "tensor<16x5xi32>"),
      "collective_permute 1");
  EXPECT_PARTITION(
      Op("concatenate %a, %a, dim = 0",
         "(tensor<16x5xi32>, tensor<16x5xi32>) -> tensor<32x5xi32>", "tensor<32x5xi32>"),
      "collective_permute 4");
}

// Interior padding and results that the shards do not divide.
TEST(LocalizeWindowsTest, OtherEdgesAreGathered) {
  EXPECT_PARTITION(
      Op("pad %a, %v, low = [1, 0], high = [0, 0], interior = [1, 0]",
         "(tensor<16x5xi32>, tensor<i32>) -> tensor<32x5xi32>", "tensor<32x5xi32>"),
      "all_gather 1");
  EXPECT_PARTITION(Op("slice %a [1:16, 0:5]", "(tensor<16x5xi32>) -> tensor<15x5xi32>",
                      "tensor<15x5xi32>", "[{}, {}]"),
                   "all_gather 1");
}

std::string Convolution(const std::string& window, int64_t size,
                        const std::string& dims = R"([{}, {"x"}, {}])") {
  const std::string out = "tensor<3x" + std::to_string(size) + "x4xi32>";
  return "func.func @main(%a: tensor<3x16x3xi32> " + Arg(R"([{}, {"x"}, {}])") +
         ", %k: tensor<3x3x4xi32>) -> (" + out + " " + Arg(dims) +
         ") {\n%r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, "
         "0, f], window = {" +
         window + "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, " +
         On(dims).substr(1) + " : (tensor<3x16x3xi32>, tensor<3x3x4xi32>) -> " + out +
         "\nreturn %r : " + out + "\n}";
}

TEST(LocalizeWindowsTest, ConvolutionsExchangeBorders) {
  EXPECT_PARTITION(Convolution("stride = [1], pad = [[1, 1]]", 16),
                   "collective_permute 2");
  EXPECT_PARTITION(Convolution("stride = [1], pad = [[2, 0]]", 16),
                   "collective_permute 1");
  EXPECT_PARTITION(Convolution("stride = [2], pad = [[0, 1]]", 8),
                   "collective_permute 1");
  EXPECT_PARTITION(Convolution("stride = [1], pad = [[2, 2]], rhs_dilate = [2]", 16),
                   "collective_permute 2");
  // Windows over a dilated input differ between shards.
  EXPECT_PARTITION(Convolution("stride = [1], pad = [[1, 2]], lhs_dilate = [2]", 32),
                   "all_gather 1");
}

std::string Pool(const std::string& sizes, const std::string& padding) {
  return R"(func.func @main(
      %a: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %v = stablehlo.constant dense<-9> : tensor<i32>
    %r = "stablehlo.reduce_window"(%a, %v) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.maximum %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) {window_dimensions = array<i64: )" +
         sizes + ">, padding = dense<" + padding +
         R"(> : tensor<2x2xi64>} : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
    return %r : tensor<16x8xi32>
  })";
}

TEST(LocalizeWindowsTest, WindowsExchangeBorders) {
  EXPECT_PARTITION(Pool("3, 1", "[[1, 1], [0, 0]]"), "collective_permute 2");
  // More than one neighbor away.
  EXPECT_PARTITION(Pool("7, 1", "[[6, 0], [0, 0]]"), "collective_permute 2");
  // Running maxima need all parts: another dimension is split instead.
  EXPECT_PARTITION(Pool("16, 1", "[[15, 0], [0, 0]]"), "all_to_all 2");
}

std::string Update(int64_t size, const std::string& index) {
  const std::string update = "tensor<" + std::to_string(size) + "x5x" + "i32>";
  return "func.func @main(%a: tensor<16x5xi32> " + Arg(R"([{"x"}, {}])") +
         ", %u: " + update + ", %i: tensor<" + index + ">) -> (tensor<16x5xi32> " +
         Arg(R"([{"x"}, {}])") + ") {\n%j = stablehlo.constant dense<0> : tensor<" +
         index + ">\n%r = stablehlo.dynamic_update_slice %a, %u, %i, %j " +
         On(R"([{"x"}, {}])") + " : (tensor<16x5xi32>, " + update + ", tensor<" + index +
         ">, tensor<" + index + ">) -> tensor<16x5xi32>\nreturn %r : tensor<16x5xi32>\n}";
}

// As a cache of keys whose positions are split.
TEST(LocalizeWindowsTest, UpdatesStayOnTheirDevices) {
  for (int64_t size : {1, 3, 4, 5, 15}) EXPECT_PARTITION(Update(size, "i32"), "");
  EXPECT_PARTITION(Update(3, "i8"), "");
  EXPECT_PARTITION(Update(3, "ui8"), "");
  // i64 does not have all starts.
  EXPECT_PARTITION(Update(3, "ui64"), "all_gather 1");
}

}  // namespace
}  // namespace tenon::compiler::partition
