// One memory space of a device.
//
// A block of memory is named by an address that the device understands. The host may read
// and write the block only if the space is host-addressable. Otherwise its contents move
// through a Queue, and the client treats the address as opaque: it only adds offsets.
#ifndef TENON_DEVICE_MEMORY_SPACE_H_
#define TENON_DEVICE_MEMORY_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::device {

// What frameworks call memory kinds; the values are PJRT's kind ids.
enum class MemoryKind : int { kDevice = 0, kPinnedHost = 1, kUnpinnedHost = 2 };
inline constexpr int kNumMemoryKinds = 3;
inline constexpr std::string_view kMemoryKindNames[kNumMemoryKinds] = {
    "device", "pinned_host", "unpinned_host"};

// The alignment of every block, in bytes.
inline constexpr size_t kAlignment = 64;

// Statistics of a memory space; what jax.Device.memory_stats() reports. All are bytes,
// except the number of allocations.
struct MemoryUsage {
  int64_t in_use = 0;       // in blocks that are allocated now
  int64_t peak_in_use = 0;  // the most that were in use since the last ClearPeaks
  int64_t allocations = 0;  // how many were made since the last ClearPeaks
  int64_t largest = 0;      // the largest allocation since the last ClearPeaks
  int64_t limit = 0;        // the most that may be in use
  int64_t cached = 0;       // taken from the system, but not in use
};

// Owned by its device. Thread-safe: the client calls it from any thread, also from a
// queue's threads within Launch::Prepare and Launch::Finish.
class MemorySpace {
 public:
  virtual ~MemorySpace() = default;

  // Whether addresses of this space are ordinary host addresses. Never changes.
  bool host_addressable() const { return host_addressable_; }

  // Returns a block of at least `size` bytes, aligned to kAlignment. The address is never
  // null and differs from those of all other live blocks, also if `size` is 0. The
  // contents are undefined. Must not wait for other operations of the device.
  //
  // RESOURCE_EXHAUSTED if there is no room. The user sees the message, so it should name
  // the device, the size that was asked for, the bytes in use, and the limit.
  virtual StatusOr<void*> Allocate(size_t size) = 0;

  // Gives back a block. `size` is the size that was passed to Allocate. No operation of a
  // queue that uses the block is pending or running. Cannot fail.
  virtual void Free(void* block, size_t size) = 0;

  // The statistics now.
  virtual MemoryUsage Usage() const = 0;
  // Sets the peak to the bytes in use now, and `allocations` and `largest` to 0.
  virtual void ClearPeaks() = 0;

 protected:
  explicit MemorySpace(bool host_addressable) : host_addressable_(host_addressable) {}

 private:
  const bool host_addressable_;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_MEMORY_SPACE_H_
