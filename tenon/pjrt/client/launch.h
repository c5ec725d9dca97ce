// One execution of a program on one device, from its arguments to its results.
//
// The thread that calls Execute acquires the arguments and allocates the results. Then it
// runs the launch within the call, or submits it to the device's queue. One thread at a
// time uses a launch.
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
#include "tenon/runtime/exchanges.h"

namespace tenon::pjrt {

// Which copies of a program are in which process of the job, if several have some.
struct RemoteCopies {
  runtime::Exchanges& exchanges;
  uint64_t program;  // its number, equal in all processes
  int process;       // this one
  std::shared_ptr<const std::vector<int32_t>> process_of;  // by number of the copy
};

// The state that all launches of a loaded executable share. Launches in flight keep it
// alive.
struct LaunchTarget {
  std::shared_ptr<LocalExecutable> executable;
  std::shared_ptr<const device::Program> program;
  ClientContext& context;
  std::atomic<int64_t>& next_run_id;
  // Null unless devices of other processes take part.
  std::shared_ptr<const RemoteCopies> remote = nullptr;
};

class Launch final : public device::Launch {
 public:
  struct Deleter {
    void operator()(Launch* launch) const;
  };
  using Ptr = std::unique_ptr<Launch, Deleter>;

  // `target` must live until the launch is submitted or destroyed. Submit then keeps it.
  static Ptr Create(const LaunchTarget& target, LocalDevice* device);

  // Checks the arguments, begins a use of each one, and takes the storage of donated
  // ones. After an error only Rollback may follow.
  Status Acquire(std::span<Buffer* const> arguments,
                 std::span<const int64_t> non_donatable, const RunIds& ids);
  // Undoes Acquire, before Execute returns an error.
  void Rollback();
  // Whether all arguments are ready, with or without error.
  bool arguments_ready() const { return num_pending_ == 0; }

  // Creates the storage of the results. Its memory is allocated `now`, or otherwise when
  // the program starts.
  Status AllocateResults(bool now);
  // The same for the devices of a program, by number, without memory. Devices that may
  // share a large result (ImageTensor::shared_by) get one storage for it. If the result
  // is in the storage of a donated argument, they share that of one device, if all have
  // it already or have equal elements.
  static Status AllocateResults(std::span<const Ptr> launches);
  // Fills `outputs` with buffers that are ready when `ready` is.
  void MakeOutputs(std::span<std::unique_ptr<Buffer>> outputs, const Event& ready);

  // Runs the program within this call and returns the event of the outputs. All arguments
  // must be ready, and the results must have memory.
  Event RunInline();
  // The work for the launch's event (see device::Queue::MakeWork); may be null.
  std::shared_ptr<Event::Work> MakeWork() const {
    return device_->device().compute().MakeWork(target_->program);
  }
  // Prepares the launch for a device, to which the caller passes it. The launch completes
  // `done`, and keeps `target` and `context` until then.
  static Launch* Begin(Ptr launch, std::shared_ptr<const LaunchTarget> target,
                       std::shared_ptr<const ExecuteContext> context, Event done);
  // Passes the launch to the device's queue after Begin. `work` is that of `done`.
  static void Submit(Ptr launch, std::shared_ptr<const LaunchTarget> target,
                     std::shared_ptr<const ExecuteContext> context, Event done,
                     std::shared_ptr<Event::Work> work);

  // device::Launch, after Submit:
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
    LocalBuffer* buffer;  // the framework's; valid only during Execute
    StorageUse use;       // null if the argument is donated
    StorageRef donated;   // null if not donated, or after it moved to a result
    Event ready;          // null if the argument was ready when acquired
  };
  struct Result {
    StorageRef storage;
    // Whether another device has put the donated argument there, which is equal.
    bool has_argument = false;
  };

  Launch(const LaunchTarget& target, LocalDevice* device);
  ~Launch();

  const LocalExecutable& executable() const { return *target_->executable; }
  size_t num_arguments() const { return executable().parameter_shapes().size(); }
  size_t num_results() const { return executable().output_shapes().size(); }
  Status AcquireOne(size_t index, Buffer* argument, bool donatable);
  device::MemorySpace& SpaceOf(size_t result) const;
  static Status ShareResults(std::span<const Ptr> launches);
  // The same for a result and the devices of a group.
  static Status ShareResult(std::span<Launch* const> group, size_t result);
  static bool ShareDonated(std::span<Launch* const> group, size_t result);
  void ArgumentReady(const Status& status);

  const LaunchTarget* const target_;
  LocalDevice* const device_;
  RunIds ids_;
  // These arrays follow the object in the same allocation.
  std::span<Argument> arguments_;
  std::span<Result> results_;
  RunBuffer* run_buffers_;  // for the arguments, then for the results
  // One per argument, or null. Follows them, too.
  std::atomic<device::Companion*>** companions_ = nullptr;
  int64_t num_pending_ = 0;
  Status argument_error_;

  // Only for launches that are submitted to a queue.
  std::shared_ptr<const LaunchTarget> held_target_;
  std::shared_ptr<const ExecuteContext> held_context_;
  Event done_;
  std::function<void()> ready_;  // called when all arguments are ready
  std::atomic<int64_t> waiting_{0};
  std::atomic<bool> argument_failed_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LAUNCH_H_
