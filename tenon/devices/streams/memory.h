// Memory of a device, or host memory that devices can access.
//
// Freed blocks are kept by size class and reused, because allocations of drivers take
// long and may wait for the device. They are given back when the limit or the driver
// leaves no room. Thread-safe.
#ifndef TENON_DEVICES_STREAMS_MEMORY_H_
#define TENON_DEVICES_STREAMS_MEMORY_H_

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/memory_space.h"

namespace tenon::streams {

class Memory final : public device::MemorySpace {
 public:
  struct Options {
    bool host_addressable = false;
    std::string owner;         // names the device in errors
    size_t limit = 0;          // bytes in use at most
    size_t largest_block = 0;  // of the driver
    // RESOURCE_EXHAUSTED if the driver is full.
    std::function<StatusOr<void*>(size_t)> allocate;
    std::function<void(void*)> free;
  };
  explicit Memory(Options options);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  // Gives back the blocks that are kept. Every block must have been freed.
  ~Memory() override;

  StatusOr<void*> Allocate(size_t size) override;
  void Free(void* block, size_t size) override;
  device::MemoryUsage Usage() const override;
  void ClearPeaks() override;

  // Whether `address` is within a block of this memory.
  bool Contains(const void* address) const;

 private:
  // Both require mutex_. Trim gives back all blocks that are kept.
  void Trim();
  Status OutOfMemory(size_t wanted, const Status& reason) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::vector<std::vector<void*>> kept_;  // by size class
  std::map<const char*, size_t> blocks_;  // of the driver: sizes by address
  device::MemoryUsage usage_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_MEMORY_H_
