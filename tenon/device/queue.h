// Where a device is given work. Everything returns at once; the work is done later, by
// the device or on threads of the queue.
//
// Thread-safe. Order between operations is said by events alone: a queue may do what it
// has in order or not, as long as an operation starts after the events it was given.
#ifndef TENON_DEVICE_QUEUE_H_
#define TENON_DEVICE_QUEUE_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/device/memory_space.h"

namespace tenon::device {

// A copy of contents. A null space is host memory that no space owns.
struct Copy {
  void* to = nullptr;
  MemorySpace* to_space = nullptr;
  const void* from = nullptr;
  MemorySpace* from_space = nullptr;
  size_t size = 0;
};

class Queue {
 public:
  virtual ~Queue() = default;

  // Executions.

  // What somebody who waits for a launch of `program` can do for it, for
  // Event::Pending; may be null.
  virtual std::shared_ptr<Event::Work> MakeWork(const std::shared_ptr<const Program>&) {
    return nullptr;
  }
  // Runs the launch once its arguments are ready. `work` is what MakeWork returned for
  // it. Errors of the device (out of memory, a failed launch, a lost device) are given
  // to Launch::Finish.
  virtual void Submit(Launch* launch, std::shared_ptr<Event::Work> work) = 0;
  // Runs a program of which RunsInCall is true within this call. All of it is ready.
  virtual Status Run(const Program& program, const LaunchBuffers& buffers,
                     const RunIds& ids) {
    (void)program;
    (void)buffers;
    (void)ids;
    return Unimplemented("this device runs nothing within a call");
  }

  // Copies, of which at least one side is not host-addressable.

  // Copies once `after` (not null) is complete; if that failed, with its error. `done` is
  // called once, on any thread, and must not block.
  virtual void CopyAfter(const Copy& copy, Event after,
                         std::function<void(const Status&)> done) = 0;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_QUEUE_H_
