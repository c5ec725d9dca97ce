// A device that does nothing: the template for a new one. Copy the folder, rename it, and
// fill in what says UNIMPLEMENTED; docs/adding/device.md walks through it.
#ifndef TENON_DEVICES_NULL_NULL_DEVICE_H_
#define TENON_DEVICES_NULL_NULL_DEVICE_H_

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/device/device.h"

namespace tenon::null {

// 1. Memory. Opaque to the host: true in the constructor says that the host may read and
// write it, and makes copies through queues unnecessary.
class NullMemory final : public device::MemorySpace {
 public:
  NullMemory() : MemorySpace(/*host_addressable=*/false) {}
  StatusOr<void*> Allocate(size_t size) override;
  void Free(void* block, size_t size) override;
  device::MemoryUsage Usage() const override;
  void ClearPeaks() override;
};

// 2. What the device makes of an image: here nothing.
class NullProgram final : public device::Program {};

// 3. Work. One queue for everything is a good start.
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

// 4. The devices of a client, running.
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

// 5. What there is without a client: names, options, topology.
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
