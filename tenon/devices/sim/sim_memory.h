// The memory of a simulated accelerator. It has a fixed size, and its addresses fault
// when the host touches them. Thread-safe.
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

  // The host address at which the device's own threads access `address`. Null if
  // `address` is not in this memory.
  void* Translate(const void* address) const;

 private:
  SimMemory(std::string owner, size_t size, char* window, char* backing);
  // The text of an out-of-memory error: what is in use and free. Requires mutex_.
  std::string Report(size_t wanted) const;

  const std::string owner_;
  const size_t size_;
  char* const window_;   // the addresses that the client gets, without access rights
  char* const backing_;  // the bytes
  mutable std::mutex mutex_;
  std::map<size_t, size_t> free_;  // free pieces, size by offset, no two adjacent
  std::map<size_t, size_t> used_;  // blocks in use, size by offset
  device::MemoryUsage usage_;
};

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_SIM_MEMORY_H_
