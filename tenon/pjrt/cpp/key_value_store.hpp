// The key-value store of a job of several processes, through which their clients find
// each other. The program implements it over whatever its processes share.
#ifndef TENON_PJRT_CPP_KEY_VALUE_STORE_HPP_
#define TENON_PJRT_CPP_KEY_VALUE_STORE_HPP_

#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include "tenon/pjrt/cpp/context.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// Any thread of the plugin may call it, as long as the client lives.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Waits until the key has a value; DEADLINE_EXCEEDED after `timeout`.
  virtual Result<std::string> get(std::string_view key,
                                  std::chrono::milliseconds timeout) = 0;
  // NOT_FOUND if the key has no value yet.
  virtual Result<std::string> try_get(std::string_view key) = 0;
  virtual Error put(std::string_view key, std::string_view value) = 0;
};

namespace detail {

// The plugin makes the error that it will destroy.
template <typename Args>
PJRT_Error* to_plugin(const Error& error, const Args* args) {
  return (*args->callback_error)(error.code(), error.message().data(),
                                 error.message().size());
}

template <typename Args>
PJRT_Error* answer(const Result<std::string>& value, Args* args) {
  if (!value) return to_plugin(value.error(), args);
  args->value = new char[value->size() + 1];
  std::memcpy(args->value, value->c_str(), value->size() + 1);
  args->value_size = value->size();
  args->value_deleter_callback = [](char* text) { delete[] text; };
  return nullptr;
}

inline void set_key_value_store(KeyValueStore* store,
                                raw::Args<raw::PJRT_Client_Create>& args) {
  args.kv_get_user_arg = args.kv_put_user_arg = args.kv_try_get_user_arg = store;
  args.kv_get_callback = [](PJRT_KeyValueGetCallback_Args* call) {
    auto* given = static_cast<KeyValueStore*>(call->user_arg);
    return answer(given->get(view(call->key, call->key_size),
                             std::chrono::milliseconds(call->timeout_in_ms)),
                  call);
  };
  args.kv_try_get_callback = [](PJRT_KeyValueTryGetCallback_Args* call) {
    auto* given = static_cast<KeyValueStore*>(call->user_arg);
    return answer(given->try_get(view(call->key, call->key_size)), call);
  };
  args.kv_put_callback = [](PJRT_KeyValuePutCallback_Args* call) -> PJRT_Error* {
    auto* given = static_cast<KeyValueStore*>(call->user_arg);
    Error error =
        given->put(view(call->key, call->key_size), view(call->value, call->value_size));
    return error ? to_plugin(error, call) : nullptr;
  };
}

}  // namespace detail
}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_KEY_VALUE_STORE_HPP_
