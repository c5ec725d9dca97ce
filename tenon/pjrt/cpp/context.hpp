// What the objects of one client share: the plugin's function table and the client's
// handle. Every object keeps its client alive, so programs may destroy them in any order.
#ifndef TENON_PJRT_CPP_CONTEXT_HPP_
#define TENON_PJRT_CPP_CONTEXT_HPP_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tenon/pjrt/cpp/result.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

class KeyValueStore;

namespace detail {

// A loaded plugin. Plugins are never unloaded, so these live as long as the process.
struct PluginState {
  raw::Api api;
  std::string path;

  Error take(raw::Error error) const {
    if (error.is_missing_function()) {
      return Error(PJRT_Error_Code_UNIMPLEMENTED,
                   "the plugin, whose PJRT API is 0." +
                       std::to_string(api.minor_version()) +
                       ", does not have this function",
                   error.function(), path);
    }
    return Error(error.code(), error.message(), error.function(), path);
  }
  template <typename F>
  Error call(raw::Args<F>& args) const {
    raw::Error error = api.call<F>(args);
    if (error) [[unlikely]]
      return take(std::move(error));
    return {};
  }
  Error invalid(std::string_view message, const char* function) const {
    return Error(PJRT_Error_Code_INVALID_ARGUMENT, message, function, path);
  }
};

struct ClientState {
  ClientState(const PluginState& loaded, PJRT_Client* created,
              std::shared_ptr<KeyValueStore> store)
      : plugin(loaded), client(created), key_value_store(std::move(store)) {}
  ClientState(const ClientState&) = delete;
  ~ClientState() { raw::handle_traits<PJRT_Client>::destroy(plugin.api.table(), client); }

  const PluginState& plugin;
  PJRT_Client* const client;
  const std::shared_ptr<KeyValueStore> key_value_store;  // may be null
  std::atomic<int> references{1};
};

inline void add_references(ClientState* state, int count) {
  state->references.fetch_add(count, std::memory_order_relaxed);
}

// While one exists, this thread runs a callback of a plugin.
class InCallback {
 public:
  InCallback() { ++depth(); }
  InCallback(const InCallback&) = delete;
  ~InCallback() { --depth(); }
  static int& depth() {
    static thread_local int value = 0;
    return value;
  }
};

inline void remove_reference(ClientState* state) {
  if (state->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (InCallback::depth() == 0) {
    delete state;
  } else {
    // Destroying a client joins its threads, and this one may be among them.
    std::thread([state] { delete state; }).detach();
  }
}

// A counted reference to a client; may be empty.
class ClientRef {
 public:
  ClientRef() = default;
  // Takes over a reference.
  explicit ClientRef(ClientState* state) : state_(state) {}
  ClientRef(const ClientRef& other) : state_(other.state_) {
    if (state_) add_references(state_, 1);
  }
  ClientRef(ClientRef&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  ClientRef& operator=(ClientRef other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~ClientRef() {
    if (state_) remove_reference(state_);
  }
  // Adds a reference.
  static ClientRef to(ClientState* state) {
    add_references(state, 1);
    return ClientRef(state);
  }
  explicit operator bool() const { return state_ != nullptr; }
  ClientState* state() const { return state_; }
  ClientState* release() { return std::exchange(state_, nullptr); }
  bool operator==(const ClientRef& other) const { return state_ == other.state_; }
  PJRT_Client* get() const { return state_->client; }
  const PluginState& plugin() const { return state_->plugin; }
  const PJRT_Api* table() const { return state_->plugin.api.table(); }

 private:
  ClientState* state_ = nullptr;
};

inline std::string_view view(const char* text, size_t size) {
  return text ? std::string_view(text, size) : std::string_view();
}

}  // namespace detail
}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_CONTEXT_HPP_
