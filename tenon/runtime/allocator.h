// The allocator of host memory for buffers and arenas. Blocks are aligned; the total is
// counted and limited.
//
// Freed blocks are cached by size class and reused, because page faults on fresh memory
// cost far more than the work done on it. Thread-safe and lock-free: the caches are
// arrays of atomic slots.
#ifndef TENON_RUNTIME_ALLOCATOR_H_
#define TENON_RUNTIME_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tenon/base/status.h"
#include "tenon/runtime/fork.h"
#include "tenon/runtime/size_classes.h"

namespace tenon::runtime {

struct AllocatorStats {  // in bytes, except `allocations`
  int64_t in_use = 0;
  int64_t peak_in_use = 0;
  int64_t allocations = 0;  // since the last ClearStats
  int64_t largest = 0;
  int64_t limit = 0;
  int64_t cached = 0;  // in free blocks that are kept for reuse
};

struct AllocatorOptions {
  int64_t limit = 0;        // bytes in use at most; 0 means the memory of this machine
  int64_t cache_limit = 0;  // bytes in free blocks at most; 0 means a quarter of `limit`
  bool huge_pages = true;   // whether blocks of a huge page or more ask for huge pages
};

class Allocator {
 public:
  explicit Allocator(AllocatorOptions options = {});
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  // Every block must have been freed.
  ~Allocator();

  // Returns at least `size` bytes, 64-byte aligned, never null, not cleared.
  // RESOURCE_EXHAUSTED if the limit would be exceeded or the machine has no memory.
  StatusOr<void*> Allocate(size_t size);
  // `size` is the size that was passed to Allocate.
  void Free(void* block, size_t size);

  // Gives all cached memory back to the system.
  void Trim();

  AllocatorStats stats() const;
  // Sets the peak to the bytes in use now, and `allocations` and `largest` to 0.
  void ClearStats();

 private:
  static constexpr int kSlots = 32;
  struct alignas(64) Cache {
    std::atomic<int> hint{0};  // near the last slot that was filled
    std::atomic<void*> slots[kSlots] = {};
  };

  void* Pop(int size_class);
  bool Push(int size_class, void* block);

  const ForkCheck fork_;
  const int64_t limit_;
  const int64_t cache_limit_;
  const bool huge_pages_;
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> allocations_{0};
  std::atomic<int64_t> largest_{0};
  std::atomic<int64_t> cached_{0};
  std::unique_ptr<Cache[]> caches_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_ALLOCATOR_H_
