// The queue for executions on the host's processors.
//
// Only events order launches: a launch starts when its arguments are ready, on a thread
// that Dispatch chooses. No launch blocks a thread that another one may need.
#ifndef TENON_DEVICES_CPU_CPU_QUEUE_H_
#define TENON_DEVICES_CPU_CPU_QUEUE_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "tenon/device/queue.h"
#include "tenon/runtime/in_flight.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"

namespace tenon::cpu {

class CpuProgram final : public device::Program {
 public:
  explicit CpuProgram(std::shared_ptr<const runtime::Program> program)
      : program_(std::move(program)) {}

  bool RunsInline() const override {
    return program_->RunsInline() || program_->synchronous();
  }
  bool RunsGangInline() const override { return program_->RunsGangInline(); }
  bool synchronous() const override { return program_->synchronous(); }
  bool keeps_companions() const override { return program_->keeps_packed(); }
  const runtime::Program& program() const { return *program_; }
  const std::shared_ptr<const runtime::Program>& shared_program() const {
    return program_;
  }

 private:
  const std::shared_ptr<const runtime::Program> program_;
};

class CpuQueue final : public device::Queue {
 public:
  // `runtime` must outlive the queue.
  explicit CpuQueue(runtime::Runtime& runtime) : runtime_(runtime) {}

  std::shared_ptr<Event::Work> MakeWork(
      const std::shared_ptr<const device::Program>& program) override;
  void Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) override;
  Status Run(const device::Program& program, const device::LaunchBuffers& buffers,
             const RunIds& ids) override;
  // Never called by the client, because all memory is host-addressable.
  void CopyAfter(const device::Copy& copy, Event after,
                 std::function<void(const Status&)> done) override;

 private:
  class Work;

  // Chooses a thread for a launch whose arguments are ready.
  void Dispatch(device::Launch* launch, std::shared_ptr<Work> work);
  // Runs the launch on this thread and finishes it.
  void Complete(device::Launch* launch);
  // The same, and then runs the short launches that waited for its results.
  void CompleteAndDrain(device::Launch* launch);

  runtime::Runtime& runtime_;
  // Last, so that its destructor waits before other members are destroyed.
  runtime::InFlight in_flight_;
};

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_CPU_QUEUE_H_
