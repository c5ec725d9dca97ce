#include "tenon/compiler/pipeline/held_locks.h"

#include <cxxabi.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace tenon::compiler {
namespace {

thread_local HeldLocks* innermost = nullptr;

// Objects on all threads. While there are none, a lock costs no access to `innermost`,
// which is a call in a shared library.
constinit std::atomic<int> objects = 0;

void Release(HeldLocks::Kind kind, void* lock) {
  switch (kind) {
    case HeldLocks::Kind::kMutex:
      pthread_mutex_unlock(static_cast<pthread_mutex_t*>(lock));
      return;
    case HeldLocks::Kind::kReaderWriterLock:
      pthread_rwlock_unlock(static_cast<pthread_rwlock_t*>(lock));
      return;
    case HeldLocks::Kind::kGuard:  // the next use starts a new initialization
      abi::__cxa_guard_abort(static_cast<abi::__guard*>(lock));
      return;
  }
}

}  // namespace

HeldLocks::HeldLocks() : outer_(innermost) {
  innermost = this;
  objects.fetch_add(1, std::memory_order_relaxed);
}

HeldLocks::~HeldLocks() {
  objects.fetch_sub(1, std::memory_order_relaxed);
  innermost = outer_;  // so that the calls below do not look for their lock
  while (count_ > 0) {
    --count_;
    Release(locks_[count_].kind, locks_[count_].address);
  }
}

HeldLocks* HeldLocks::Innermost() {
  return objects.load(std::memory_order_relaxed) == 0 ? nullptr : innermost;
}

void HeldLocks::Add(Kind kind, void* lock) {
  if (HeldLocks* const held = Innermost(); held != nullptr && held->count_ < kMaxLocks)
    held->locks_[held->count_++] = {kind, lock};
}

void HeldLocks::Remove(void* lock) {
  HeldLocks* const held = Innermost();
  if (held == nullptr) return;
  const auto end = held->locks_.begin() + held->count_;
  // Usually the last: locks nest. A recursive mutex is in the array several times.
  const auto found =
      std::find_if(std::make_reverse_iterator(end), held->locks_.rend(),
                   [&](const Lock& other) { return other.address == lock; });
  if (found == held->locks_.rend()) return;
  std::move(found.base(), end, found.base() - 1);
  --held->count_;
}

}  // namespace tenon::compiler

// The linker's --wrap replaces these functions in LLVM, MLIR and our own code.
#ifdef TENON_WRAP_FUNCTIONS
using tenon::compiler::HeldLocks;

extern "C" {
int __real_pthread_mutex_lock(pthread_mutex_t* mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t* mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t* mutex);
int __real_pthread_rwlock_rdlock(pthread_rwlock_t* lock);
int __real_pthread_rwlock_wrlock(pthread_rwlock_t* lock);
int __real_pthread_rwlock_unlock(pthread_rwlock_t* lock);
int __real___cxa_guard_acquire(abi::__guard* guard);
void __real___cxa_guard_release(abi::__guard* guard);
void __real___cxa_guard_abort(abi::__guard* guard);

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  const int error = __real_pthread_mutex_lock(mutex);
  if (error == 0) HeldLocks::Add(HeldLocks::Kind::kMutex, mutex);
  return error;
}
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const int error = __real_pthread_mutex_trylock(mutex);
  if (error == 0) HeldLocks::Add(HeldLocks::Kind::kMutex, mutex);
  return error;
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  HeldLocks::Remove(mutex);
  return __real_pthread_mutex_unlock(mutex);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  const int error = __real_pthread_rwlock_rdlock(lock);
  if (error == 0) HeldLocks::Add(HeldLocks::Kind::kReaderWriterLock, lock);
  return error;
}
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  const int error = __real_pthread_rwlock_wrlock(lock);
  if (error == 0) HeldLocks::Add(HeldLocks::Kind::kReaderWriterLock, lock);
  return error;
}
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  HeldLocks::Remove(lock);
  return __real_pthread_rwlock_unlock(lock);
}

int __wrap___cxa_guard_acquire(abi::__guard* guard) {
  const int acquired = __real___cxa_guard_acquire(guard);
  if (acquired) HeldLocks::Add(HeldLocks::Kind::kGuard, guard);
  return acquired;
}
void __wrap___cxa_guard_release(abi::__guard* guard) {
  HeldLocks::Remove(guard);
  __real___cxa_guard_release(guard);
}
void __wrap___cxa_guard_abort(abi::__guard* guard) {
  HeldLocks::Remove(guard);
  __real___cxa_guard_abort(guard);
}
}
#endif
