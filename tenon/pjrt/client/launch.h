// One execution of a program on one device, from its arguments to its results.
//
// Prepared by the thread that calls Execute; then run there, or, once the last argument
// is ready, by a thread of the runtime's or by one that waits for the results. At any
// time one thread owns it.
#ifndef TENON_PJRT_CLIENT_LAUNCH_H_
#define TENON_PJRT_CLIENT_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "tenon/base/status.h"
#include "tenon/pjrt/client/in_flight.h"
#include "tenon/pjrt/client/local_buffer.h"
#include "tenon/pjrt/client/local_executable.h"
#include "tenon/pjrt/interface/executable.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"

namespace tenon::pjrt {

// What all launches of a loaded executable share; kept alive by those in flight.
struct LaunchTarget {
  std::shared_ptr<LocalExecutable> executable;
  std::shared_ptr<const runtime::Program> program;
  runtime::Runtime& runtime;
  InFlight& in_flight;
};

class Launch;

// A launch that has all its arguments and that no thread has begun. Thread-safe.
class LaunchWork final : public Event::Work {
 public:
  explicit LaunchWork(std::shared_ptr<const runtime::Program> program)
      : program_(std::move(program)) {}

  std::chrono::microseconds Help() override;
  void Offer(Launch* launch) { launch_.store(launch, std::memory_order_release); }
  // The launch, for the first who asks; null for others.
  Launch* Claim() { return launch_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  const std::shared_ptr<const runtime::Program> program_;
  std::atomic<Launch*> launch_{nullptr};
};

class Launch {
 public:
  struct Deleter {
    void operator()(Launch* launch) const;
  };
  using Ptr = std::unique_ptr<Launch, Deleter>;

  // `target` outlives the launch, or at least its preparation (see RunWhenReady).
  static Ptr Create(const LaunchTarget& target, LocalDevice* device);

  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Checks the arguments, begins to use them and takes those that are donated. After an
  // error the launch can only be rolled back.
  Status Acquire(std::span<Buffer* const> arguments,
                 std::span<const int64_t> non_donatable, const runtime::RunIds& ids);
  // Gives back what Acquire took, in favour of an error.
  void Rollback();
  // Whether all arguments are ready, with error or without.
  bool arguments_ready() const { return num_pending_ == 0; }

  // Gets storage for the results: with memory if `now`, else it comes when the program
  // starts.
  Status AllocateResults(bool now);
  // Fills `outputs` with buffers that are ready when `ready` is.
  void MakeOutputs(std::span<std::unique_ptr<Buffer>> outputs, const Event& ready);

  // Runs on this thread; the result is the event of the outputs. All arguments are ready
  // and the results have memory.
  Event RunHere();
  // Runs the launch once its arguments are ready, on whichever thread suits it, and
  // completes `done` then, whose work is `work`. Keeps `target` and `context` until then.
  static void RunWhenReady(Ptr launch, std::shared_ptr<const LaunchTarget> target,
                           std::shared_ptr<const ExecuteContext> context, Event done,
                           std::shared_ptr<LaunchWork> work);

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
  Status Run();
  void ArgumentReady(const Status& status);
  void Dispatch();
  // Runs the launch, completes its event and ends it.
  void Complete();
  // The same, and then what became ready by it and is short.
  void CompleteWithFollowers();
  friend class LaunchWork;

  const LaunchTarget* const target_;
  LocalDevice* const device_;
  runtime::RunIds ids_;
  std::span<Argument> arguments_;  // behind the object, as the next two
  std::span<Result> results_;
  RunBuffer* run_buffers_;  // of the arguments, then of the results
  int64_t num_pending_ = 0;
  Status argument_error_;

  // What a launch that waits needs further.
  std::shared_ptr<const LaunchTarget> held_target_;
  std::shared_ptr<const ExecuteContext> held_context_;
  Event done_;
  std::shared_ptr<LaunchWork> work_;
  std::atomic<int64_t> waiting_{0};
  std::atomic<bool> argument_failed_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LAUNCH_H_
