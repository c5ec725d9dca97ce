// The memory of a simulated accelerator: of a fixed size, at addresses that the host
// cannot touch.
//
// Thread-safe.
#ifndef TENON_DEVICES_SIM_SIM_MEMORY_H_
#define TENON_DEVICES_SIM_SIM_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tenon/base/status.h"
#include "tenon/device/memory_space.h"

namespace tenon::sim {

class SimMemory final : public device::MemorySpace {
 public:
  // `owner` names the device in errors.
  static StatusOr<std::unique_ptr<SimMemory>> Create(std::string owner, size_t size);
  ~SimMemory() override;

  StatusOr<void*> Allocate(size_t size) override;
  void Free(void* block, size_t size) override;
  device::MemoryUsage Usage() const override;
  void ClearPeaks() override;

  // Where the device's own threads find `address`; null if it is not of this memory.
  void* Translate(const void* address) const;

 private:
  SimMemory(std::string owner, size_t size, char* window, char* backing);
  // With mutex_ held: what is in use and free, for people.
  std::string Report(size_t wanted) const;

  const std::string owner_;
  const size_t size_;
  char* const window_;   // addresses without access: what the host sees
  char* const backing_;  // the bytes: what the device sees
  mutable std::mutex mutex_;
  std::map<size_t, size_t> free_;  // size by offset, no two adjacent
  std::map<size_t, size_t> used_;  // the same of blocks
  device::MemoryUsage usage_;
};

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_SIM_MEMORY_H_
