// A one-shot event: completes once, with or without error. Promise and future in one
// handle.
//
// Event is a counted reference to shared state, so it is copied freely and outlives its
// maker. Every member may be called from any thread at any time. No lock is held while
// callbacks run.
#ifndef TENON_BASE_EVENT_H_
#define TENON_BASE_EVENT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tenon/base/status.h"

namespace tenon {

namespace internal {
class EventState;
}  // namespace internal

class Event {
 public:
  // A callback waiting for an event. Run is called exactly once and must free the waiter.
  class Waiter {
   public:
    virtual void Run(const Status& status) = 0;

   protected:
    virtual ~Waiter() = default;

   private:
    friend class internal::EventState;
    Waiter* next_ = nullptr;
  };

  // What completes an event once it is done. Thread-safe.
  class Work {
   public:
    virtual ~Work() = default;
    // A thread is about to wait for the event. Does the work on that thread if it is
    // short and no thread has begun it; returns for how long the thread should spin, if
    // the event is not complete then, before it sleeps.
    virtual std::chrono::microseconds Help() = 0;
  };

  // Refers to nothing; only assignment, destruction and the test for null are allowed.
  Event() = default;
  Event(const Event& other);
  Event(Event&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Event& operator=(Event other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Event();

  // Completed without error. Allocates nothing: all such events share one immortal state.
  static Event Ready();
  // Completed with `error` (completed without, if it is ok).
  static Event Failed(Status error);
  // Not complete until Set is called, perhaps by `work`.
  static Event Pending(std::shared_ptr<Work> work = nullptr);

  explicit operator bool() const { return state_ != nullptr; }

  // Completes the event and runs its callbacks, in the order of their registration, on
  // this thread. Returns false, changing nothing, if it was complete already.
  bool Set(Status status = OkStatus()) const;

  // True once complete, with error or without. Never blocks.
  bool IsReady() const;
  // Ok, or what the event failed with. Only once IsReady.
  const Status& status() const;
  // Blocks the thread until complete, after helping; returns status(). Not for the
  // runtime's own worker threads.
  const Status& Await() const;
  // To be called by a thread that is going to wait for the event in its own way, soon.
  void Help() const;
  // What was given to Pending, which a queue may know as its own; may be null. Only of
  // an event that refers to something.
  const std::shared_ptr<Work>& work() const;
  // Says that somebody asked for this event in order to wait for it: OnReady will be
  // followed by a wait (see PJRT_Event_OnReady).
  void MarkAwaited() const;
  bool awaited() const;

  // Runs `callback(const Status&)` once: on this thread before returning if the event is
  // complete already (nothing is allocated then), else on the thread that completes it.
  template <typename F>
  void OnReady(F&& callback) const {
    if (IsReady()) {
      callback(status());
      return;
    }
    class Callback final : public Waiter {
     public:
      explicit Callback(F&& f) : f_(std::forward<F>(f)) {}
      void Run(const Status& status) override {
        f_(status);
        delete this;
      }

     private:
      std::decay_t<F> f_;
    };
    Add(new Callback(std::forward<F>(callback)));
  }

  // The reference as an opaque pointer, and back: what an API layer hands out as its
  // handle. Release gives the count away; Adopt takes it over; Borrow makes a further
  // reference.
  void* Release() && { return std::exchange(state_, nullptr); }
  static Event Adopt(void* released);
  static Event Borrow(void* released);

 private:
  explicit Event(internal::EventState* state) : state_(state) {}
  void Add(Waiter* waiter) const;

  internal::EventState* state_ = nullptr;
};

// An event that completes when all of `events` have: with the error of the first one in
// order that has one. Null events count as ready.
template <typename Events>
Event AllOf(const Events& events);

namespace internal {

// The shared state. `waiters_` is a stack of waiters while pending, kDone afterwards.
class EventState {
 public:
  explicit EventState(bool immortal = false, std::shared_ptr<Event::Work> work = nullptr)
      : immortal_(immortal), work_(std::move(work)) {}

  void Ref() {
    if (!immortal_) references_.fetch_add(1, std::memory_order_relaxed);
  }
  void Unref();
  bool IsReady() const { return waiters_.load(std::memory_order_acquire) == kDone; }
  const Status& status() const { return status_; }
  bool Set(Status status);
  void Add(Event::Waiter* waiter);
  void Await() const;
  void Help() const;
  void MarkAwaited() {
    if (work_) awaited_.store(true, std::memory_order_relaxed);
  }
  bool awaited() const { return awaited_.load(std::memory_order_relaxed); }
  const std::shared_ptr<Event::Work>& work() const { return work_; }

 private:
  static constexpr uintptr_t kDone = 1;

  std::atomic<int64_t> references_{1};
  std::atomic<bool> claimed_{false};
  std::atomic<uintptr_t> waiters_{0};
  std::atomic<bool> awaited_{false};
  const bool immortal_;
  const std::shared_ptr<Event::Work> work_;
  Status status_;
};

}  // namespace internal

inline Event::Event(const Event& other) : state_(other.state_) {
  if (state_) state_->Ref();
}
inline Event::~Event() {
  if (state_) state_->Unref();
}
inline const std::shared_ptr<Event::Work>& Event::work() const { return state_->work(); }
inline bool Event::IsReady() const { return state_->IsReady(); }
inline const Status& Event::status() const { return state_->status(); }
inline bool Event::Set(Status status) const { return state_->Set(std::move(status)); }

template <typename Events>
Event AllOf(const Events& events) {
  Event all;
  for (const Event& event : events) {
    if (!event || (event.IsReady() && event.status().ok())) continue;
    if (!all) {
      all = event;
      continue;
    }
    // Chained pairwise: `both` waits for the earlier ones first, so their error wins.
    Event both = Event::Pending();
    all.OnReady([both, event](const Status& first) {
      if (!first.ok()) {
        event.OnReady([both, first](const Status&) { both.Set(first); });
        return;
      }
      event.OnReady([both](const Status& second) { both.Set(second); });
    });
    all = std::move(both);
  }
  return all ? all : Event::Ready();
}

}  // namespace tenon

#endif  // TENON_BASE_EVENT_H_
