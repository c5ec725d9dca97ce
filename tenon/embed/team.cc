#include "tenon/embed/team.h"

#include <sched.h>

#include <cstdlib>
#include <ctime>
#include <new>

#include "tenon/runtime/futex.h"

using tenon::embed::Fail;
using tenon::runtime::CpuRelax;
using tenon::runtime::FutexWait;
using tenon::runtime::FutexWake;

namespace {

// How long a worker without work spins before it sleeps, and a caller before it yields
// its processor. Waking a thread takes about 50 us.
constexpr int64_t kSpinNanoseconds = 100000;

int64_t Now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000000000} + time.tv_nsec;
}

// Returns when done() holds, or after kSpinNanoseconds.
template <typename Done>
bool Spin(Done done) {
  const int64_t end = Now() + kSpinNanoseconds;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      CpuRelax();
    }
  } while (Now() < end);
  return false;
}

int AvailableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

constexpr int kMaxThreads = 1024;

}  // namespace

void tenon_team::RunChunks() {
  for (;;) {
    const int64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= count_) return;
    body_(context_, chunk);
  }
}

void tenon_team::Work() {
  uint32_t seen = 0;
  while (!stop_.load()) {
    const auto changed = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
    if (!Spin(changed)) {
      sleepers_.fetch_add(1);
      if (!changed()) FutexWait(epoch_, seen);
      sleepers_.fetch_sub(1);
      continue;
    }
    seen = epoch_.load(std::memory_order_acquire);
    inside_.fetch_add(1);
    if (open_.load()) RunChunks();
    inside_.fetch_sub(1);
  }
}

void tenon_team::ParallelFor(Body body, void* context, int64_t count) {
  if (callback) return callback(user, body, context, count);
  if (num_started_ == 0 || count <= 1 || taken_.exchange(true)) {
    for (int64_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  body_ = body;
  context_ = context;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  open_.store(true);
  epoch_.fetch_add(1);
  if (sleepers_.load() > 0) FutexWake(epoch_, num_started_);
  RunChunks();
  open_.store(false);
  const auto left = [this] { return inside_.load() == 0; };
  while (!Spin(left)) sched_yield();
  taken_.store(false);
}

int tenon_team::Start(tenon_error* error) {
  const int workers = num_threads - 1;
  threads_ = static_cast<pthread_t*>(std::calloc(num_threads, sizeof *threads_));
  if (!threads_) return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the team");
  for (; num_started_ < workers; ++num_started_) {
    const auto work = [](void* team) -> void* {
      static_cast<tenon_team*>(team)->Work();
      return nullptr;
    };
    if (pthread_create(&threads_[num_started_], nullptr, work, this) != 0) {
      return Fail(error, TENON_RESOURCE_EXHAUSTED,
                  "cannot start thread %d of a team of %d threads", num_started_ + 1,
                  num_threads);
    }
  }
  return TENON_OK;
}

void tenon_team::Stop() {
  stop_.store(true);
  epoch_.fetch_add(1);
  FutexWake(epoch_, kMaxThreads);
  for (int i = 0; i < num_started_; ++i) pthread_join(threads_[i], nullptr);
  std::free(threads_);
}

namespace {

int NewTeam(int num_threads, tenon_team** team, tenon_error* error) {
  if (!team) return Fail(error, TENON_INVALID_ARGUMENT, "team must not be NULL");
  *team = nullptr;
  if (num_threads < 0 || num_threads > kMaxThreads) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "a team of %d threads is not possible; the most is %d", num_threads,
                kMaxThreads);
  }
  void* memory = std::aligned_alloc(alignof(tenon_team), sizeof(tenon_team));
  if (!memory) return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the team");
  *team = new (memory) tenon_team;
  (*team)->num_threads = num_threads;
  return TENON_OK;
}

}  // namespace

extern "C" int tenon_team_create(int num_threads, tenon_team** team, tenon_error* error) {
  if (num_threads == 0) num_threads = AvailableProcessors();
  if (int code = NewTeam(num_threads, team, error)) return code;
  const int code = (*team)->Start(error);
  if (code != TENON_OK) {
    tenon_team_destroy(*team);
    *team = nullptr;
  }
  return code;
}

extern "C" int tenon_team_from_callback(tenon_parallel_for parallel_for, void* user,
                                        int num_threads, tenon_team** team,
                                        tenon_error* error) {
  if (!parallel_for || num_threads < 1) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "a team needs a function and at least one thread");
  }
  if (int code = NewTeam(num_threads, team, error)) return code;
  (*team)->callback = parallel_for;
  (*team)->user = user;
  return TENON_OK;
}

extern "C" void tenon_team_destroy(tenon_team* team) {
  if (!team) return;
  team->Stop();
  team->~tenon_team();
  std::free(team);
}
