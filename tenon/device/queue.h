// A queue accepts work for a device. Submit and CopyAfter return at once; the device, or
// threads of the queue, do the work later.
//
// Only events order operations: an operation starts after the events that it was given.
// Apart from that a queue may run its operations in order, out of order or at the same
// time. A queue that runs them in order must never wait for an operation that was
// submitted after the waiting one.
#ifndef TENON_DEVICE_QUEUE_H_
#define TENON_DEVICE_QUEUE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/device/memory_space.h"

namespace tenon::device {

// A copy of `size` bytes from one block to another. The blocks do not overlap.
//
// Each address lies in a block of its space, and may be inside the block. A null space
// means host memory that belongs to no space.
struct Copy {
  void* to = nullptr;
  MemorySpace* to_space = nullptr;
  const void* from = nullptr;
  MemorySpace* from_space = nullptr;
  size_t size = 0;  // bytes, more than 0
};

// Owned by its device. Thread-safe.
class Queue {
 public:
  virtual ~Queue() = default;

  // Executions. The client calls these four methods on Device::compute() only.

  // Creates the Event::Work of a launch of `program`, or returns null if there is none.
  // The client attaches it to the event of the launch's results before it calls Submit.
  // Work serves two purposes: a thread that is about to wait for the event can help (see
  // Event::Work::Help), and a queue can recognize its own events (see Event::work).
  virtual std::shared_ptr<Event::Work> MakeWork(const std::shared_ptr<const Program>&) {
    return nullptr;
  }

  // Takes ownership of `launch` and runs it once its arguments are ready; see Launch for
  // the sequence. `work` is the object that MakeWork returned for this launch.
  //
  // Submit must not block: the caller is the framework's thread. It has no error of its
  // own. Every error of the device goes to Launch::Finish: RESOURCE_EXHAUSTED for
  // temporaries that do not fit, INTERNAL for a failed launch, UNAVAILABLE for a lost
  // device. Finish must be called also for launches that are pending when a device is
  // lost.
  virtual void Submit(Launch* launch, std::shared_ptr<Event::Work> work) = 0;

  // Runs a program whose RunsInline returned true, on the calling thread, and returns
  // when the results are written. The arguments are ready and the results have memory.
  // Makes the copies in `buffers` first. Called instead of Submit; there is no Launch. A
  // device whose programs never answer true to RunsInline does not implement it.
  virtual Status Run(const Program& program, const LaunchBuffers& buffers,
                     const RunIds& ids) {
    (void)program;
    (void)buffers;
    (void)ids;
    return Unimplemented("this device runs nothing within a call");
  }

  // Calls `then` once: when the launch that will complete `event` has been prepared, so
  // that its results have memory, or when the event is complete. May call it within this
  // call; `then` does not block. A queue need not know the event. If it does, copies of
  // results are submitted before they are computed.
  virtual void WhenPrepared(const Event& event, std::function<void()> then) {
    event.OnReady([then = std::move(then)](const Status&) { then(); });
  }

  // Copies. The client uses queues only for copies with at least one side that is not
  // host-addressable. It calls Device::to_host() of the source for copies to the host,
  // and Device::to_device() of the destination for all others, including copies from
  // another device of the same System.

  // Makes the copy after `after` is complete. `after` refers to an event, which may
  // belong to another queue.
  //
  // Must not block. Calls `done` exactly once, on any thread: with ok after the last byte
  // is written, with the error of `after` if that failed, or with the device's own error.
  // `done` does not block. Both blocks stay allocated until `done` has been called.
  virtual void CopyAfter(const Copy& copy, Event after,
                         std::function<void(const Status&)> done) = 0;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_QUEUE_H_
