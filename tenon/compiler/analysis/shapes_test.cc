// Tests the dimension maps of reshapes, and the recognition of prefix scans.
#include <functional>
#include <numeric>
#include <string>

#include "gtest/gtest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/analysis/dimension_maps.h"
#include "tenon/compiler/analysis/prefix_scan.h"

namespace tenon::compiler {
namespace {

using Shape = std::vector<int64_t>;

// All shapes of `total` elements and at most `rank` dimensions.
std::vector<Shape> ShapesOf(int64_t total, int rank) {
  if (rank == 0) return total == 1 ? std::vector<Shape>{{}} : std::vector<Shape>{};
  std::vector<Shape> shapes = ShapesOf(total, rank - 1);
  for (int64_t last = 1; last <= total; ++last) {
    if (total % last) continue;
    for (Shape shape : ShapesOf(total / last, rank - 1)) {
      if (static_cast<int>(shape.size()) + 1 != rank) continue;
      shape.push_back(last);
      shapes.push_back(shape);
    }
  }
  return shapes;
}

int64_t ElementsAfter(const Shape& shape, int64_t dim) {
  return std::accumulate(shape.begin() + dim + 1, shape.end(), int64_t{1},
                         std::multiplies<>());
}

// Two dimensions are the same if they have the same size and stride.
TEST(ReshapedDimTest, SizeAndStrideAgree) {
  int found = 0;
  for (int64_t total : {1, 2, 4, 12}) {
    std::vector<Shape> shapes = ShapesOf(total, 4);
    for (const Shape& to : shapes) {
      for (const Shape& from : shapes) {
        for (int64_t dim = 0; dim < static_cast<int64_t>(to.size()); ++dim) {
          auto same = [&](int64_t d) {
            return from[d] == to[dim] && ElementsAfter(from, d) == ElementsAfter(to, dim);
          };
          bool exists = false;
          for (int64_t d = 0; d < static_cast<int64_t>(from.size()); ++d)
            exists = exists || same(d);
          auto reshaped = ReshapedDim(to, from, dim);
          ASSERT_EQ(reshaped.has_value(), exists);
          ASSERT_TRUE(!reshaped || same(*reshaped));
          found += exists;
        }
      }
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(ReshapedDimTest, SplitAndMergedDimensions) {
  EXPECT_EQ(ReshapedDim({2, 3, 4}, {6, 4}, 2), 1);
  EXPECT_EQ(ReshapedDim({2, 3, 4}, {6, 4}, 0), std::nullopt);
  EXPECT_EQ(ReshapedDim({6, 4}, {2, 3, 4}, 0), std::nullopt);
  EXPECT_EQ(ReshapedDim({4, 4}, {2, 2, 4}, 1), 2);
  EXPECT_EQ(ReshapedDim({4}, {1, 4, 1}, 0), 1);
  EXPECT_EQ(ReshapedDim({4}, {1, 4, 1}, kNoDim), kNoDim);
  EXPECT_EQ(ReshapedDim({0, 3}, {0, 3}, 1), 1);
}

class PrefixScanTest : public testing::Test {
 protected:
  // `window` and `padding` of a sum over windows of `shape`.
  std::optional<PrefixScan> Scan(const std::string& window, const std::string& padding,
                                 const std::string& shape = "8x40",
                                 const std::string& more = "", std::string result = "") {
    if (result.empty()) result = shape;
    const std::string type = "tensor<" + shape + "xf32>";
    context_.loadDialect<stablehlo::StableHLODialect, mlir::func::FuncDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%x: " + type +
            ", %z: tensor<f32>) {\n"
            "%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: " +
            window + ">, padding = dense<" + padding + "> : tensor<2x2xi64>" + more +
            R"(}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
        }) : ()" +
            type + ", tensor<f32>) -> tensor<" + result + "xf32>\nreturn\n}",
        &context_);
    EXPECT_TRUE(module_);
    std::optional<PrefixScan> scan;
    if (module_)
      module_->walk([&](stablehlo::ReduceWindowOp op) { scan = AsPrefixScan(op); });
    return scan;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(PrefixScanTest, FromEitherEnd) {
  auto scan = Scan("1, 40", "[[0, 0], [39, 0]]");
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->dim, 1);
  EXPECT_FALSE(scan->reverse);
  scan = Scan("1, 40", "[[0, 0], [0, 39]]");
  ASSERT_TRUE(scan);
  EXPECT_TRUE(scan->reverse);
}

TEST_F(PrefixScanTest, OtherWindows) {
  EXPECT_FALSE(Scan("1, 39", "[[0, 0], [38, 0]]"));   // not all elements
  EXPECT_FALSE(Scan("1, 41", "[[0, 0], [40, 0]]"));   // more than all
  EXPECT_FALSE(Scan("1, 40", "[[0, 0], [20, 19]]"));  // from the middle
  EXPECT_FALSE(Scan("8, 40", "[[7, 0], [39, 0]]"));   // two dimensions
  EXPECT_FALSE(Scan("1, 1", "[[0, 0], [0, 0]]"));
  EXPECT_FALSE(Scan("1, 40", "[[0, 0], [39, 0]]", "8x40",
                    ", window_strides = array<i64: 1, 2>", "8x20"));
}

// Columns in lanes make scans of fewer elements worth it.
TEST_F(PrefixScanTest, ShortWindows) {
  EXPECT_TRUE(Scan("1, 8", "[[0, 0], [7, 0]]", "40x8"));
  EXPECT_FALSE(Scan("1, 7", "[[0, 0], [6, 0]]", "40x7"));
  EXPECT_TRUE(Scan("4, 1", "[[3, 0], [0, 0]]", "4x8"));
  EXPECT_FALSE(Scan("3, 1", "[[2, 0], [0, 0]]", "3x8"));
  EXPECT_FALSE(Scan("7, 1", "[[6, 0], [0, 0]]", "7x7"));
  EXPECT_TRUE(Scan("8, 1", "[[7, 0], [0, 0]]", "8x7"));
}

}  // namespace
}  // namespace tenon::compiler
