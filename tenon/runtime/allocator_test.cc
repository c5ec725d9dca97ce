#include "tenon/runtime/allocator.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tenon::runtime {
namespace {

TEST(SizeClassTest, ClassesCoverTheirSizes) {
  for (int c = 0; c < kNumClasses; ++c) {
    const size_t bytes = ClassBytes(c);
    EXPECT_EQ(bytes % kAlignment, 0u);
    EXPECT_EQ(SizeClass(bytes), c);
    EXPECT_EQ(SizeClass(bytes + 1), c + 1);
  }
}

TEST(AllocatorTest, BlocksAreAlignedAndReused) {
  Allocator allocator;
  for (size_t size : {0ul, 1ul, 100ul, 5000ul, 100000ul, 3ul << 20, 40ul << 20}) {
    StatusOr<void*> block = allocator.Allocate(size);
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*block) % kAlignment, 0u);
    std::memset(*block, 1, size);
    allocator.Free(*block, size);
    StatusOr<void*> again = allocator.Allocate(size);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *block) << size;
    allocator.Free(*again, size);
  }
  EXPECT_EQ(allocator.stats().in_use, 0);
  EXPECT_GT(allocator.stats().cached, 0);
  allocator.Trim();
  EXPECT_EQ(allocator.stats().cached, 0);
}

TEST(AllocatorTest, TheLimitHolds) {
  Allocator allocator({.limit = 1 << 20});
  StatusOr<void*> half = allocator.Allocate(1 << 19);
  ASSERT_TRUE(half.ok());
  StatusOr<void*> more = allocator.Allocate((1 << 19) + 1);
  EXPECT_EQ(more.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(more.status().message().find("limit"), std::string_view::npos);
  EXPECT_EQ(allocator.stats().in_use, 1 << 19);
  allocator.Free(*half, 1 << 19);
}

TEST(AllocatorTest, ImpossibleSizesAreErrors) {
  Allocator allocator({.limit = INT64_MAX});
  EXPECT_EQ(allocator.Allocate(SIZE_MAX).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(allocator.Allocate(size_t{1} << 47).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(allocator.stats().in_use, 0);
}

TEST(AllocatorTest, CountsAllocations) {
  Allocator allocator({.limit = 1 << 30});
  StatusOr<void*> block = allocator.Allocate(1000);
  ASSERT_TRUE(block.ok());
  allocator.Free(*block, 1000);
  AllocatorStats stats = allocator.stats();
  EXPECT_EQ(stats.allocations, 1);
  EXPECT_EQ(stats.peak_in_use, 1024);
  EXPECT_EQ(stats.largest, 1000);
  EXPECT_EQ(stats.limit, 1 << 30);
  allocator.ClearStats();
  EXPECT_EQ(allocator.stats().peak_in_use, 0);
  EXPECT_EQ(allocator.stats().allocations, 0);
}

TEST(AllocatorTest, TheCacheIsBounded) {
  Allocator allocator({.limit = 1 << 30, .cache_limit = 1 << 16});
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(*allocator.Allocate(4096));
  for (void* block : blocks) allocator.Free(block, 4096);
  EXPECT_LE(allocator.stats().cached, 1 << 16);
}

TEST(AllocatorTest, ThreadsNeverShareABlock) {
  Allocator allocator;
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        const size_t size = 64u << (i % 4);
        auto* block = static_cast<int*>(*allocator.Allocate(size));
        *block = t;
        if (i % 16 == 0) std::this_thread::yield();
        if (*block != t) clashes.fetch_add(1);
        allocator.Free(block, size);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes.load(), 0);
  EXPECT_EQ(allocator.stats().in_use, 0);
}

// The flags of the mapping of `block` in /proc/self/smaps; "" if there are none.
std::string MappingFlags(const void* block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin <= address && address < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line + " ";
    }
  }
  return "";
}

TEST(AllocatorTest, LargeBlocksAskForHugePagesOrRefuseThem) {
  for (bool huge_pages : {true, false}) {
    Allocator allocator({.huge_pages = huge_pages});
    constexpr size_t kSize = 8 << 20;
    void* block = *allocator.Allocate(kSize);
    const std::string flags = MappingFlags(block);
    allocator.Free(block, kSize);
    if (flags.empty()) GTEST_SKIP() << "this kernel shows no flags in /proc/self/smaps";
    EXPECT_EQ(flags.find(" hg ") != std::string::npos, huge_pages) << flags;
    EXPECT_EQ(flags.find(" nh ") != std::string::npos, !huge_pages) << flags;
  }
}

}  // namespace
}  // namespace tenon::runtime
