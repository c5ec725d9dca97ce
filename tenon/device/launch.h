// One execution of a program on one device, as a queue sees it. The client implements
// Launch; a device calls it.
#ifndef TENON_DEVICE_LAUNCH_H_
#define TENON_DEVICE_LAUNCH_H_

#include <atomic>
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

// A copy of an argument into a result. The program expects the argument's contents in the
// result's memory, because it updates them in place, but the argument was not donated.
struct AliasCopy {
  void* to;          // the result's address
  const void* from;  // the argument's address; does not overlap the result
  size_t size;       // bytes, more than 0
};

// What a device keeps beside the contents of an argument, such as their packed form. The
// client destroys it before the contents change, or when their memory is freed.
class Companion {
 public:
  virtual ~Companion() = default;
};

// Where the arguments and results of one execution are.
//
// Addresses are as MemorySpace::Allocate of some memory space of the device returned
// them, or addresses of host memory that a framework shares with a buffer. A buffer
// without bytes may have a null address. Everything stays valid until Launch::Finish.
struct LaunchBuffers {
  const RunBuffer* arguments = nullptr;  // an array, one per parameter
  const RunBuffer* results = nullptr;    // an array, one per result
  // One per parameter, if Program::keeps_companions: where the device finds and sets the
  // companion of the argument, which then belongs to the client. Null for an argument
  // that may have none. Launches with the same argument may run at the same time.
  std::atomic<Companion*>* const* companions = nullptr;
  // The device makes these copies before the program starts.
  std::vector<AliasCopy> copies;
};

// One execution of a program on one device.
//
// Queue::Submit passes ownership to the queue, and Finish, which must be called exactly
// once, ends it. In between any thread may call the methods, but only one at a time.
//
// The sequence is: wait for the arguments by WhenArgumentsReady or AwaitArguments; call
// Prepare; make the copies that it lists; run program(); call Finish. A queue whose
// hardware runs launches in order need not wait for arguments that earlier launches of
// the same queue compute: it may call Prepare once those have been prepared, and must
// then pass the error of such an argument to Finish.
class Launch {
 public:
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // What to run. It was returned by System::Load of the same System.
  virtual const std::shared_ptr<const Program>& program() const = 0;
  // The ids under which the program runs. Valid until Finish.
  virtual const RunIds& ids() const = 0;

  // For queues that have no order of their own. Calls `ready` once, when all arguments
  // are ready, with or without error. If they are ready already, `ready` runs within this
  // call; otherwise it runs on the thread that completes the last of them, and must not
  // block that thread. Call this at most once; `ready` may call Finish.
  virtual void WhenArgumentsReady(std::function<void()> ready) = 0;

  // For queues that keep an order: use these two instead of WhenArgumentsReady.
  // PendingArguments returns the events of the arguments that were not ready when the
  // launch was submitted. From Event::work a queue can tell whether it knows the
  // operation that will complete an event. Valid until AwaitArguments is called.
  virtual std::vector<Event> PendingArguments() const = 0;
  // Blocks until all arguments are ready, with or without error. Call it at most once,
  // and only on a thread that belongs to the queue. The operations behind
  // PendingArguments must be able to make progress in the meantime.
  virtual void AwaitArguments() = 0;

  // Whether an argument has failed, so that Prepare will return its error. May be called
  // once the arguments are ready. Lets a queue skip the work of a launch that cannot run.
  virtual bool HasFailed() const = 0;

  // Allocates results that have no memory yet, and fills `*buffers`. Call it once, when
  // the arguments are ready. Does not block.
  //
  // Returns the error of an argument that failed, or RESOURCE_EXHAUSTED if a result does
  // not fit. After an error the program must not run; pass the error to Finish.
  virtual Status Prepare(LaunchBuffers* buffers) = 0;

  // Ends the execution. `status` is ok only if all results have been written; otherwise
  // it is the error of the device, such as a failed launch, and becomes the error of
  // every result and of everything computed from them. The arguments are released, the
  // results complete, and the launch is destroyed. Callbacks of the results run within
  // this call.
  virtual void Finish(Status status) = 0;

 protected:
  Launch() = default;
  ~Launch() = default;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_LAUNCH_H_
