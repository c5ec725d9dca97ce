// Locks that LLVM holds when an exception passes through it. LLVM and MLIR are built
// without exceptions: an exception skips their destructors, so mutexes stay locked, and
// initializations of static variables stay begun. Other threads, and later compilations,
// would wait for these forever.
#ifndef TENON_COMPILER_PIPELINE_HELD_LOCKS_H_
#define TENON_COMPILER_PIPELINE_HELD_LOCKS_H_

#include <array>
#include <cstddef>

namespace tenon::compiler {

// Records the locks that this thread takes during the object's life, and releases those
// that are still held when it ends. Objects nest. Allocates no memory.
class HeldLocks {
 public:
  // kGuard: the guard of a static variable that is being initialized.
  enum class Kind { kMutex, kReaderWriterLock, kGuard };

  HeldLocks();
  ~HeldLocks();
  HeldLocks(const HeldLocks&) = delete;
  HeldLocks& operator=(const HeldLocks&) = delete;

  // The object created last on this thread, or null.
  static HeldLocks* Innermost();
  // Called when this thread has taken or released a lock.
  static void Add(Kind kind, void* lock);
  static void Remove(void* lock);

 private:
  struct Lock {
    Kind kind;
    void* address;
  };
  // LLVM holds at most four at a time. What exceeds the array is not released.
  static constexpr size_t kMaxLocks = 32;

  HeldLocks* const outer_;
  std::array<Lock, kMaxLocks> locks_;
  size_t count_ = 0;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_HELD_LOCKS_H_
