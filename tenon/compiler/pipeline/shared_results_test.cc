// Which results and temporaries several devices of a program may keep in the same memory.
#include <gtest/gtest.h>

#include "tenon/compiler/compile.h"

namespace tenon::compiler {
namespace {

std::string AllReduce(const std::string& value,
                      const std::string& groups = "[[0, 1, 2, 3]]",
                      const std::string& type = "tensor<8x4xf32>") {
  return R"("stablehlo.all_reduce"()" + value + ") ({\n" +
         "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" +
         "%t = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %t : tensor<f32>\n" +
         "}) {replica_groups = dense<" + groups + "> : tensor<" +
         (groups.find("], [") == std::string::npos ? "1x4" : "2x2") + "xi64>} : (" +
         type + ") -> " + type + "\n";
}

// By which collective the results of a program of four devices are shared, or -1.
std::vector<int64_t> Shared(const std::string& body, const std::string& results,
                            const std::string& argument = "") {
  const std::string code =
      "module @m attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} "
      "{\n"
      "func.func public @main(%a: tensor<8x4xf32>" +
      argument + ") -> (" + results + ") {\n" + body + "}\n}";
  StatusOr<Image> image = Compile({code, {}}, {});
  EXPECT_TRUE(image.ok()) << image.status().ToString();
  std::vector<int64_t> shared;
  if (!image.ok()) return shared;
  for (const ImageTensor& result : image->info.results)
    shared.push_back(result.shared_by);
  return shared;
}

TEST(SharedResultsTest, ThoseThatOneCollectiveOfAllDevicesWrites) {
  EXPECT_EQ(Shared("%r = " + AllReduce("%a") + "return %r : tensor<8x4xf32>\n",
                   "tensor<8x4xf32>"),
            std::vector<int64_t>{0});
  EXPECT_EQ(Shared(R"(%r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64,
      replica_groups = dense<[[3, 1, 2, 0]]> : tensor<1x4xi64>}
      : (tensor<8x4xf32>) -> tensor<32x4xf32>
      return %r : tensor<32x4xf32>
)",
                   "tensor<32x4xf32>"),
            std::vector<int64_t>{0});
}

TEST(SharedResultsTest, NotThoseThatEachDeviceWrites) {
  // Computed by each device before or after the sum.
  EXPECT_EQ(Shared("%n = stablehlo.negate %a : tensor<8x4xf32>\n%r = " + AllReduce("%n") +
                       "%s = stablehlo.add %r, %r : tensor<8x4xf32>\n"
                       "return %n, %s : tensor<8x4xf32>, tensor<8x4xf32>\n",
                   "tensor<8x4xf32>, tensor<8x4xf32>"),
            (std::vector<int64_t>{-1, -1}));
  // A device's own argument.
  EXPECT_EQ(Shared("return %a : tensor<8x4xf32>\n", "tensor<8x4xf32>"),
            std::vector<int64_t>{-1});
  // Each has its part.
  EXPECT_EQ(Shared(R"(%r = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64,
      concat_dimension = 1 : i64, split_count = 4 : i64,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}
      : (tensor<8x4xf32>) -> tensor<2x16xf32>
      return %r : tensor<2x16xf32>
)",
                   "tensor<2x16xf32>"),
            std::vector<int64_t>{-1});
}

TEST(SharedResultsTest, MembersOfAGroupShare) {
  EXPECT_EQ(Shared("%r = " + AllReduce("%a", "[[0, 1], [2, 3]]") +
                       "return %r : tensor<8x4xf32>\n",
                   "tensor<8x4xf32>"),
            std::vector<int64_t>{0});
}

// Weights in the storage of donated ones, which kernels read before they are replaced.
TEST(SharedResultsTest, ThoseInTheStorageOfArguments) {
  const std::string update = R"(%t = stablehlo.add %s, %s : tensor<2x4xf32>
      %r = "stablehlo.all_gather"(%t) {all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}
      : (tensor<2x4xf32>) -> tensor<8x4xf32>
      return %r : tensor<8x4xf32>
)";
  EXPECT_EQ(Shared("%s = stablehlo.slice %a [2:4, 0:4] : (tensor<8x4xf32>) -> "
                   "tensor<2x4xf32>\n" +
                       update,
                   "tensor<8x4xf32>", " {tf.aliasing_output = 0 : i32}"),
            std::vector<int64_t>{0});
  // Each device writes it alone.
  EXPECT_EQ(Shared("%r = stablehlo.negate %a : tensor<8x4xf32>\n"
                   "return %r : tensor<8x4xf32>\n",
                   "tensor<8x4xf32>", " {tf.aliasing_output = 0 : i32}"),
            std::vector<int64_t>{-1});
}

// The collectives and bytes of the shared segments of a program of four devices.
std::vector<std::pair<int64_t, uint64_t>> Segments(const std::string& body) {
  const std::string code =
      "module @m attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} "
      "{\nfunc.func public @main(%a: tensor<1024xf32>) -> tensor<1024xf32> {\n" +
      body + "return %r : tensor<1024xf32>\n}\n}";
  StatusOr<Image> image = Compile({code, {}}, {});
  EXPECT_TRUE(image.ok()) << image.status().ToString();
  std::vector<std::pair<int64_t, uint64_t>> segments;
  if (!image.ok()) return segments;
  for (const SharedSegment& segment : image->code_objects[0].shared_segments)
    segments.emplace_back(segment.site, segment.bytes);
  return segments;
}

std::string Sum(const std::string& result, const std::string& operand,
                const std::string& groups = "[[0, 1, 2, 3]]") {
  return result + " = " + AllReduce(operand, groups, "tensor<1024xf32>");
}
std::string Cosine(const std::string& result, const std::string& operand) {
  return result + " = stablehlo.cosine " + operand + " : tensor<1024xf32>\n";
}

using SegmentList = std::vector<std::pair<int64_t, uint64_t>>;

TEST(SharedSegmentsTest, HoldWhatCollectivesOfTheSameGroupsWrite) {
  // The second sum is written when all have read the first.
  EXPECT_EQ(Segments(Sum("%b", "%a") + Cosine("%c", "%b") + Sum("%d", "%c") +
                     Cosine("%r", "%d")),
            (SegmentList{{0, 4096}}));
  // The first is read behind the second.
  EXPECT_EQ(Segments(Sum("%b", "%a") + Cosine("%c", "%b") + Sum("%d", "%c") +
                     "%r = stablehlo.add %b, %d : tensor<1024xf32>\n"),
            (SegmentList{{0, 8192}}));
}

TEST(SharedSegmentsTest, OtherGroupsHaveAnotherSegment) {
  EXPECT_EQ(Segments(Sum("%b", "%a", "[[0, 1], [2, 3]]") + Cosine("%c", "%b") +
                     Sum("%d", "%c") + Cosine("%e", "%d") +
                     Sum("%f", "%e", "[[3, 2], [0, 1]]") + Cosine("%r", "%f")),
            (SegmentList{{0, 4096}, {1, 4096}}));
}

TEST(SharedSegmentsTest, DoNotHoldWhatMembersMayWriteOrHaveForThemselves) {
  // Each member has a part of its own.
  EXPECT_EQ(Segments(R"(%b = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64,
      concat_dimension = 0 : i64, split_count = 4 : i64,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}
      : (tensor<1024xf32>) -> tensor<1024xf32>
)" + Cosine("%r", "%b")),
            SegmentList{});
  // Too small to be worth it.
  EXPECT_EQ(
      Segments(R"(%s = stablehlo.slice %a [0:32] : (tensor<1024xf32>) -> tensor<32xf32>
      %y = stablehlo.reshape %s : (tensor<32xf32>) -> tensor<8x4xf32>
      %u = )" + AllReduce("%y") +
               R"(%v = stablehlo.reshape %u : (tensor<8x4xf32>) -> tensor<32xf32>
      %w = stablehlo.slice %a [32:1024] : (tensor<1024xf32>) -> tensor<992xf32>
      %r = stablehlo.concatenate %v, %w, dim = 0 : (tensor<32xf32>, tensor<992xf32>) -> tensor<1024xf32>
)"),
      SegmentList{});
}

}  // namespace
}  // namespace tenon::compiler
