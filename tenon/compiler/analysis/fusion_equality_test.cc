#include "tenon/compiler/analysis/fusion_equality.h"

#include <string>

#include "gtest/gtest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

// A fusion that reduces eight numbers by `combined`, starting at `init`, and multiplies
// the result by `factor`.
std::string Fusion(const std::string& init, const std::string& combined,
                   const std::string& factor) {
  return R"(
    tenon.fusion loop(%a) {
    ^bb0(%u: tensor<8xf32>):
      %0 = stablehlo.constant dense<)" +
         init + R"(> : tensor<f32>
      %1 = "stablehlo.reduce"(%u, %0) <{dimensions = array<i64: 0>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = "stablehlo.)" +
         combined + R"("(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%s) : (tensor<f32>) -> ()
      }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.constant dense<)" +
         factor + R"(> : tensor<f32>
      %3 = stablehlo.multiply %1, %2 : tensor<f32>
      tenon.yield %3 : tensor<f32>
    } : (tensor<8xf32>) -> tensor<f32>
)";
}

class FusionEqualityTest : public testing::Test {
 protected:
  // Whether fusions `a` and `b` are equal. Checks that equal ones have equal hashes.
  bool Equal(const std::string& a, const std::string& b, SplatValues splats) {
    context_.loadDialect<ir::TenonDialect, stablehlo::StableHLODialect,
                         mlir::func::FuncDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%a: tensor<8xf32>) { %x = " + a + " %y = " + b + " return }",
        &context_);
    EXPECT_TRUE(module);
    if (!module) return false;
    llvm::SmallVector<ir::FusionOp> fusions;
    module->walk([&](ir::FusionOp fusion) { fusions.push_back(fusion); });
    bool equal = EqualFusions(fusions[0], fusions[1], splats);
    if (equal)
      EXPECT_EQ(HashOfFusion(fusions[0], splats), HashOfFusion(fusions[1], splats));
    return equal;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(FusionEqualityTest, SameOps) {
  std::string fusion = Fusion("0.0", "add", "2.0");
  EXPECT_TRUE(Equal(fusion, fusion, SplatValues::kCompared));
  EXPECT_TRUE(Equal(fusion, fusion, SplatValues::kIgnored));
}

TEST_F(FusionEqualityTest, OtherNumbers) {
  std::string one = Fusion("0.0", "add", "2.0"), other = Fusion("0.0", "add", "3.0");
  EXPECT_FALSE(Equal(one, other, SplatValues::kCompared));
  EXPECT_TRUE(Equal(one, other, SplatValues::kIgnored));
}

TEST_F(FusionEqualityTest, DifferentOpsInARegion) {
  std::string one = Fusion("0.0", "add", "2.0"), other = Fusion("0.0", "maximum", "2.0");
  EXPECT_FALSE(Equal(one, other, SplatValues::kCompared));
  EXPECT_FALSE(Equal(one, other, SplatValues::kIgnored));
}

}  // namespace
}  // namespace tenon::compiler
