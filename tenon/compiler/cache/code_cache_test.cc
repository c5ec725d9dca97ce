#include "tenon/compiler/cache/code_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

namespace tenon::compiler {
namespace {

std::string GetOrDie(CodeCache& cache, std::string_view key,
                     llvm::function_ref<std::string()> generate) {
  auto value = cache.Get(key, [&]() -> StatusOr<std::string> { return generate(); });
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? **value : "";
}
std::string Unexpected() {
  ADD_FAILURE() << "generated again";
  return "";
}

TEST(CodeCacheTest, GeneratesOnce) {
  CodeCache cache("");
  EXPECT_EQ(GetOrDie(cache, "a", [] { return "1"; }), "1");
  EXPECT_EQ(GetOrDie(cache, "b", [] { return "2"; }), "2");
  EXPECT_EQ(GetOrDie(cache, "a", Unexpected), "1");
  EXPECT_EQ(cache.counts().generated, 2);
  EXPECT_EQ(cache.counts().from_memory, 1);
  EXPECT_EQ(cache.counts().from_disk, 0);
}

TEST(CodeCacheTest, ErrorsAreNotKept) {
  CodeCache cache("");
  auto failed =
      cache.Get("a", []() -> StatusOr<std::string> { return Internal("no code"); });
  EXPECT_EQ(failed.status().ToString(), "INTERNAL: no code");
  EXPECT_THROW(
      (void)cache.Get("a", []() -> StatusOr<std::string> { throw std::bad_alloc(); }),
      std::bad_alloc);
  EXPECT_EQ(GetOrDie(cache, "a", [] { return "1"; }), "1");
  EXPECT_EQ(cache.counts().generated, 1);
}

TEST(CodeCacheTest, ThreadsWaitForTheGeneratingThread) {
  CodeCache cache("");
  std::atomic<int> generated = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      EXPECT_EQ(GetOrDie(cache, "a",
                         [&] {
                           ++generated;
                           std::this_thread::sleep_for(std::chrono::milliseconds(20));
                           return "1";
                         }),
                "1");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(generated, 1);
}

TEST(CodeCacheTest, WaitingThreadsRetryAfterAFailure) {
  CodeCache cache("");
  std::atomic<int> tries = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      (void)cache.Get("a", [&]() -> StatusOr<std::string> {
        ++tries;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Internal("no code");
      });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tries, 4);
}

TEST(CodeCacheTest, MemoryIsBounded) {
  CodeCache::Limits limits;
  limits.memory_bytes = 10'000;
  CodeCache cache("", limits);
  auto value = [] { return std::string(1'000, 'v'); };
  for (char key = 'a'; key <= 'z'; ++key) {
    GetOrDie(cache, std::string(1, key), value);
    GetOrDie(cache, "a", Unexpected);  // used all the time, so it stays
  }
  GetOrDie(cache, "z", Unexpected);
  EXPECT_EQ(cache.counts().generated, 26);
  GetOrDie(cache, "b", value);
  EXPECT_EQ(cache.counts().generated, 27);
  auto large = [] { return std::string(2'000, 'v'); };
  GetOrDie(cache, "large", large);
  GetOrDie(cache, "large", large);  // would evict the others
  EXPECT_EQ(cache.counts().generated, 29);
  GetOrDie(cache, "a", Unexpected);
}

TEST(CodeCacheTest, OtherProcessesReadTheFolder) {
  std::string folder = ::testing::TempDir() + "tenon_code_cache_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    CodeCache cache(folder);
    EXPECT_EQ(GetOrDie(cache, "a", [] { return "1"; }), "1");
  }
  CodeCache cache(folder);
  EXPECT_EQ(GetOrDie(cache, "a", Unexpected), "1");
  EXPECT_EQ(GetOrDie(cache, "a", Unexpected), "1");
  EXPECT_EQ(cache.counts().generated, 0);
  EXPECT_EQ(cache.counts().from_memory, 1);
  EXPECT_EQ(cache.counts().from_disk, 1);
  std::filesystem::remove_all(folder);
}

TEST(CodeCacheTest, OneCachePerFolder) {
  EXPECT_EQ(&CodeCache::Of(""), &CodeCache::Of(""));
  EXPECT_NE(&CodeCache::Of(""), &CodeCache::Of("/nowhere"));
}

}  // namespace
}  // namespace tenon::compiler
