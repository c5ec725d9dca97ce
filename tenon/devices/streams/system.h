// The devices of one client, whose commands run in streams.
#ifndef TENON_DEVICES_STREAMS_SYSTEM_H_
#define TENON_DEVICES_STREAMS_SYSTEM_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/devices/streams/device.h"
#include "tenon/devices/streams/memory.h"
#include "tenon/devices/streams/stream.h"
#include "tenon/runtime/host_memory.h"
#include "tenon/runtime/runtime.h"

namespace tenon::streams {

class System final : public device::System {
 public:
  // What one device consists of.
  struct DeviceParts {
    std::string name;  // for errors
    Memory::Options memory;
    Device::Streams streams;
  };

  // `loader` also owns what the parts of the devices refer to, such as the context.
  System(const device::SystemOptions& options, std::unique_ptr<KernelLoader> loader);

  // Host memory that kernels can access. Before the first AddDevice.
  void AddPinnedMemory(std::string owner, std::function<StatusOr<void*>(size_t)> allocate,
                       std::function<void(void*)> free);
  void AddDevice(DeviceParts parts);

  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override;
  // The launches have no place in the queues: only their arguments order them.
  void SubmitGang(std::vector<device::Launch*> launches, device::SharedRun run) override;
  void RunOnHost(std::function<void()> work) override {
    host_.runners().Schedule(std::move(work));
  }

 private:
  // In this order, because each needs those before it. Tasks of the host's threads free
  // blocks when they end, which may be after the client's last transfer, so memory
  // outlives the threads.
  const std::unique_ptr<KernelLoader> loader_;
  std::unique_ptr<Memory> pinned_;  // null if kernels cannot access host memory
  std::vector<std::unique_ptr<Memory>> memories_;  // by device
  runtime::Runtime host_;
  runtime::HostMemory unpinned_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<device::Device*> pointers_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_SYSTEM_H_
