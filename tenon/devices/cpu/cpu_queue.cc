#include "tenon/devices/cpu/cpu_queue.h"

#include <deque>

#include "tenon/devices/cpu/host_move.h"

namespace tenon::cpu {
namespace {

const runtime::Program& ProgramOf(const device::Launch& launch) {
  return static_cast<const CpuProgram&>(*launch.program()).program();
}

// A launch that this thread will run after the one that it is completing.
struct QueuedLaunch {
  CpuQueue* queue;
  device::Launch* launch;
};

// The launches that this thread will run, if it is in CompleteAndDrain. A queue instead
// of recursion, because a chain of short programs may have any length.
thread_local std::deque<QueuedLaunch>* thread_launches = nullptr;
// Whether this thread is running the launch of an event that it waits for.
thread_local bool helping = false;

}  // namespace

// The work of a launch's event. Once the arguments are ready it holds the launch, until a
// thread claims it. Thread-safe.
class CpuQueue::Work final : public Event::Work {
 public:
  explicit Work(std::shared_ptr<const device::Program> program)
      : program_(std::move(program)) {}

  std::chrono::microseconds Help() override {
    // Not within the callbacks of another launch, because they may nest to any depth.
    if (thread_launches || helping) return {};
    if (device::Launch* launch = Claim()) {
      helping = true;
      queue_->Complete(launch);
      helping = false;
      return {};
    }
    return spin_time();
  }
  std::chrono::microseconds spin_time() const {
    return static_cast<const CpuProgram&>(*program_).program().spin_time();
  }
  void Offer(CpuQueue* queue, device::Launch* launch) {
    queue_ = queue;
    launch_.store(launch, std::memory_order_release);
  }
  // Returns the launch to the first caller, and null to all others.
  device::Launch* Claim() { return launch_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  const std::shared_ptr<const device::Program> program_;
  CpuQueue* queue_ = nullptr;
  std::atomic<device::Launch*> launch_{nullptr};
};

std::shared_ptr<Event::Work> CpuQueue::MakeWork(
    const std::shared_ptr<const device::Program>& program) {
  return std::make_shared<Work>(program);
}

void CpuQueue::Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) {
  launch->WhenArgumentsReady(
      [this, launch, work = std::static_pointer_cast<Work>(std::move(work))] {
        Dispatch(launch, work);
      });
}

void CpuQueue::Dispatch(device::Launch* launch, std::shared_ptr<Work> work) {
  const runtime::Program& program = ProgramOf(*launch);
  const bool is_short = program.RunsInline() || launch->HasFailed();
  if (is_short && thread_launches) {
    // A short program that had to wait for its arguments runs on the thread that
    // completed them, if that is a thread of the runtime. It must not hold up any other
    // thread.
    thread_launches->push_back({this, launch});
  } else if (program.may_block() && !is_short) {
    runtime_.blocking().Schedule([this, launch] { CompleteAndDrain(launch); });
  } else if (program.RunsOnWaiter(runtime_.team().num_threads())) {
    // Once offered, the launch may end at any time, and then nothing else keeps the queue
    // alive.
    in_flight_.Begin();
    work->Offer(this, launch);
    runtime_.runners().Schedule([this, work = std::move(work)] {
      if (device::Launch* claimed = work->Claim()) return CompleteAndDrain(claimed);
      // This thread was late. It waits for the next run of such a program.
      if (work->spin_time().count()) runtime::ThreadPool::KeepAwake();
    });
    in_flight_.End();
  } else {
    runtime_.runners().Schedule([this, launch] { CompleteAndDrain(launch); });
  }
}

Status CpuQueue::Run(const device::Program& program, const device::LaunchBuffers& buffers,
                     const RunIds& ids) {
  for (const device::AliasCopy& copy : buffers.copies) {
    HostMove()(copy.to, copy.from, copy.size);
  }
  return static_cast<const CpuProgram&>(program).program().Run(
      runtime_, buffers.arguments, buffers.results, ids, buffers.companions);
}

void CpuQueue::Complete(device::Launch* launch) {
  device::LaunchBuffers buffers;
  Status status = launch->Prepare(&buffers);
  if (status.ok()) status = Run(*launch->program(), buffers, launch->ids());
  launch->Finish(std::move(status));
}

void CpuQueue::CompleteAndDrain(device::Launch* launch) {
  std::deque<QueuedLaunch> launches{{this, launch}};
  thread_launches = &launches;
  while (!launches.empty()) {
    const QueuedLaunch next = launches.front();
    launches.pop_front();
    if (ProgramOf(*next.launch).spin_time().count()) runtime::ThreadPool::KeepAwake();
    next.queue->Complete(next.launch);
  }
  thread_launches = nullptr;
}

void CpuQueue::CopyAfter(const device::Copy&, Event,
                         std::function<void(const Status&)> done) {
  done(Internal("the host's memory is copied by the host"));
}

}  // namespace tenon::cpu
