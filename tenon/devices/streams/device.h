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
  struct Memories {
    std::unique_ptr<Memory> device;
    device::MemorySpace* pinned = nullptr;    // host memory
    device::MemorySpace* unpinned = nullptr;  // host memory
  };
  struct Streams {
    std::unique_ptr<Stream> compute, to_device, to_host;
  };
  // The spaces on the host, and all that `facts` names, must outlive the device.
  Device(RunDevice facts, Memories memories, Streams streams)
      : memories_(std::move(memories)) {
    facts.memory = memories_.device.get();
    compute_ = std::make_unique<Queue>(facts, std::move(streams.compute));
    to_device_ = std::make_unique<Queue>(facts, std::move(streams.to_device));
    to_host_ = std::make_unique<Queue>(facts, std::move(streams.to_host));
  }

  device::MemorySpace& memory(device::MemoryKind kind) override {
    switch (kind) {
      case device::MemoryKind::kDevice:
        return *memories_.device;
      case device::MemoryKind::kPinnedHost:
        return *memories_.pinned;
      case device::MemoryKind::kUnpinnedHost:
        return *memories_.unpinned;
    }
    return *memories_.unpinned;
  }
  Queue& compute() override { return *compute_; }
  device::Queue& to_device() override { return *to_device_; }
  device::Queue& to_host() override { return *to_host_; }

 private:
  const Memories memories_;
  std::unique_ptr<Queue> compute_, to_device_, to_host_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_DEVICE_H_
