// A one-shot event: it completes once, with or without an error. One handle serves as
// both promise and future.
//
// Event is a counted reference to shared state. Copies are cheap, and the state lives as
// long as any of them. Every member may be called from any thread at any time. No lock is
// held while callbacks run.
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

  // The operation that will complete an event. Thread-safe.
  class Work {
   public:
    virtual ~Work() = default;
    // Called by a thread that is about to wait for the event. May do the work on that
    // thread, if the work is short and no thread has begun it. Returns how long the
    // thread should spin before it sleeps, if the event is still not complete.
    virtual std::chrono::microseconds Help() = 0;
  };

  // A null event; only assignment, destruction and the test for null are allowed.
  Event() = default;
  Event(const Event& other);
  Event(Event&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Event& operator=(Event other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Event();

  // Complete without error. Allocates nothing: all such events share one immortal state.
  static Event Ready();
  // Complete with `error`, or without error if `error` is ok.
  static Event Failed(Status error);
  // Not complete until Set is called. `work`, if not null, is the operation that will
  // call it.
  static Event Pending(std::shared_ptr<Work> work = nullptr);

  explicit operator bool() const { return state_ != nullptr; }

  // Completes the event and runs its callbacks, in the order of their registration, on
  // this thread. Returns false, changing nothing, if it was complete already.
  bool Set(Status status = OkStatus()) const;

  // True once complete, with or without error. Never blocks.
  bool IsReady() const;
  // Ok, or the error that the event failed with. Call it only once IsReady is true.
  const Status& status() const;
  // Calls Help, then blocks the thread until the event is complete. Returns status().
  // Must not be called on the runtime's own worker threads.
  const Status& Await() const;
  // Gives the event's work a chance to run on this thread. For threads that are about to
  // wait for the event by other means than Await.
  void Help() const;
  // The work that was passed to Pending; may be null. A queue can recognize its own work
  // by it. The event must not be null.
  const std::shared_ptr<Work>& work() const;
  // Records that a caller asked for this event in order to wait for it, so that a wait
  // will follow the call of OnReady (see PJRT_Event_OnReady).
  void MarkAwaited() const;
  bool awaited() const;

  // Runs `callback(const Status&)` once. If the event is complete already, the callback
  // runs before this call returns and nothing is allocated. Otherwise it runs on the
  // thread that completes the event.
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

  // Conversion to and from an opaque pointer, which an API layer hands out as its handle.
  // Release gives up this object's reference, Adopt takes over a released one, and Borrow
  // adds a reference.
  void* Release() && { return std::exchange(state_, nullptr); }
  static Event Adopt(void* released);
  static Event Borrow(void* released);

 private:
  explicit Event(internal::EventState* state) : state_(state) {}
  void Add(Waiter* waiter) const;

  internal::EventState* state_ = nullptr;
};

// An event that completes when all of `events` have completed. If some failed, its error
// is that of the first failed one in the order of `events`. Null events count as ready.
template <typename Events>
Event AllOf(const Events& events);

namespace internal {

// The shared state. `waiters_` is a stack of waiters until completion, and kDone after.
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
    // Chain pairwise: `both` waits for the earlier events first, so their error wins.
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
