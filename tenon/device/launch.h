// One execution of a program on a device, as a queue sees it.
#ifndef TENON_DEVICE_LAUNCH_H_
#define TENON_DEVICE_LAUNCH_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/device/program.h"
#include "tenon/executable/run_context.h"
#include "tenon/executable/run_ids.h"

namespace tenon::device {

// A result that begins as a copy of an argument.
struct AliasCopy {
  void* to;
  const void* from;
  size_t size;
};

struct LaunchBuffers {
  const RunBuffer* arguments = nullptr;  // one a parameter
  const RunBuffer* results = nullptr;    // one a result
  std::vector<AliasCopy> copies;         // to be made before the program runs
};

// Owned by the queue from Queue::Submit on, until Finish. One thread at a time.
class Launch {
 public:
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  virtual const std::shared_ptr<const Program>& program() const = 0;
  virtual const RunIds& ids() const = 0;

  // Calls `ready` once all arguments are ready, with error or without: within this call
  // if they are, else on the thread that completes the last of them. Called once.
  virtual void WhenArgumentsReady(std::function<void()> ready) = 0;
  // Instead of the former, for queues with an order of their own. The events of arguments
  // that were not ready when the launch was made, valid until AwaitArguments; then, on a
  // thread of the queue's: waits for them.
  virtual std::vector<Event> PendingArguments() const = 0;
  virtual void AwaitArguments() = 0;
  // Only once the arguments are ready. Whether one of them has failed, so that Prepare
  // will return that error.
  virtual bool HasFailed() const = 0;
  // Allocates what is not allocated yet and says where everything is. Only once the
  // arguments are ready. After an error only Finish may follow.
  virtual Status Prepare(LaunchBuffers* buffers) = 0;
  // The execution has ended: ends the uses of the arguments, completes the results with
  // `status`, destroys the launch.
  virtual void Finish(Status status) = 0;

 protected:
  Launch() = default;
  ~Launch() = default;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_LAUNCH_H_
