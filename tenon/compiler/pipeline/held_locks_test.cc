#include "tenon/compiler/pipeline/held_locks.h"

#include <cxxabi.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <new>

#include "tenon/compiler/pipeline/compile_thread.h"

#ifdef TENON_WRAP_FUNCTIONS

namespace tenon::compiler {
namespace {

bool IsFree(pthread_mutex_t& mutex) {
  if (pthread_mutex_trylock(&mutex) != 0) return false;
  pthread_mutex_unlock(&mutex);
  return true;
}

// As LLVM does: without destructors that unlock.
TEST(HeldLocks, AnExceptionReleasesMutexes) {
  pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
  const Status status = RunProtected([&]() -> Status {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&first);
    throw std::bad_alloc();
  });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsFree(first));
  EXPECT_TRUE(IsFree(second));
}

TEST(HeldLocks, AnExceptionReleasesARecursiveMutexAsOftenAsItIsHeld) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  (void)RunProtected([&]() -> Status {
    for (int i = 0; i < 3; ++i) pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    throw std::bad_alloc();
  });
  CompileThread other(
      [&] { return IsFree(mutex) ? OkStatus() : Internal("the mutex is still held"); });
  ASSERT_TRUE(other.Start());
  EXPECT_TRUE(other.Join().ok());
}

TEST(HeldLocks, AnExceptionReleasesReaderWriterLocks) {
  pthread_rwlock_t read = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
  (void)RunProtected([&]() -> Status {
    pthread_rwlock_rdlock(&read);
    pthread_rwlock_wrlock(&written);
    throw std::bad_alloc();
  });
  for (pthread_rwlock_t* lock : {&read, &written}) {
    ASSERT_EQ(pthread_rwlock_trywrlock(lock), 0);
    pthread_rwlock_unlock(lock);
  }
}

TEST(HeldLocks, AnExceptionEndsTheInitializationOfAStaticVariable) {
  abi::__guard guard = {};
  (void)RunProtected([&]() -> Status {
    EXPECT_EQ(abi::__cxa_guard_acquire(&guard), 1);
    throw std::bad_alloc();
  });
  ASSERT_EQ(abi::__cxa_guard_acquire(&guard), 1);  // begins again; would wait forever
  abi::__cxa_guard_release(&guard);
  EXPECT_EQ(abi::__cxa_guard_acquire(&guard), 0);
}

TEST(HeldLocks, LocksOfTheCallerStayHeld) {
  pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
  (void)RunProtected([&]() -> Status {
    pthread_mutex_lock(&outer);
    (void)RunProtected([&]() -> Status {
      pthread_mutex_lock(&inner);
      throw std::bad_alloc();
    });
    EXPECT_FALSE(IsFree(outer));
    EXPECT_TRUE(IsFree(inner));
    pthread_mutex_unlock(&outer);
    return OkStatus();
  });
  EXPECT_TRUE(IsFree(outer));
}

}  // namespace
}  // namespace tenon::compiler

#endif  // TENON_WRAP_FUNCTIONS
