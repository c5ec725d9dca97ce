#include "tenon/runtime/allocator.h"

#include <sys/mman.h>

#include <cassert>
#include <cstdlib>
#include <string>

#include "tenon/runtime/machine_limits.h"

namespace tenon::runtime {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// Blocks of at least this size are mappings of their own, so that they can be on huge
// pages.
constexpr size_t kMapFrom = kHugePage;

void* SystemAllocate(size_t bytes, bool huge_pages) {
  if (bytes < kMapFrom) return std::aligned_alloc(kAlignment, bytes);
  // Map more than needed and unmap both ends, so that the block starts at a huge page.
  const size_t total = bytes + kHugePage;
  void* mapping =
      mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  const uintptr_t start = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t block = (start + kHugePage - 1) / kHugePage * kHugePage;
  if (block > start) munmap(mapping, block - start);
  const uintptr_t tail = block + bytes;
  if (start + total > tail) munmap(reinterpret_cast<void*>(tail), start + total - tail);
  void* result = reinterpret_cast<void*>(block);
  // This is only advice, so an error is ignored.
  madvise(result, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return result;
}

void SystemFree(void* block, size_t bytes) {
  if (bytes < kMapFrom) {
    std::free(block);
  } else {
    munmap(block, bytes);
  }
}

// A mapping's size is a multiple of the page size.
static_assert(ClassBytes(SizeClass(kMapFrom)) == kMapFrom &&
              ClassBytes(SizeClass(kMapFrom + 1)) % 4096 == 0);

void RaiseTo(std::atomic<int64_t>& maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value &&
         !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

Allocator::Allocator(AllocatorOptions options)
    : limit_(options.limit > 0 ? options.limit : AvailableMemory()),
      cache_limit_(options.cache_limit > 0 ? options.cache_limit : limit_ / 4),
      huge_pages_(options.huge_pages),
      caches_(new Cache[kNumClasses]) {}

Allocator::~Allocator() {
  // In the child of a fork, executions that were in flight never free their memory.
  assert((in_use_.load() == 0 || fork_.InChild()) && "a block outlives its allocator");
  Trim();
}

void* Allocator::Pop(int size_class) {
  Cache& cache = caches_[size_class];
  const int start = cache.hint.load(std::memory_order_relaxed);
  for (int i = 0; i < kSlots; ++i) {
    const int slot = (start - i) & (kSlots - 1);
    if (cache.slots[slot].load(std::memory_order_relaxed) == nullptr) continue;
    if (void* block = cache.slots[slot].exchange(nullptr, std::memory_order_acquire)) {
      cache.hint.store((slot - 1) & (kSlots - 1), std::memory_order_relaxed);
      return block;
    }
  }
  return nullptr;
}

bool Allocator::Push(int size_class, void* block) {
  Cache& cache = caches_[size_class];
  const int start = cache.hint.load(std::memory_order_relaxed) + 1;
  for (int i = 0; i < kSlots; ++i) {
    const int slot = (start + i) & (kSlots - 1);
    void* empty = nullptr;
    if (cache.slots[slot].load(std::memory_order_relaxed) == nullptr &&
        cache.slots[slot].compare_exchange_strong(empty, block, std::memory_order_release,
                                                  std::memory_order_relaxed)) {
      cache.hint.store(slot, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

StatusOr<void*> Allocator::Allocate(size_t size) {
  if (size > kLargestClass) {
    return ResourceExhausted("out of memory: " + std::to_string(size) +
                             " bytes are more than any machine has");
  }
  const int size_class = SizeClass(size);
  const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
  const int64_t in_use = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (in_use > limit_) {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    return ResourceExhausted("out of memory: allocating " + std::to_string(size) +
                             " bytes with " + std::to_string(in_use - bytes) +
                             " bytes in use passes the limit of " +
                             std::to_string(limit_) + " bytes");
  }
  void* block = Pop(size_class);
  if (block) {
    cached_.fetch_sub(bytes, std::memory_order_relaxed);
  } else {
    // Cached blocks take memory too: free them before the total passes the limit.
    if (in_use + cached_.load(std::memory_order_relaxed) > limit_) Trim();
    block = SystemAllocate(static_cast<size_t>(bytes), huge_pages_);
    if (!block) {
      Trim();
      block = SystemAllocate(static_cast<size_t>(bytes), huge_pages_);
    }
    if (!block) {
      in_use_.fetch_sub(bytes, std::memory_order_relaxed);
      return ResourceExhausted("out of memory: the system has no " +
                               std::to_string(size) + " bytes with " +
                               std::to_string(in_use - bytes) + " bytes in use");
    }
  }
  allocations_.fetch_add(1, std::memory_order_relaxed);
  RaiseTo(peak_, in_use);
  RaiseTo(largest_, static_cast<int64_t>(size));
  return block;
}

void Allocator::Free(void* block, size_t size) {
  const int size_class = SizeClass(size);
  const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
  in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  const int64_t cached = cached_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (cached <= cache_limit_ && Push(size_class, block)) return;
  cached_.fetch_sub(bytes, std::memory_order_relaxed);
  SystemFree(block, static_cast<size_t>(bytes));
}

void Allocator::Trim() {
  for (int size_class = 0; size_class < kNumClasses; ++size_class) {
    for (std::atomic<void*>& slot : caches_[size_class].slots) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (void* block = slot.exchange(nullptr, std::memory_order_acquire)) {
        cached_.fetch_sub(static_cast<int64_t>(ClassBytes(size_class)),
                          std::memory_order_relaxed);
        SystemFree(block, ClassBytes(size_class));
      }
    }
  }
}

AllocatorStats Allocator::stats() const {
  AllocatorStats stats;
  stats.in_use = in_use_.load(std::memory_order_relaxed);
  stats.peak_in_use = peak_.load(std::memory_order_relaxed);
  stats.allocations = allocations_.load(std::memory_order_relaxed);
  stats.largest = largest_.load(std::memory_order_relaxed);
  stats.limit = limit_;
  stats.cached = cached_.load(std::memory_order_relaxed);
  return stats;
}

void Allocator::ClearStats() {
  peak_.store(in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  allocations_.store(0, std::memory_order_relaxed);
  largest_.store(0, std::memory_order_relaxed);
}

}  // namespace tenon::runtime
