// One OpenCL device or sub-device: its memory, and queues for executions and for copies
// in each direction. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_DEVICE_H_
#define TENON_DEVICES_OPENCL_DEVICE_H_

#include <memory>

#include "tenon/device/device.h"
#include "tenon/devices/opencl/memory.h"
#include "tenon/devices/opencl/queue.h"

namespace tenon::opencl {

class Device final : public device::Device {
 public:
  struct Memories {
    std::unique_ptr<Memory> device;
    device::MemorySpace* pinned = nullptr;    // host memory
    device::MemorySpace* unpinned = nullptr;  // host memory
  };
  // Creates the queues. `facts.memory` is ignored. The spaces on the host, and all that
  // `facts` names, must outlive the device.
  static StatusOr<std::unique_ptr<Device>> Create(RunDevice facts, cl_device_id id,
                                                  Memories memories) {
    std::unique_ptr<Device> device(new Device(std::move(memories)));
    facts.memory = device->memories_.device.get();
    TENON_ASSIGN_OR_RETURN(device->compute_, Queue::Create(facts, id));
    TENON_ASSIGN_OR_RETURN(device->to_device_, Queue::Create(facts, id));
    TENON_ASSIGN_OR_RETURN(device->to_host_, Queue::Create(facts, id));
    return device;
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
  explicit Device(Memories memories) : memories_(std::move(memories)) {}

  const Memories memories_;
  std::unique_ptr<Queue> compute_, to_device_, to_host_;
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_DEVICE_H_
