// Compilations that run out of memory. Each attempt runs in a child process, which must
// return a status and still be able to compile afterwards.
#include <cxxabi.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

#include "tenon/compiler/compile.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TENON_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(TENON_SANITIZED)

namespace {

// Number of allocations that still succeed; below zero: no limit.
std::atomic<int64_t> calls_left = -1;
std::atomic<bool> fail_once = true;  // otherwise every later call fails too
std::atomic<int64_t> calls_made = 0;

// The same for allocations by threads that initialize a static variable.
std::atomic<int64_t> guarded_calls_left = -1;
thread_local int guards = 0;  // static variables that this thread is initializing

bool FailsInStaticVariable() {
  return guards > 0 && guarded_calls_left.load(std::memory_order_relaxed) >= 0 &&
         guarded_calls_left.fetch_sub(1) == 0;
}

bool Fails() {
  calls_made.fetch_add(1, std::memory_order_relaxed);
  if (FailsInStaticVariable()) {
    errno = ENOMEM;
    return true;
  }
  if (calls_left.load(std::memory_order_relaxed) < 0) return false;
  if (calls_left.fetch_sub(1) > 0) return false;
  if (!fail_once) calls_left = 0;
  errno = ENOMEM;
  return true;
}

// Returns the function of the shared C++ library that one below replaces.
template <typename Function>
Function* Next(std::atomic<Function*>& cache, const char* name) {
  Function* next = cache.load(std::memory_order_relaxed);
  if (next == nullptr) {
    next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    cache = next;
  }
  return next;
}

}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

// These replace functions of glibc and the C++ library in this test program. The C++
// library calls glibc's malloc, not the one below, so operator new is replaced too.
void* operator new(size_t size) {
  void* const memory = Fails() ? nullptr : __libc_malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, std::align_val_t alignment) {
  void* const memory =
      Fails() ? nullptr : __libc_memalign(static_cast<size_t>(alignment), size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
extern "C" {
void* malloc(size_t size) { return Fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return Fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return Fails() ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  *result = Fails() ? nullptr : __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}
}

namespace __cxxabiv1 {
extern "C" {
int __cxa_guard_acquire(__guard* guard) {
  static std::atomic<int (*)(__guard*)> next;
  const int acquired = Next(next, "__cxa_guard_acquire")(guard);
  guards += acquired;
  return acquired;
}
void __cxa_guard_release(__guard* guard) noexcept {
  static std::atomic<void (*)(__guard*)> next;
  --guards;
  Next(next, "__cxa_guard_release")(guard);
}
void __cxa_guard_abort(__guard* guard) noexcept {
  static std::atomic<void (*)(__guard*)> next;
  --guards;
  Next(next, "__cxa_guard_abort")(guard);
}
}
}  // namespace __cxxabiv1

namespace tenon::compiler {
namespace {

// Contains loops, a reduction, a product, a sort, a constant, composites and a
// decomposition.
constexpr char kProgram[] = R"(
  func.func private @chlo.erf.impl(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    return %x : tensor<64x64xf32>
  }
  func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.composite "chlo.erf" %0 {decomposition = @chlo.erf.impl} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %3 = "stablehlo.sort"(%2) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %f = stablehlo.cholesky %0, lower = true : tensor<64x64xf32>
    %i = stablehlo.iota dim = 0 : tensor<64xf32>
    %4 = stablehlo.add %3, %i : tensor<64xf32>
    return %4, %f : tensor<64xf32>, tensor<64x64xf32>
  })";

constexpr unsigned kMaxSeconds = 60;

// kRefusedAfterwards: memory ran out when the first compilation registered passes.
enum Outcome {
  kCompiled = 0,
  kOutOfMemory = 1,
  kOtherError = 2,
  kBrokenAfterwards = 3,
  kRefusedAfterwards = 4,
};

// Compiles after `prepare`, then once more after `restore`, and ends the process with an
// Outcome, or by a signal if a compilation does not end.
[[noreturn]] void CompileAndExit(const std::function<void()>& prepare,
                                 const std::function<void()>& restore) {
  alarm(kMaxSeconds);
  CompilerConfig config;
  config.num_threads = 2;
  prepare();
  const Status status = Compile({kProgram, {}}, config).status();
  restore();
  const StatusCode later = Compile({kProgram, {}}, config).status().code();
  if (later == StatusCode::kResourceExhausted) _exit(kRefusedAfterwards);
  if (later != StatusCode::kOk) _exit(kBrokenAfterwards);
  if (status.ok()) _exit(kCompiled);
  if (status.code() == StatusCode::kResourceExhausted) _exit(kOutOfMemory);
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  _exit(kOtherError);
}

int CompileInChild(const std::function<void()>& prepare,
                   const std::function<void()>& restore) {
  const pid_t child = fork();
  if (child == 0) CompileAndExit(prepare, restore);
  int how = 0;
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

int CompileWithFailure(int64_t call, bool once) {
  return CompileInChild(
      [&] {
        fail_once = once;
        calls_left = call;
      },
      [] { calls_left = -1; });
}

int64_t CallsOfOneCompilation() {
  CompilerConfig config;
  config.num_threads = 2;
  // fills the caches that stay allocated
  EXPECT_TRUE(Compile({kProgram, {}}, config).ok());
  const int64_t before = calls_made;
  EXPECT_TRUE(Compile({kProgram, {}}, config).ok());
  return calls_made - before;
}

class AllocationFailure : public testing::TestWithParam<bool> {};

TEST_P(AllocationFailure, ReportsOutOfMemory) {
  const int64_t calls = CallsOfOneCompilation();
  ASSERT_GT(calls, 1000);
  constexpr int64_t kAttempts = 60;
  int out_of_memory = 0;
  for (int64_t attempt = 0; attempt < kAttempts; ++attempt) {
    const int64_t call = attempt < 12 ? attempt : calls * attempt / kAttempts;
    const int outcome = CompileWithFailure(call, GetParam());
    EXPECT_TRUE(outcome == kOutOfMemory || outcome == kCompiled)
        << "call " << call << " of " << calls << " failed: " << outcome;
    out_of_memory += outcome == kOutOfMemory;
  }
  EXPECT_GT(out_of_memory, kAttempts / 2);
  EXPECT_EQ(CompileWithFailure(100 * calls, GetParam()), kCompiled);
}

INSTANTIATE_TEST_SUITE_P(OneOrAll, AllocationFailure, testing::Bool());

// The first compilation of a process registers passes and initializes LLVM's static
// variables. So each attempt runs the program again in a new process.
class FirstCompilation : public testing::Test {
 protected:
  FirstCompilation() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static bool Survives(int how) {
    return WIFEXITED(how) && WEXITSTATUS(how) != kOtherError &&
           WEXITSTATUS(how) != kBrokenAfterwards;
  }
};

TEST_F(FirstCompilation, SurvivesAFailedAllocation) {
  for (int64_t call = 0; call < 16000; call += call < 20 ? 1 : 397)
    EXPECT_EXIT(CompileAndExit(
                    [&] {
                      fail_once = true;
                      calls_left = call;
                    },
                    [] { calls_left = -1; }),
                Survives, "")
        << "call " << call;
}

// An exception in the initialization of a static variable of LLVM's leaves it begun, so
// that other threads and compilations would wait for its end.
TEST_F(FirstCompilation, SurvivesAFailedAllocationInAStaticVariable) {
  for (int64_t call = 1; call < 140; call += 3)
    EXPECT_EXIT(CompileAndExit([&] { guarded_calls_left = call; },
                               [] { guarded_calls_left = -1; }),
                Survives, "")
        << "call " << call;
}

TEST(AddressSpaceLimit, CompilationFailsOrSucceeds) {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  ASSERT_NE(file, nullptr);
  long pages = 0;
  ASSERT_EQ(std::fscanf(file, "%ld", &pages), 1);
  std::fclose(file);
  const rlim_t used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(getpagesize());
  int out_of_memory = 0, compiled = 0;
  for (rlim_t mebibytes = 0; mebibytes <= 400; mebibytes += mebibytes < 64 ? 2 : 24) {
    rlimit before = {};
    getrlimit(RLIMIT_AS, &before);
    const int outcome = CompileInChild(
        [&] {
          const rlimit limit = {used + (mebibytes << 20), before.rlim_max};
          setrlimit(RLIMIT_AS, &limit);
        },
        [&] { setrlimit(RLIMIT_AS, &before); });
    const bool ran_out = outcome == kOutOfMemory || outcome == kRefusedAfterwards;
    EXPECT_TRUE(ran_out || outcome == kCompiled) << mebibytes << " MiB: " << outcome;
    out_of_memory += ran_out;
    compiled += outcome == kCompiled;
  }
  EXPECT_GT(out_of_memory, 0);
  EXPECT_GT(compiled, 0);
}

}  // namespace
}  // namespace tenon::compiler

#endif  // glibc without sanitizers
