#include "tenon/devices/opencl/queue.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tenon::opencl {
namespace {

const Program& ProgramOf(const device::Launch& launch) {
  return static_cast<const Program&>(*launch.program());
}

}  // namespace

// The work of a launch's event: how far the launch has come. Thread-safe.
class Queue::Work final : public Event::Work {
 public:
  explicit Work(const Queue* queue) : queue_(queue) {}

  // A waiting thread cannot help, because the device runs the launch.
  std::chrono::microseconds Help() override { return {}; }

  const Queue* queue() const { return queue_; }
  // Whether the launch is on the queue's thread, which will enqueue it: before all that
  // is scheduled after this is true.
  void MarkQueued() { queued_.store(true, std::memory_order_release); }
  bool queued() const { return queued_.load(std::memory_order_acquire); }

  // Records that the launch has been enqueued, and its end; or that it has failed.
  void SetEnqueued(EventRef mark, bool failed) {
    std::vector<std::function<void(const EventRef&)>> waiting;
    {
      std::lock_guard lock(mutex_);
      mark_ = failed ? EventRef() : mark;
      state_ = failed ? State::kFailed : State::kEnqueued;
      waiting.swap(waiting_);
    }
    for (const auto& callback : waiting) callback(failed ? EventRef() : mark);
  }
  // Records that the event is about to complete. Buffers keep the event for long, but the
  // driver's event has done its work.
  void SetCompleted() {
    std::lock_guard lock(mutex_);
    mark_ = EventRef();
  }
  // Whether the launch could not be enqueued, so that its results may have no memory.
  bool failed() const {
    std::lock_guard lock(mutex_);
    return state_ == State::kFailed;
  }
  // Calls `callback` once a launch that is queued has been enqueued: with its end, or
  // with null if it has failed or completed.
  void WhenEnqueued(std::function<void(const EventRef&)> callback) {
    EventRef mark;
    {
      std::lock_guard lock(mutex_);
      if (state_ == State::kSubmitted) {
        waiting_.push_back(std::move(callback));
        return;
      }
      mark = mark_;
    }
    callback(mark);
  }

 private:
  enum class State { kSubmitted, kEnqueued, kFailed };

  const Queue* const queue_;
  std::atomic<bool> queued_{false};
  mutable std::mutex mutex_;
  State state_ = State::kSubmitted;
  EventRef mark_;
  std::vector<std::function<void(const EventRef&)>> waiting_;
};

StatusOr<std::unique_ptr<Queue>> Queue::Create(const RunDevice& device, cl_device_id id) {
  std::unique_ptr<Queue> queue(new Queue(device));
  const Api& api = device.context->api();
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int code = CL_SUCCESS;
  queue->device_.queue =
      api.CreateCommandQueueWithProperties(device.context->get(), id, properties, &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, "creating a command queue of " + device.name));
  return queue;
}

Queue::~Queue() {
  // The threads end later, but have nothing left to do.
  if (device_.queue) device_.context->api().ReleaseCommandQueue(device_.queue);
}

std::shared_ptr<Event::Work> Queue::MakeWork(
    const std::shared_ptr<const device::Program>&) {
  return std::make_shared<Work>(this);
}

bool Queue::IsOwn(const Event& event) const {
  const auto* work = dynamic_cast<const Work*>(event.work().get());
  return work && work->queue() == this && work->queued();
}

void Queue::Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) {
  auto own_work = std::static_pointer_cast<Work>(std::move(work));
  // A program with custom calls does not occupy the queue's thread, because custom calls
  // may run other programs.
  const bool may_block = ProgramOf(*launch).launcher().may_block();
  std::vector<Event> pending = launch->PendingArguments();
  if (!may_block && std::ranges::all_of(pending, [&](const Event& event) {
        return event.IsReady() || IsOwn(event);
      })) {
    thread_.Schedule([this, launch, own_work, pending = std::move(pending)]() mutable {
      Start(launch, std::move(pending), own_work, /*alone=*/true);
    });
    own_work->MarkQueued();
    return;
  }
  launch->WhenArgumentsReady([this, launch, may_block, own_work] {
    if (may_block) {
      device_.runtime->blocking().Schedule(
          [this, launch, own_work] { Start(launch, {}, own_work, /*alone=*/false); });
      return;
    }
    thread_.Schedule(
        [this, launch, own_work] { Start(launch, {}, own_work, /*alone=*/true); });
    own_work->MarkQueued();
  });
}

Status Queue::ErrorOf(const std::vector<Event>& arguments) const {
  for (const Event& event : arguments) {
    if (event.IsReady()) {
      if (!event.status().ok()) return event.status();
    } else if (static_cast<const Work&>(*event.work()).failed()) {
      return Internal("an argument of a program on " + device_.name + " has failed");
    }
  }
  return OkStatus();
}

void Queue::Start(device::Launch* launch, std::vector<Event> own,
                  std::shared_ptr<Work> work, bool alone) {
  free_places_.acquire();
  auto run = std::make_shared<ProgramRun>(
      device_, std::static_pointer_cast<const Program>(launch->program()), launch->ids());
  Status status = ErrorOf(own);
  if (status.ok()) status = Enqueue(*launch, *run, alone);
  const EventRef mark = run->Mark();
  work->SetEnqueued(mark, !status.ok());
  completion_.Schedule([this, launch, run = std::move(run), own = std::move(own), status,
                        mark, work = std::move(work)]() mutable {
    Status end = run->Complete(mark);
    // An argument's error is the cause of what follows from it.
    for (const Event& event : own) {
      if (!event.Await().ok()) {
        status = event.status();
        break;
      }
    }
    if (status.ok()) status = std::move(end);
    run.reset();
    work->SetCompleted();
    free_places_.release();
    launch->Finish(std::move(status));
    runtime::ThreadPool::KeepAwake();
  });
  if (alone) runtime::ThreadPool::KeepAwake();
}

Status Queue::Enqueue(device::Launch& launch, ProgramRun& run, bool alone) {
  device::LaunchBuffers buffers;
  TENON_RETURN_IF_ERROR(launch.Prepare(&buffers));
  const size_t size = ProgramOf(launch).launcher().image()->code().arena_bytes;
  std::shared_ptr<Block> arena;
  if (size != 0) {
    TENON_ASSIGN_OR_RETURN(arena, Arena(size, alone));
  }
  return run.Start(buffers, std::move(arena));
}

StatusOr<std::shared_ptr<Block>> Queue::Arena(size_t size, bool alone) {
  if (!alone) return Block::Allocate(*device_.memory, size);
  std::shared_ptr<Block> arena = arena_.lock();
  if (arena && arena->size() >= size) return arena;
  TENON_ASSIGN_OR_RETURN(arena, Block::Allocate(*device_.memory, size));
  arena_ = arena;
  return arena;
}

void Queue::CopyAfter(const device::Copy& copy, Event after,
                      std::function<void(const Status&)> done) {
  const auto when_ready = [this, copy, after, done] {
    after.OnReady([this, copy, done](const Status& status) {
      if (!status.ok()) return done(status);
      thread_.Schedule([this, copy, done] { StartCopy(copy, {}, Event::Ready(), done); });
    });
  };
  auto* work = after.IsReady() ? nullptr : dynamic_cast<Work*>(after.work().get());
  // The launches of a gang, for example, are not on the thread of a queue.
  if (!work || !work->queued()) return when_ready();
  // The device waits for the launch, not the host.
  work->WhenEnqueued([this, copy, after, done, when_ready](const EventRef& mark) {
    if (!mark) return when_ready();
    thread_.Schedule(
        [this, copy, after, done, mark] { StartCopy(copy, mark, after, done); });
  });
}

void Queue::StartCopy(const device::Copy& copy, const EventRef& wait, const Event& after,
                      const std::function<void(const Status&)>& done) {
  const Api& api = device_.context->api();
  const cl_event waited[] = {wait.get()};
  EventRef end;
  Status status = device_.context->EnqueueCopy(
      device_.queue, /*blocking=*/false, copy.to, copy.from, copy.size,
      {waited, wait ? size_t{1} : size_t{0}}, &end);
  api.Flush(device_.queue);
  completion_.Schedule([this, &api, wait, end, after, done, status]() mutable {
    if (status.ok()) {
      const cl_event event = end.get();
      status = ToStatus(api.WaitForEvents(1, &event), "a copy");
    }
    if (!status.ok()) status = status.WithPrefix(device_.name);
    // The launch that the copy waited for may have failed.
    const Status& before = after.Await();
    done(before.ok() ? status : before);
    runtime::ThreadPool::KeepAwake();
  });
  runtime::ThreadPool::KeepAwake();
}

}  // namespace tenon::opencl
