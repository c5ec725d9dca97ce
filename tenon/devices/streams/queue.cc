#include "tenon/devices/streams/queue.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>

namespace tenon::streams {
namespace {

const Program& ProgramOf(const device::Launch& launch) {
  return static_cast<const Program&>(*launch.program());
}

}  // namespace

// A launch that has been started, until it is completed by the first thread that finds
// that the device is done.
class Queue::Flight {
 public:
  Flight(Queue& queue, device::Launch* launch, std::shared_ptr<ProgramRun> run,
         std::vector<Event> own, bool has_place, Status status,
         StatusOr<std::shared_ptr<Mark>> end)
      : queue_(queue),
        has_place_(has_place),
        launch_(launch),
        run_(std::move(run)),
        own_(std::move(own)),
        status_(std::move(status)),
        end_(std::move(end)) {}

  // The first call completes the launch; does nothing otherwise.
  void Complete() {
    if (completed_.exchange(true, std::memory_order_acq_rel)) return;
    Status end = run_->Complete(end_);
    // An argument's error is the cause of what follows from it.
    for (const Event& event : own_) {
      if (!event.Await().ok()) {
        status_ = event.status();
        break;
      }
    }
    if (status_.ok()) status_ = std::move(end);
    run_.reset();
    own_.clear();
    if (has_place_) queue_.free_places_.release();
    launch_->Finish(std::move(status_));
  }
  void WaitAndComplete() {
    if (end_.ok()) (void)(*end_)->Wait();  // Complete finds the error
    Complete();
  }

 private:
  Queue& queue_;
  const bool has_place_;
  device::Launch* const launch_;
  std::shared_ptr<ProgramRun> run_;
  std::vector<Event> own_;
  Status status_;
  const StatusOr<std::shared_ptr<Mark>> end_;
  std::atomic<bool> completed_{false};
};

// The work of a launch's event: how far the launch has come. Thread-safe.
class Queue::Work final : public Event::Work {
 public:
  explicit Work(const Queue* queue) : queue_(queue) {}

  // Completes the launch as soon as the device is done, if that is soon.
  std::chrono::microseconds Help() override {
    std::shared_ptr<Flight> flight;
    std::shared_ptr<Mark> mark;
    {
      std::lock_guard lock(mutex_);
      if (!mark_) return {};
      flight = flight_;
      mark = mark_;
      Enter();
    }
    if (mark->Ask()) flight->Complete();
    flight.reset();
    mark.reset();
    Leave();
    return {};
  }

  const Queue* queue() const { return queue_; }
  // Between the two calls a thread uses the flight and the queue. Enter is called before
  // the flight can complete, or while it is known not to have been forgotten.
  void Enter() { users_.fetch_add(1, std::memory_order_relaxed); }
  void Leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) users_.notify_all();
  }
  // Whether the queue will start the launch before all that it is given after this is
  // true, or has started it.
  void MarkQueued() { queued_.store(true, std::memory_order_release); }
  bool queued() const { return queued_.load(std::memory_order_acquire); }
  bool started() const {
    std::lock_guard lock(mutex_);
    return state_ != State::kSubmitted;
  }
  // Records that the launch has been started, and its end; or, if that is null, that it
  // could not be started.
  void SetStarted(std::shared_ptr<Flight> flight, std::shared_ptr<Mark> mark) {
    std::vector<std::function<void(const std::shared_ptr<Mark>&)>> waiting;
    {
      std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
      if (state_ == State::kCompleted) {
        mark.reset();
      } else {
        flight_ = std::move(flight);
        mark_ = mark;
        state_ = mark ? State::kStarted : State::kFailed;
      }
    }
    for (const auto& callback : waiting) callback(mark);
  }
  // Records that the event is complete. Buffers keep the event for long, but the flight
  // and its mark have done their work. Waits for other threads that use them, because the
  // queue may end as soon as its own threads are done.
  void SetCompleted() {
    std::shared_ptr<Flight> flight;
    std::shared_ptr<Mark> mark;
    {
      std::lock_guard lock(mutex_);
      flight.swap(flight_);
      mark.swap(mark_);
      if (state_ != State::kFailed) state_ = State::kCompleted;
    }
    for (int n; (n = users_.load(std::memory_order_acquire)) != 0;) {
      users_.wait(n, std::memory_order_acquire);
    }
  }
  // Whether the launch could not be started, so that its results may have no memory.
  bool failed() const {
    std::lock_guard lock(mutex_);
    return state_ == State::kFailed;
  }
  // Calls `callback` once a launch that is queued has been started: with its end, or with
  // null if it has failed or completed.
  void WhenStarted(std::function<void(const std::shared_ptr<Mark>&)> callback) {
    std::shared_ptr<Mark> mark;
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
  enum class State { kSubmitted, kStarted, kFailed, kCompleted };

  const Queue* const queue_;
  std::atomic<bool> queued_{false};
  std::atomic<int> users_{0};
  mutable std::mutex mutex_;
  State state_ = State::kSubmitted;
  std::shared_ptr<Flight> flight_;
  std::shared_ptr<Mark> mark_;
  std::vector<std::function<void(const std::shared_ptr<Mark>&)>> waiting_;
};

Queue::Queue(RunDevice device, std::unique_ptr<Stream> stream)
    : stream_(std::move(stream)), device_(std::move(device)) {
  device_.stream = stream_.get();
  device_.clock = &clock_;
}

Queue::~Queue() = default;

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
    if (TryStart(launch, pending, own_work)) return;
    StartOnThread(launch, std::move(pending), own_work);
    return;
  }
  launch->WhenArgumentsReady([this, launch, may_block, own_work] {
    if (may_block) {
      device_.runtime->blocking().Schedule(
          [this, launch, own_work] { Start(launch, {}, own_work, /*alone=*/false); });
      return;
    }
    std::vector<Event> none;
    if (!TryStart(launch, none, own_work)) StartOnThread(launch, {}, own_work);
  });
}

bool Queue::TryStart(device::Launch* launch, std::vector<Event>& pending,
                     const std::shared_ptr<Work>& work) {
  if (!ProgramOf(*launch).IsQuick(device_.index)) return false;
  for (const Event& event : pending) {
    if (!event.IsReady() && !static_cast<const Work&>(*event.work()).started()) {
      return false;
    }
  }
  const std::unique_lock lock(launches_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !free_places_.try_acquire()) return false;
  // The queue's destructor waits for the thread that completes the launch.
  Start(launch, std::move(pending), work, /*alone=*/true);
  return true;
}

void Queue::StartOnThread(device::Launch* launch, std::vector<Event> own,
                          std::shared_ptr<Work> work) {
  thread_.Schedule([this, launch, own = std::move(own), work]() mutable {
    free_places_.acquire();
    {
      std::lock_guard lock(launches_mutex_);
      Start(launch, std::move(own), std::move(work), /*alone=*/true);
    }
    runtime::ThreadPool::KeepAwake();
  });
  work->MarkQueued();
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
  auto run = std::make_shared<ProgramRun>(
      device_, std::static_pointer_cast<const Program>(launch->program()), launch->ids());
  Status status = ErrorOf(own);
  if (status.ok()) status = Enqueue(*launch, *run, alone);
  StatusOr<std::shared_ptr<Mark>> end = run->Record();
  std::shared_ptr<Mark> mark = status.ok() && end.ok() ? *end : nullptr;
  auto flight =
      std::make_shared<Flight>(*this, launch, std::move(run), std::move(own),
                               /*has_place=*/alone, std::move(status), std::move(end));
  work->MarkQueued();
  work->Enter();
  completion_.Schedule([flight, work]() mutable {
    flight->WaitAndComplete();
    work->SetCompleted();
    flight.reset();
    runtime::ThreadPool::KeepAwake();
  });
  work->SetStarted(std::move(flight), std::move(mark));
  // From here on the queue may end at any time.
  work->Leave();
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

Queue::Work* Queue::QueuedWork(const Event& event) {
  auto* work = event.IsReady() ? nullptr : dynamic_cast<Work*>(event.work().get());
  return work && work->queued() ? work : nullptr;
}

std::shared_ptr<Mark> Queue::AwaitMark(const Event& event) {
  Work* const work = QueuedWork(event);
  if (!work) return nullptr;
  std::promise<std::shared_ptr<Mark>> started;
  work->WhenStarted([&](const std::shared_ptr<Mark>& mark) { started.set_value(mark); });
  return started.get_future().get();
}

StatusOr<Event> Queue::EventOf(intptr_t other) {
  TENON_ASSIGN_OR_RETURN(std::shared_ptr<Mark> mark, stream_->RecordIn(other));
  Event done = Event::Pending();
  completion_.Schedule([this, mark = std::move(mark), done]() mutable {
    const Status status = mark->Wait();
    mark.reset();
    done.Set(status.ok() ? status : status.WithPrefix(device_.name));
    runtime::ThreadPool::KeepAwake();
  });
  return done;
}

void Queue::WhenPrepared(const Event& event, std::function<void()> then) {
  Work* const work = QueuedWork(event);
  if (!work) return device::Queue::WhenPrepared(event, std::move(then));
  work->WhenStarted([event, then = std::move(then)](const std::shared_ptr<Mark>& mark) {
    if (mark) return then();
    event.OnReady([then](const Status&) { then(); });
  });
}

void Queue::CopyAfter(const device::Copy& copy, Event after,
                      std::function<void(const Status&)> done) {
  const auto when_ready = [this, copy, after, done] {
    after.OnReady([this, copy, done](const Status& status) {
      if (!status.ok()) return done(status);
      StartCopy(copy, nullptr, Event::Ready(), done);
    });
  };
  Work* const work = QueuedWork(after);
  if (!work) return when_ready();
  // The device waits for the launch, not the host.
  work->WhenStarted(
      [this, copy, after, done, when_ready](const std::shared_ptr<Mark>& mark) {
        if (!mark) return when_ready();
        StartCopy(copy, mark, after, done);
      });
}

bool Queue::IsAsynchronous(const device::Copy& copy) const {
  const auto known = [&](const device::MemorySpace* space, const void* address) {
    return (space && !space->host_addressable()) ||
           (device_.host_memory && device_.host_memory->Contains(address));
  };
  return known(copy.to_space, copy.to) && known(copy.from_space, copy.from);
}

void Queue::StartCopy(const device::Copy& copy, const std::shared_ptr<Mark>& mark,
                      const Event& after,
                      const std::function<void(const Status&)>& done) {
  if (IsAsynchronous(copy)) return CopyNow(copy, mark, after, done);
  thread_.Schedule([this, copy, mark, after, done] {
    CopyNow(copy, mark, after, done);
    runtime::ThreadPool::KeepAwake();
  });
}

void Queue::CopyNow(const device::Copy& copy, const std::shared_ptr<Mark>& mark,
                    const Event& after, const std::function<void(const Status&)>& done) {
  Status status = mark ? stream_->WaitFor(*mark) : OkStatus();
  if (status.ok()) status = stream_->Copy(copy.to, copy.from, copy.size);
  // Also after an error: what has been started must end before the blocks are freed.
  StatusOr<std::shared_ptr<Mark>> end = stream_->Record();
  completion_.Schedule([this, end = std::move(end), after, done, status]() mutable {
    const Status waited = end.ok() ? (*end)->Wait() : end.status();
    if (status.ok()) status = waited;
    if (!status.ok()) status = status.WithPrefix(device_.name);
    // The launch that the copy waited for may have failed.
    const Status& before = after.Await();
    done(before.ok() ? status : before);
    runtime::ThreadPool::KeepAwake();
  });
}

}  // namespace tenon::streams
