#include "tenon/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tenon/runtime/affinity.h"

namespace tenon::runtime {
namespace {

TEST(ThreadPoolTest, DestructorRunsAllTasks) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(3);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&] { done.fetch_add(1); });
  }
  EXPECT_EQ(done.load(), 1000);
}

TEST(ThreadPoolTest, GrowsWhileTasksBlock) {
  ThreadPool pool(ThreadPool::kUnlimited);
  std::latch all(20);  // opens when all 20 tasks run at the same time
  std::latch done(20);
  for (int i = 0; i < 20; ++i) {
    pool.Schedule([&] {
      all.arrive_and_wait();
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(pool.num_threads(), 20);
}

TEST(ThreadPoolTest, RespectsItsLimit) {
  std::atomic<int> now{0}, max_running{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 50; ++i) {
      pool.Schedule([&] {
        const int running = now.fetch_add(1) + 1;
        int seen = max_running.load();
        while (seen < running && !max_running.compare_exchange_weak(seen, running)) {
        }
        std::this_thread::yield();
        now.fetch_sub(1);
      });
    }
  }
  EXPECT_LE(max_running.load(), 2);
}

TEST(ThreadPoolTest, IdleThreadsEnd) {
  ThreadPool pool(4, {.linger = std::chrono::milliseconds(1)});
  std::latch done(1);
  pool.Schedule([&] { done.count_down(); });
  done.wait();
  for (int i = 0; i < 2000 && pool.num_threads() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(pool.num_threads(), 0);
}

TEST(ThreadPoolTest, ThreadsAreBoundToProcessors) {
  const int last = AllowedProcessors().back();
  std::vector<int> seen;
  {
    ThreadPool pool(1, {.processors = {last}});
    pool.Schedule([&] { seen = AllowedProcessors(); });
  }
  EXPECT_EQ(seen, std::vector<int>{last});
}

TEST(ThreadPoolTest, ThreadsThatSpinTakeTasksAndEnd) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(2, {.linger = std::chrono::milliseconds(1),
                        .spin = std::chrono::milliseconds(2)});
    for (int i = 0; i < 100; ++i) {
      pool.Schedule([&] {
        ThreadPool::KeepAwake();
        ++done;
      });
      while (done.load() <= i) std::this_thread::yield();
    }
    for (int i = 0; i < 2000 && pool.num_threads() > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(pool.num_threads(), 0);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule([&] {
        ThreadPool::KeepAwake();
        ++done;
      });
    }
  }
  EXPECT_EQ(done.load(), 200);
}

TEST(ThreadPoolTest, TasksScheduleTasks) {
  std::atomic<int> depth{0};
  {
    ThreadPool pool(1);
    std::function<void()> next = [&] {
      if (depth.fetch_add(1) < 100) pool.Schedule(next);
    };
    pool.Schedule(next);
    while (depth.load() <= 100) std::this_thread::yield();
  }
  EXPECT_EQ(depth.load(), 101);
}

}  // namespace
}  // namespace tenon::runtime
