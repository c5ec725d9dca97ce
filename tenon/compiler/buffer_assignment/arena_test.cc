// Arena layout: slots that live at the same time never overlap, and little memory is
// wasted.
#include "tenon/compiler/buffer_assignment/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tenon::compiler {
namespace {

int64_t Rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// The maximum number of bytes that are live at once: a lower bound for any layout.
int64_t Peak(const std::vector<Lifetime>& lifetimes) {
  int64_t peak = 0;
  for (const Lifetime& lifetime : lifetimes) {
    int64_t live = 0;
    for (const Lifetime& other : lifetimes) {
      if (other.first <= lifetime.first && lifetime.first <= other.last)
        live += Rounded(other.bytes);
    }
    peak = std::max(peak, live);
  }
  return peak;
}

void ExpectSound(const std::vector<Lifetime>& lifetimes, const ArenaLayout& layout) {
  ASSERT_EQ(layout.offsets.size(), lifetimes.size());
  for (size_t a = 0; a < lifetimes.size(); ++a) {
    EXPECT_EQ(layout.offsets[a] % 64, 0);
    EXPECT_GE(layout.offsets[a], 0);
    EXPECT_LE(layout.offsets[a] + lifetimes[a].bytes, layout.bytes);
    for (size_t b = 0; b < a; ++b) {
      bool together = lifetimes[a].first <= lifetimes[b].last &&
                      lifetimes[b].first <= lifetimes[a].last;
      bool overlap = layout.offsets[a] < layout.offsets[b] + lifetimes[b].bytes &&
                     layout.offsets[b] < layout.offsets[a] + lifetimes[a].bytes;
      EXPECT_FALSE(together && overlap && lifetimes[a].bytes > 0 &&
                   lifetimes[b].bytes > 0)
          << a << " and " << b;
    }
  }
}

TEST(ArenaTest, EmptySlotsNeedNoMemory) {
  EXPECT_EQ(LayOutArena({}).bytes, 0);
  ArenaLayout layout = LayOutArena({{0, 0, 5}, {0, 1, 2}});
  EXPECT_EQ(layout.bytes, 0);
  EXPECT_EQ(layout.offsets.size(), 2u);
}

TEST(ArenaTest, LifetimesAreInclusive) {
  // The second starts where the first one ends: the op reads one and writes the other.
  ExpectSound({{64, 0, 1}, {64, 1, 2}}, LayOutArena({{64, 0, 1}, {64, 1, 2}}));
  EXPECT_EQ(LayOutArena({{64, 0, 1}, {64, 1, 2}}).bytes, 128);
  EXPECT_EQ(LayOutArena({{64, 0, 1}, {64, 2, 3}}).bytes, 64);
}

TEST(ArenaTest, ChainsNeedTwoSlots) {
  std::vector<Lifetime> chain;
  for (int64_t i = 0; i < 1000; ++i) chain.push_back({1000, i, i + 1});
  ArenaLayout layout = LayOutArena(chain);
  ExpectSound(chain, layout);
  EXPECT_EQ(layout.bytes, 2 * 1024);
}

TEST(ArenaTest, MergesAdjacentFreeRanges) {
  std::vector<Lifetime> lifetimes = {{64, 0, 1}, {64, 0, 1}, {64, 0, 9}, {128, 2, 3}};
  ArenaLayout layout = LayOutArena(lifetimes);
  ExpectSound(lifetimes, layout);
  EXPECT_EQ(layout.bytes, 192);
}

TEST(ArenaTest, GrowsTheFreeTail) {
  std::vector<Lifetime> lifetimes = {{64, 0, 1}, {1024, 2, 3}};
  EXPECT_EQ(LayOutArena(lifetimes).bytes, 1024);
}

TEST(ArenaTest, RandomLifetimes) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> lifetimes;
    const int64_t count = 1 + static_cast<int64_t>(random() % 120);
    for (int64_t i = 0; i < count; ++i) {
      // Sizes of many magnitudes, including zero. Most lifetimes are short.
      int64_t bytes = static_cast<int64_t>(random() % (int64_t{1} << (random() % 16)));
      int64_t first = static_cast<int64_t>(random() % 200);
      int64_t length = static_cast<int64_t>(random() % (1 << (random() % 7)));
      lifetimes.push_back({bytes, first, first + length});
    }
    ArenaLayout layout = LayOutArena(lifetimes);
    ExpectSound(lifetimes, layout);
    int64_t total = 0;
    for (const Lifetime& lifetime : lifetimes) total += Rounded(lifetime.bytes);
    EXPECT_LE(layout.bytes, total);
    int64_t peak = Peak(lifetimes);
    EXPECT_GE(layout.bytes, peak);
    if (peak > 0) {
      worst =
          std::max(worst, static_cast<double>(layout.bytes) / static_cast<double>(peak));
    }
  }
  // Best fit is not optimal, but must not be worse than this.
  EXPECT_LT(worst, 1.5);
  RecordProperty("worst_over_peak", std::to_string(worst));
}

}  // namespace
}  // namespace tenon::compiler
