#include "tenon/base/idle_pool.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(IdlePool, GivesBackObjectsByKey) {
  IdlePool<int> pool(4);
  EXPECT_EQ(pool.Take("a"), nullptr);
  pool.Keep("a", std::make_unique<int>(1));
  pool.Keep("b", std::make_unique<int>(2));
  EXPECT_EQ(pool.Take("c"), nullptr);
  EXPECT_EQ(*pool.Take("b"), 2);
  EXPECT_EQ(*pool.Take("a"), 1);
  EXPECT_EQ(pool.Take("a"), nullptr);
}

TEST(IdlePool, DestroysWhatDoesNotFit) {
  IdlePool<std::shared_ptr<int>> pool(1);
  auto first = std::make_shared<int>(1), second = std::make_shared<int>(2);
  pool.Keep("a", std::make_unique<std::shared_ptr<int>>(first));
  pool.Keep("a", std::make_unique<std::shared_ptr<int>>(second));
  EXPECT_EQ(first.use_count(), 2);
  EXPECT_EQ(second.use_count(), 1);
  EXPECT_EQ(*pool.Take("a"), first);
}

}  // namespace
}  // namespace tenon
