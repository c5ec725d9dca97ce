// Clusters that are full, which a test in text would need hundreds of lines for.
#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/analysis/host_scalars.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/import/import.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

constexpr char kType[] = "tensor<64x64xf32>";

class FindClustersTest : public testing::Test {
 protected:
  // Adds `count` ops, each of the one before; the first of `x`. Returns the last value.
  std::string Chain(const std::string& x, int count) {
    std::string last = x;
    for (int i = 0; i < count; ++i) last = Op("stablehlo.cosine", {last});
    return last;
  }

  std::string Op(const std::string& name, const std::vector<std::string>& operands) {
    std::string value = "%" + std::to_string(next_++);
    text_ += value + " = " + name + " " + operands[0];
    if (operands.size() > 1) text_ += ", " + operands[1];
    text_ += std::string(" : ") + kType + "\n";
    return value;
  }

  // Returns the number of kernels, or -1 if the clusters depend on each other.
  int Kernels(const std::string& result) {
    const std::string type(kType);
    auto module =
        ImportProgram(context_, "func.func @main(%x: " + type + ") -> " + type + " {\n" +
                                    text_ + "return " + result + " : " + type + "\n}\n");
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    if (!module.ok()) return -1;
    context_.loadDialect<ir::TenonDialect>();
    module_ = std::move(*module);
    auto function = *module_->getOps<mlir::func::FuncOp>().begin();
    mlir::Block& block = function.getBody().front();
    const HostScalars hosts(function, /*on_device=*/false);
    if (!EmitFusions(block, FindClusters(block, TargetTraits(), hosts)).ok()) return -1;
    auto fusions = block.getOps<ir::FusionOp>();
    return static_cast<int>(std::distance(fusions.begin(), fusions.end()));
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;

 private:
  std::string text_;
  int next_ = 0;
};

TEST_F(FindClustersTest, SumsThatOverflowAFullKernelShareTheNext) {
  // A weighted sum and the sum of its weights, of 400 ops.
  std::string sum = "%x", weights = "%x";
  for (int i = 0; i < 100; ++i) {
    std::string weight = Chain(weights, 1);
    sum = Op("stablehlo.add", {sum, Op("stablehlo.multiply", {weight, "%x"})});
    weights = Op("stablehlo.add", {weights, weight});
  }
  EXPECT_EQ(Kernels(Op("stablehlo.divide", {sum, weights})), 2);
}

TEST_F(FindClustersTest, AnOperandOfWhatTheNextKernelNeedsStaysOutside) {
  // The first operand of the full kernel needs a product of the second one: one kernel
  // cannot compute both.
  std::string second = Chain("%x", 3);
  std::string product = Op("stablehlo.cholesky", {second});
  std::string first = Chain(product, 3);
  std::string full = Op("stablehlo.add", {first, second});
  EXPECT_EQ(Kernels(Chain(full, 255)), 3);
}

}  // namespace
}  // namespace tenon::compiler
