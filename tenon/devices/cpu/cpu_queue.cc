#include "tenon/devices/cpu/cpu_queue.h"

#include <cstring>
#include <deque>

namespace tenon::cpu {
namespace {

const runtime::Program& ProgramOf(const device::Launch& launch) {
  return static_cast<const CpuProgram&>(*launch.program()).program();
}

// A launch that this thread will run while it completes events.
struct Follower {
  CpuQueue* queue;
  device::Launch* launch;
};

// A queue and not recursion, because a chain of cheap programs may be of any length.
thread_local std::deque<Follower>* running_here = nullptr;
// Whether this thread does the work of an event that it waits for.
thread_local bool helping = false;

}  // namespace

// A launch that has all its arguments and that no thread has begun. Thread-safe.
class CpuQueue::Work final : public Event::Work {
 public:
  explicit Work(std::shared_ptr<const device::Program> program)
      : program_(std::move(program)) {}

  std::chrono::microseconds Help() override {
    // Not within the callbacks of another launch, which may be any number deep.
    if (running_here || helping) return {};
    if (device::Launch* launch = Claim()) {
      helping = true;
      queue_->Complete(launch);
      helping = false;
      return {};
    }
    return static_cast<const CpuProgram&>(*program_).program().spin_time();
  }
  void Offer(CpuQueue* queue, device::Launch* launch) {
    queue_ = queue;
    launch_.store(launch, std::memory_order_release);
  }
  // The launch, for the first who asks; null for others.
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
  if (is_short && running_here) {
    // A short program that had to wait runs on the thread that completed its arguments,
    // if that is one of ours; else it must not hold up whoever it is.
    running_here->push_back({this, launch});
  } else if (program.may_block() && !is_short) {
    runtime_.blocking().Schedule([this, launch] { CompleteWithFollowers(launch); });
  } else if (program.RunsOnWaiter(runtime_.team().num_threads())) {
    // Once offered, the launch may end at any time, and with it what keeps the queue.
    in_flight_.Begin();
    work->Offer(this, launch);
    runtime_.runners().Schedule([this, work = std::move(work)] {
      if (device::Launch* claimed = work->Claim()) CompleteWithFollowers(claimed);
    });
    in_flight_.End();
  } else {
    runtime_.runners().Schedule([this, launch] { CompleteWithFollowers(launch); });
  }
}

Status CpuQueue::Run(const device::Program& program, const device::LaunchBuffers& buffers,
                     const RunIds& ids) {
  for (const device::AliasCopy& copy : buffers.copies) {
    std::memcpy(copy.to, copy.from, copy.size);
  }
  return static_cast<const CpuProgram&>(program).program().Run(
      runtime_, buffers.arguments, buffers.results, ids);
}

void CpuQueue::Complete(device::Launch* launch) {
  device::LaunchBuffers buffers;
  Status status = launch->Prepare(&buffers);
  if (status.ok()) status = Run(*launch->program(), buffers, launch->ids());
  launch->Finish(std::move(status));
}

void CpuQueue::CompleteWithFollowers(device::Launch* launch) {
  std::deque<Follower> followers{{this, launch}};
  running_here = &followers;
  while (!followers.empty()) {
    const Follower next = followers.front();
    followers.pop_front();
    if (ProgramOf(*next.launch).spin_time().count()) runtime::ThreadPool::KeepAwake();
    next.queue->Complete(next.launch);
  }
  running_here = nullptr;
}

void CpuQueue::CopyAfter(const device::Copy&, Event,
                         std::function<void(const Status&)> done) {
  done(Internal("the host's memory is copied by the host"));
}

}  // namespace tenon::cpu
