#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/import/import.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

constexpr char kChain[] = R"(
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %a : tensor<8xf32> loc("model.py":1:2)
    %1 = stablehlo.abs %0 : tensor<8xf32> loc("model.py":2:2)
    %2 = stablehlo.negate %1 : tensor<8xf32> loc("model.py":3:2)
    %3 = stablehlo.abs %2 : tensor<8xf32> loc("model.py":4:2)
    return %3 : tensor<8xf32>
  }
)";

// Puts the ops of kChain with the given numbers into clusters. The others stay outside.
class EmitFusionsTest : public testing::Test {
 protected:
  Status Emit(std::vector<std::vector<int>> groups) {
    auto module = ImportProgram(context_, kChain);
    if (!module.ok()) return module.status();
    context_.loadDialect<ir::TenonDialect>();
    module_ = std::move(*module);
    auto function = *module_->getOps<mlir::func::FuncOp>().begin();
    block_ = &function.getBody().front();
    std::vector<mlir::Operation*> ops;
    BlockClusters clusters;
    for (mlir::Operation& op : *block_) {
      clusters.positions[&op] = ops.size();
      ops.push_back(&op);
    }
    for (const std::vector<int>& group : groups) {
      auto cluster = std::make_unique<Cluster>();
      for (int number : group) {
        cluster->members.push_back(ops[number]);
        clusters.cluster_of[ops[number]] = cluster.get();
      }
      clusters.clusters.push_back(std::move(cluster));
    }
    return EmitFusions(*block_, std::move(clusters));
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Block* block_ = nullptr;
};

TEST_F(EmitFusionsTest, ClustersBecomeFusionsInOrder) {
  ASSERT_TRUE(Emit({{3, 2}, {1, 0}}).ok());
  EXPECT_EQ(std::distance(block_->begin(), block_->end()), 3);
  EXPECT_TRUE(llvm::isa<ir::FusionOp>(block_->front()));
  EXPECT_EQ(block_->front().getOperand(0), block_->getArgument(0));
}

TEST_F(EmitFusionsTest, ClustersThatNeedEachOtherAreAnError) {
  Status status = Emit({{2, 0}, {3, 1}});
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("stablehlo.negate at model.py:3:2"), std::string::npos)
      << status.ToString();
  EXPECT_NE(status.message().find("stablehlo.abs at model.py:2:2"), std::string::npos)
      << status.ToString();
}

TEST_F(EmitFusionsTest, RejectsClusterInADependenceCycle) {
  Status status = Emit({{2, 0}});
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("stablehlo.abs at model.py:2:2"), std::string::npos)
      << status.ToString();
}

}  // namespace
}  // namespace tenon::compiler
