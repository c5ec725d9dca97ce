// Memory for buffers and arenas: aligned, cached, counted, limited.
//
// Freed blocks are kept by size class and handed out again, because fresh pages cost far
// more than the work done on them. Thread-safe, and free of locks: the caches are arrays
// of atomic slots.
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

struct AllocatorStats {  // bytes, but for the counts
  int64_t in_use = 0;
  int64_t peak_in_use = 0;
  int64_t allocations = 0;  // ever made
  int64_t largest = 0;
  int64_t limit = 0;
  int64_t cached = 0;  // held, not in use
};

struct AllocatorOptions {
  int64_t limit = 0;        // bytes in use at most; 0: the memory of this machine
  int64_t cache_limit = 0;  // bytes kept at most; 0: a quarter of `limit`
  bool huge_pages = true;   // asked for where a block has room for some
};

class Allocator {
 public:
  explicit Allocator(AllocatorOptions options = {});
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();  // every block has been freed

  // At least `size` bytes, 64-byte aligned, never null, not cleared. RESOURCE_EXHAUSTED
  // if the limit or the machine does not allow it.
  StatusOr<void*> Allocate(size_t size);
  // `size` as given to Allocate.
  void Free(void* block, size_t size);

  // Gives all cached memory back to the system.
  void Trim();

  AllocatorStats stats() const;
  // The peak starts at what is in use now, counts at 0.
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
