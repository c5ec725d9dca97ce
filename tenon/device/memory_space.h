// Memory of a device, as the device offers it.
//
// Thread-safe. A block is an address that the device understands. The host may read and
// write it only if the space is host-addressable: elsewhere contents move through a
// Queue.
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

// Every block begins at a multiple of so many bytes.
inline constexpr size_t kAlignment = 64;

struct MemoryUsage {  // bytes, but for the count
  int64_t in_use = 0;
  int64_t peak_in_use = 0;
  int64_t allocations = 0;  // since the last ClearPeaks
  int64_t largest = 0;
  int64_t limit = 0;
  int64_t cached = 0;  // held from the system, not in use
};

class MemorySpace {
 public:
  virtual ~MemorySpace() = default;

  bool host_addressable() const { return host_addressable_; }

  // At least `size` bytes, never null, not cleared. RESOURCE_EXHAUSTED, saying what is in
  // use and what the limit is, if there is no room.
  virtual StatusOr<void*> Allocate(size_t size) = 0;
  // `size` as given to Allocate. No operation in a queue uses the block any more.
  virtual void Free(void* block, size_t size) = 0;

  virtual MemoryUsage Usage() const = 0;
  // The peak starts at what is in use now, the counts at 0.
  virtual void ClearPeaks() = 0;

 protected:
  explicit MemorySpace(bool host_addressable) : host_addressable_(host_addressable) {}

 private:
  const bool host_addressable_;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_MEMORY_SPACE_H_
