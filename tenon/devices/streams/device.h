// One device with streams: its memory, and queues for executions and for copies in each
// direction. Thread-safe.
#ifndef TENON_DEVICES_STREAMS_DEVICE_H_
#define TENON_DEVICES_STREAMS_DEVICE_H_

#include <memory>
#include <utility>

#include "tenon/device/device.h"
#include "tenon/devices/streams/memory.h"
#include "tenon/devices/streams/queue.h"

namespace tenon::streams {

class Device final : public device::Device {
 public:
  struct HostMemories {
    device::MemorySpace* pinned = nullptr;
    device::MemorySpace* unpinned = nullptr;
  };
  struct Streams {
    std::unique_ptr<Stream> compute, to_device, to_host;
  };
  // All memory, and all else that `facts` names, must outlive the device.
  Device(const RunDevice& facts, const HostMemories& host, Streams streams)
      : memory_(*facts.memory), host_(host) {
    compute_ = std::make_unique<Queue>(facts, std::move(streams.compute));
    to_device_ = std::make_unique<Queue>(facts, std::move(streams.to_device));
    to_host_ = std::make_unique<Queue>(facts, std::move(streams.to_host));
  }

  device::MemorySpace& memory(device::MemoryKind kind) override {
    switch (kind) {
      case device::MemoryKind::kDevice:
        return memory_;
      case device::MemoryKind::kPinnedHost:
        return *host_.pinned;
      case device::MemoryKind::kUnpinnedHost:
        return *host_.unpinned;
    }
    return *host_.unpinned;
  }
  Queue& compute() override { return *compute_; }
  device::Queue& to_device() override { return *to_device_; }
  device::Queue& to_host() override { return *to_host_; }

 private:
  Memory& memory_;
  const HostMemories host_;
  std::unique_ptr<Queue> compute_, to_device_, to_host_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_DEVICE_H_
