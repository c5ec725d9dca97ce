// Future<T>: a value that a plugin is still computing or copying.
//
//   std::vector<float> values = buffer.to_host<float>().get().value();     // waits
//   buffer.to_host<float>().then([](pjrt::Result<std::vector<float>> r) { ... });
//   pjrt::Result<std::vector<float>> r = co_await buffer.to_host<float>();
//
// get() waits through the plugin, which may run pending work on the waiting thread. A
// continuation runs on a thread of the plugin, or at once if the future is complete; it
// must not block or throw. A future can be consumed once. Destroying a pending future is
// allowed and does not wait: the memory that the plugin writes lives until the plugin is
// done.
#ifndef TENON_PJRT_CPP_FUTURE_HPP_
#define TENON_PJRT_CPP_FUTURE_HPP_

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "tenon/pjrt/cpp/context.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

template <typename T>
class Future;

namespace detail {

// An event of a plugin, with its client. Empty if there is nothing to wait for.
class Event {
 public:
  Event() = default;
  Event(ClientRef client, PJRT_Event* event)
      : client_(std::move(client)), event_(client_.table(), event) {}
  Event(Event&&) = default;
  Event& operator=(Event&&) = delete;  // would release the client before the event

  bool is_ready() const {
    if (!event_) return true;
    raw::Args<raw::PJRT_Event_IsReady> args;
    args.event = event_.get();
    return !client_.plugin().call(args) && args.is_ready;
  }
  Error await() const {
    if (!event_) return {};
    raw::Args<raw::PJRT_Event_Await> args;
    args.event = event_.get();
    return client_.plugin().call(args);
  }

  // Calls `function(Error)` once, when the event is complete. The plugin may do so within
  // this call or later.
  template <typename Function>
  void on_ready(Function function) && {
    if (!event_) {
      function(Error());
      return;
    }
    auto* waiter = new Waiter<Function>{std::move(*this), std::move(function)};
    raw::Args<raw::PJRT_Event_OnReady> args;
    args.event = waiter->event.event_.get();
    args.user_arg = waiter;
    args.callback = [](PJRT_Error* error, void* user_arg) {
      InCallback here;
      auto* arrived = static_cast<Waiter<Function>*>(user_arg);
      const PluginState& plugin = arrived->event.client_.plugin();
      Error taken;
      if (error) {
        taken = plugin.take(raw::Error(plugin.api.table(), "PJRT_Event_OnReady", error));
      }
      arrived->function(std::move(taken));
      arrived->leave();
    };
    Error error = waiter->event.client_.plugin().call(args);
    if (error) {
      // The callback will not be called.
      waiter->function(waiter->event.await());
      waiter->leave();
    }
    waiter->leave();
  }

 private:
  template <typename Function>
  struct Waiter;

  ClientRef client_;  // before event_: destroyed after it
  raw::unique_handle<PJRT_Event> event_;
};

// Lives until both the callback and on_ready have ended, because plugins differ in
// whether an event may be destroyed earlier.
template <typename Function>
struct Event::Waiter {
  Event event;
  Function function;
  std::atomic<int> users{2};
  void leave() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

// A continuation that does nothing but own a value until it is called.
template <typename T>
struct Keep {
  T value;
  void operator()(Error) const {}
};

template <typename T>
using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <typename T>
Result<T> to_result(Error error, Stored<T>&& value) {
  if (error) return error;
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return Result<T>(std::move(value));
  }
}

// The state of a future that a continuation completes.
template <typename T>
struct Promise {
  struct Continuation {
    virtual void run(Result<T> result) = 0;
    virtual ~Continuation() = default;
  };

  void set(Result<T> given) {
    std::unique_ptr<Continuation> next;
    {
      std::lock_guard lock(mutex);
      next = std::move(continuation);
      if (!next) result.emplace(std::move(given));
      complete = true;
      // Within the lock: afterwards the waiting thread may destroy this promise.
      condition.notify_all();
    }
    if (next) next->run(std::move(given));
  }

  std::mutex mutex;
  std::condition_variable condition;
  bool complete = false;
  std::optional<Result<T>> result;
  std::unique_ptr<Continuation> continuation;
};

template <typename R>
struct Unwrapped {
  using type = R;
};
template <typename R>
struct Unwrapped<Result<R>> {
  using type = R;
};

}  // namespace detail

template <typename T>
class [[nodiscard]] Future {
 public:
  using value_type = T;

  // A future that has failed.
  Future(Error error) : error_(std::move(error)) {}
  Future(detail::Event event, detail::Stored<T> value)
      : event_(std::move(event)), value_(std::move(value)) {}
  explicit Future(std::shared_ptr<detail::Promise<T>> promise)
      : promise_(std::move(promise)) {}
  Future(Future&& other) noexcept
      : event_(std::move(other.event_)),
        value_(std::move(other.value_)),
        error_(std::move(other.error_)),
        promise_(std::move(other.promise_)),
        consumed_(std::exchange(other.consumed_, true)) {}
  Future& operator=(Future&& other) noexcept {
    if (this != &other) {
      this->~Future();
      new (this) Future(std::move(other));
    }
    return *this;
  }
  ~Future() {
    if (consumed_ || promise_ || error_ || event_.is_ready()) return;
    std::move(event_).on_ready(detail::Keep<detail::Stored<T>>{std::move(value_)});
  }

  bool is_ready() const {
    if (promise_) {
      std::lock_guard lock(promise_->mutex);
      return promise_->complete;
    }
    return error_ || event_.is_ready();
  }

  // Waits, then returns the value or the error.
  Result<T> get() {
    if (std::exchange(consumed_, true)) return consumed_twice();
    if (promise_) {
      std::unique_lock lock(promise_->mutex);
      promise_->condition.wait(lock, [&] { return promise_->complete; });
      return std::move(*promise_->result);
    }
    if (error_) return std::move(error_);
    return detail::to_result<T>(event_.await(), std::move(value_));
  }

  // Calls `function(Result<T>)` when the value is there. The future that this returns
  // completes with what `function` returns: a value, a Result or nothing.
  template <typename Function>
  auto then(Function function) && {
    using Returned = std::invoke_result_t<Function, Result<T>>;
    using U = typename detail::Unwrapped<Returned>::type;
    auto next = std::make_shared<detail::Promise<U>>();
    std::move(*this).deliver(
        [next, function = std::move(function)](Result<T> result) mutable noexcept {
          if constexpr (std::is_void_v<Returned>) {
            function(std::move(result));
            next->set({});
          } else {
            next->set(function(std::move(result)));
          }
        });
    return Future<U>(std::move(next));
  }

  auto operator co_await() && {
    struct Awaiter {
      Future future;
      std::optional<Result<T>> result;

      bool await_ready() { return future.is_ready(); }
      void await_suspend(std::coroutine_handle<> waiting) {
        // The coroutine may run on, and destroy this awaiter, before deliver returns.
        Future moved = std::move(future);
        std::move(moved).deliver([this, waiting](Result<T> arrived) noexcept {
          result.emplace(std::move(arrived));
          waiting.resume();
        });
      }
      Result<T> await_resume() { return result ? std::move(*result) : future.get(); }
    };
    return Awaiter{std::move(*this), std::nullopt};
  }

 private:
  static Error consumed_twice() {
    return Error(PJRT_Error_Code_FAILED_PRECONDITION,
                 "this future was consumed or moved; get, then and co_await may be used "
                 "once",
                 "Future");
  }

  template <typename Function>
  void deliver(Function function) && {
    if (std::exchange(consumed_, true)) {
      function(consumed_twice());
    } else if (promise_) {
      deliver_promise(std::move(function));
    } else if (error_) {
      function(std::move(error_));
    } else {
      std::move(event_).on_ready([value = std::move(value_),
                                  function = std::move(function)](Error error) mutable {
        function(detail::to_result<T>(std::move(error), std::move(value)));
      });
    }
  }
  template <typename Function>
  void deliver_promise(Function function) {
    struct Next final : detail::Promise<T>::Continuation {
      explicit Next(Function f) : function(std::move(f)) {}
      void run(Result<T> result) override { function(std::move(result)); }
      Function function;
    };
    auto promise = std::move(promise_);
    {
      std::lock_guard lock(promise->mutex);
      if (!promise->complete) {
        promise->continuation = std::make_unique<Next>(std::move(function));
        return;
      }
    }
    function(std::move(*promise->result));
  }

  detail::Event event_;
  detail::Stored<T> value_{};
  Error error_;
  std::shared_ptr<detail::Promise<T>> promise_;
  bool consumed_ = false;
};

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_FUTURE_HPP_
