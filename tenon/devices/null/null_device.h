// A device that does nothing: the template for a new one. Copy the folder, rename it, and
// implement each function that returns UNIMPLEMENTED. docs/adding/device.md is the guide.
#ifndef TENON_DEVICES_NULL_NULL_DEVICE_H_
#define TENON_DEVICES_NULL_NULL_DEVICE_H_

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/device/device.h"

namespace tenon::null {

// 1. Memory. This space is opaque to the host, so the client copies through queues and
// needs a host-addressable space for MemoryKind::kPinnedHost. Pass true to the
// constructor if the host can read and write the device's memory; then neither is needed.
class NullMemory final : public device::MemorySpace {
 public:
  NullMemory() : MemorySpace(/*host_addressable=*/false) {}
  StatusOr<void*> Allocate(size_t size) override;
  void Free(void* block, size_t size) override;
  device::MemoryUsage Usage() const override;
  void ClearPeaks() override;
};

// 2. A loaded image. Add what the device needs to run it.
class NullProgram final : public device::Program {};

// 3. Executions and copies. One queue for everything is a good start.
class NullQueue final : public device::Queue {
 public:
  void Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) override;
  void CopyAfter(const device::Copy& copy, Event after,
                 std::function<void(const Status&)> done) override;
};

class NullDevice final : public device::Device {
 public:
  device::MemorySpace& memory(device::MemoryKind) override { return memory_; }
  device::Queue& compute() override { return queue_; }
  device::Queue& to_device() override { return queue_; }
  device::Queue& to_host() override { return queue_; }

 private:
  NullMemory memory_;
  NullQueue queue_;
};

// 4. The running devices of a client.
class NullSystem final : public device::System {
 public:
  explicit NullSystem(int64_t device_count);
  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override;
  void RunOnHost(std::function<void()> work) override { work(); }

 private:
  std::vector<std::unique_ptr<NullDevice>> devices_;
  std::vector<device::Device*> pointers_;
};

// 5. The platform: its names, options and topology.
class NullPlatform final : public device::Platform {
 public:
  std::string_view name() const override { return "tenon_null"; }
  std::string_view device_kind() const override { return "null"; }
  const Machine& host() const override;
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override;
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override;
};

}  // namespace tenon::null

#endif  // TENON_DEVICES_NULL_NULL_DEVICE_H_
