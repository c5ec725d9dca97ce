// The host's memory as a memory space of a device.
#ifndef TENON_RUNTIME_HOST_MEMORY_H_
#define TENON_RUNTIME_HOST_MEMORY_H_

#include "tenon/device/memory_space.h"
#include "tenon/runtime/allocator.h"

namespace tenon::runtime {

class HostMemory final : public device::MemorySpace {
 public:
  // `allocator` must outlive the space. Several spaces may share it.
  explicit HostMemory(Allocator& allocator)
      : MemorySpace(/*host_addressable=*/true), allocator_(allocator) {}

  StatusOr<void*> Allocate(size_t size) override { return allocator_.Allocate(size); }
  void Free(void* block, size_t size) override { allocator_.Free(block, size); }
  device::MemoryUsage Usage() const override {
    const AllocatorStats stats = allocator_.stats();
    return {.in_use = stats.in_use,
            .peak_in_use = stats.peak_in_use,
            .allocations = stats.allocations,
            .largest = stats.largest,
            .limit = stats.limit,
            .cached = stats.cached};
  }
  void ClearPeaks() override { allocator_.ClearStats(); }

 private:
  Allocator& allocator_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_HOST_MEMORY_H_
