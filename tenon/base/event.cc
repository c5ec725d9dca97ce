#include "tenon/base/event.h"

#include <cassert>
#include <utility>

#include "tenon/base/spin.h"

namespace tenon {
namespace internal {

void EventState::Unref() {
  if (immortal_) return;
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    assert(waiters_.load(std::memory_order_relaxed) <= kDone &&
           "an event with waiters was dropped before it was set");
    delete this;
  }
}

bool EventState::Set(Status status) {
  if (claimed_.exchange(true, std::memory_order_acq_rel)) return false;
  // A waiter may drop the last other reference to this state.
  Ref();
  status_ = std::move(status);
  uintptr_t stack = waiters_.exchange(kDone, std::memory_order_acq_rel);
  waiters_.notify_all();
  Event::Waiter* in_order = nullptr;
  for (auto* waiter = reinterpret_cast<Event::Waiter*>(stack); waiter;) {
    Event::Waiter* next = waiter->next_;
    waiter->next_ = in_order;
    in_order = waiter;
    waiter = next;
  }
  while (in_order) {
    Event::Waiter* next = in_order->next_;
    in_order->Run(status_);
    in_order = next;
  }
  Unref();
  return true;
}

void EventState::Add(Event::Waiter* waiter) {
  uintptr_t head = waiters_.load(std::memory_order_acquire);
  while (head != kDone) {
    waiter->next_ = reinterpret_cast<Event::Waiter*>(head);
    if (waiters_.compare_exchange_weak(head, reinterpret_cast<uintptr_t>(waiter),
                                       std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      return;
    }
  }
  waiter->next_ = nullptr;
  waiter->Run(status_);
}

void EventState::Await() const {
  for (uintptr_t seen = waiters_.load(std::memory_order_acquire); seen != kDone;
       seen = waiters_.load(std::memory_order_acquire)) {
    waiters_.wait(seen, std::memory_order_acquire);
  }
}

void EventState::Help() const {
  if (!work_ || IsReady()) return;
  const std::chrono::microseconds spin = work_->Help();
  if (spin.count() == 0) return;
  SpinUntil([this] { return IsReady(); }, spin);
}

namespace {

EventState* ReadyState() {
  // Never destroyed: events may be completed while the process exits.
  static EventState* const state = [] {
    auto* ready = new EventState(/*immortal=*/true);
    ready->Set(OkStatus());
    return ready;
  }();
  return state;
}

}  // namespace
}  // namespace internal

Event Event::Ready() { return Event(internal::ReadyState()); }

Event Event::Failed(Status error) {
  if (error.ok()) return Ready();
  Event event = Pending();
  event.Set(std::move(error));
  return event;
}

Event Event::Pending(std::shared_ptr<Work> work) {
  return Event(new internal::EventState(/*immortal=*/false, std::move(work)));
}

void Event::Help() const {
  const Event keep = *this;  // callbacks may drop the other references
  keep.state_->Help();
}
void Event::MarkAwaited() const { state_->MarkAwaited(); }
bool Event::awaited() const { return state_->awaited(); }

const Status& Event::Await() const {
  Help();
  state_->Await();
  return state_->status();
}

Event Event::Adopt(void* released) {
  return Event(static_cast<internal::EventState*>(released));
}

Event Event::Borrow(void* released) {
  auto* state = static_cast<internal::EventState*>(released);
  state->Ref();
  return Event(state);
}

void Event::Add(Waiter* waiter) const { state_->Add(waiter); }

}  // namespace tenon
