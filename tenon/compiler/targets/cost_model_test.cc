#include "tenon/compiler/targets/cost_model.h"

#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

TEST(CostModelTest, SmallWorkIsOneChunk) {
  CostModel cost;
  EXPECT_EQ(cost.Grain(0, 1), 1);
  EXPECT_EQ(cost.Grain(1000, 1), 1000);
  EXPECT_EQ(cost.Grain(12000, 1), 12000);
  EXPECT_EQ(cost.Grain(12001, 1), 8000);
}

TEST(CostModelTest, ChunksHaveAtLeastOnePoint) {
  EXPECT_EQ(CostModel().Grain(2, 1e6), 1);
}

// Changing one cost changes the decisions, because no other code has a copy of it.
TEST(CostModelTest, DecisionsFollowTheNumbers) {
  CostModel cost;
  cost.min_parallel_ns = 100;
  cost.chunk_ns = 50;
  EXPECT_EQ(cost.Grain(1000, 1), 50);
  EXPECT_EQ(cost.ElementNs("add"), cost.simple_ns);
  EXPECT_GT(cost.ElementNs("power"), cost.ElementNs("tanh"));
}

// A register of 128 bits holds a quarter of the elements. Memory is as fast as before.
TEST(CostModelTest, ArithmeticTakesLongerInNarrowerRegisters) {
  CostModel wide = CostModel::ForVectorBits(512), narrow = CostModel::ForVectorBits(128);
  EXPECT_EQ(wide.ElementNs("add"), CostModel().ElementNs("add"));
  EXPECT_DOUBLE_EQ(narrow.ElementNs("add"), 4 * wide.ElementNs("add"));
  EXPECT_DOUBLE_EQ(narrow.ElementNs("tanh"), 4 * wide.ElementNs("tanh"));
  EXPECT_EQ(narrow.memory_ns, wide.memory_ns);
}

}  // namespace
}  // namespace tenon::compiler
