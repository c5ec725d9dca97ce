// One execution of a program on one device, from its arguments to its results.
//
// Prepared by the thread that calls Execute; then run within that call, or given to a
// queue of the device. At any time one thread owns it.
#ifndef TENON_PJRT_CLIENT_LAUNCH_H_
#define TENON_PJRT_CLIENT_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/pjrt/client/local_buffer.h"
#include "tenon/pjrt/client/local_executable.h"
#include "tenon/pjrt/interface/executable.h"

namespace tenon::pjrt {

// What all launches of a loaded executable share; kept alive by those in flight.
struct LaunchTarget {
  std::shared_ptr<LocalExecutable> executable;
  std::shared_ptr<const device::Program> program;
  ClientContext& context;
  std::atomic<int64_t>& next_run_id;
};

class Launch final : public device::Launch {
 public:
  struct Deleter {
    void operator()(Launch* launch) const;
  };
  using Ptr = std::unique_ptr<Launch, Deleter>;

  // `target` outlives the launch, or at least its preparation (see Submit).
  static Ptr Create(const LaunchTarget& target, LocalDevice* device);

  // Checks the arguments, begins to use them and takes those that are donated. After an
  // error the launch can only be rolled back.
  Status Acquire(std::span<Buffer* const> arguments,
                 std::span<const int64_t> non_donatable, const RunIds& ids);
  // Gives back what Acquire took, in favour of an error.
  void Rollback();
  // Whether all arguments are ready, with error or without.
  bool arguments_ready() const { return num_pending_ == 0; }

  // Gets storage for the results: with memory if `now`, else it comes when the program
  // starts.
  Status AllocateResults(bool now);
  // Fills `outputs` with buffers that are ready when `ready` is.
  void MakeOutputs(std::span<std::unique_ptr<Buffer>> outputs, const Event& ready);

  // Runs within this call; the result is the event of the outputs. All arguments are
  // ready and the results have memory.
  Event RunHere();
  // What somebody who waits for the launch can do for it; may be null.
  std::shared_ptr<Event::Work> MakeWork() const {
    return device_->device().compute().MakeWork(target_->program);
  }
  // Gives the launch to the device's queue. It completes `done`, whose work is `work`,
  // and keeps `target` and `context` until then.
  static void Submit(Ptr launch, std::shared_ptr<const LaunchTarget> target,
                     std::shared_ptr<const ExecuteContext> context, Event done,
                     std::shared_ptr<Event::Work> work);

  // device::Launch, once it is submitted:
  const std::shared_ptr<const device::Program>& program() const override {
    return target_->program;
  }
  const RunIds& ids() const override { return ids_; }
  void WhenArgumentsReady(std::function<void()> ready) override;
  std::vector<Event> PendingArguments() const override;
  void AwaitArguments() override;
  bool HasFailed() const override { return !argument_error_.ok(); }
  Status Prepare(device::LaunchBuffers* buffers) override;
  void Finish(Status status) override;

 private:
  struct Argument {
    LocalBuffer* buffer;  // the caller's: only while preparing
    StorageUse use;       // null if the storage went to a result
    StorageRef donated;   // until it goes to a result
    Event ready;          // if it was not ready when acquired
  };
  struct Result {
    StorageRef storage;
  };

  Launch(const LaunchTarget& target, LocalDevice* device);
  ~Launch();

  const LocalExecutable& executable() const { return *target_->executable; }
  size_t num_arguments() const { return executable().parameter_shapes().size(); }
  size_t num_results() const { return executable().output_shapes().size(); }
  Status AcquireOne(size_t index, Buffer* argument, bool donatable);
  void ArgumentReady(const Status& status);

  const LaunchTarget* const target_;
  LocalDevice* const device_;
  RunIds ids_;
  std::span<Argument> arguments_;  // behind the object, as the next two
  std::span<Result> results_;
  RunBuffer* run_buffers_;  // of the arguments, then of the results
  int64_t num_pending_ = 0;
  Status argument_error_;

  // What a launch in a queue needs further.
  std::shared_ptr<const LaunchTarget> held_target_;
  std::shared_ptr<const ExecuteContext> held_context_;
  Event done_;
  std::function<void()> ready_;  // once all arguments are
  std::atomic<int64_t> waiting_{0};
  std::atomic<bool> argument_failed_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LAUNCH_H_
