// One device with streams: its memory, and queues for executions and for copies in each
// direction. Thread-safe.
#ifndef TENON_DEVICES_STREAMS_DEVICE_H_
#define TENON_DEVICES_STREAMS_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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
    // Creates the one for other libraries, which few clients need.
    std::function<StatusOr<std::unique_ptr<Stream>>()> external;
  };
  // All memory, and all else that `facts` names, must outlive the device.
  Device(const RunDevice& facts, const HostMemories& host, Streams streams)
      : memory_(*facts.memory),
        host_(host),
        facts_(facts),
        create_external_(std::move(streams.external)) {
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

  std::string hardware() const override { return facts_.name; }

  StatusOr<intptr_t> ExternalStream() override {
    TENON_ASSIGN_OR_RETURN(Queue* const queue, External());
    return queue->stream().handle();
  }
  Status WaitOnStream(intptr_t stream, const Event& event) override {
    const std::shared_ptr<Mark> mark = Queue::AwaitMark(event);
    if (!mark) return event.Await();
    TENON_ASSIGN_OR_RETURN(Queue* const queue, External());
    return queue->stream().HoldBack(stream, *mark);
  }
  StatusOr<Event> EventOfStream(intptr_t stream) override {
    TENON_ASSIGN_OR_RETURN(Queue* const queue, External());
    return queue->EventOf(stream);
  }

 private:
  StatusOr<Queue*> External() {
    std::lock_guard lock(mutex_);
    if (!external_) {
      TENON_ASSIGN_OR_RETURN(auto stream, create_external_());
      external_ = std::make_unique<Queue>(facts_, std::move(stream));
    }
    return external_.get();
  }

  Memory& memory_;
  const HostMemories host_;
  const RunDevice facts_;
  const std::function<StatusOr<std::unique_ptr<Stream>>()> create_external_;
  std::mutex mutex_;
  std::unique_ptr<Queue> external_;  // null before its first use; needs mutex_
  std::unique_ptr<Queue> compute_, to_device_, to_host_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_DEVICE_H_
