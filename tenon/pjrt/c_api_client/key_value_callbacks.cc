#include "tenon/pjrt/c_api_client/key_value_callbacks.h"

#include <chrono>
#include <cstring>
#include <string>

#include "tenon/pjrt/c_api_client/call.h"

namespace tenon::pjrt::c_api_client {
namespace {

// Lets the plugin create the error, because the plugin will destroy it.
template <typename Args>
PJRT_Error* ToError(const Status& status, const Args* args) {
  return (*args->callback_error)(static_cast<PJRT_Error_Code>(status.code()),
                                 status.message().data(), status.message().size());
}

template <typename Args>
PJRT_Error* Answer(const StatusOr<std::string>& value, Args* args) {
  if (!value.ok()) return ToError(value.status(), args);
  args->value = new char[value->size() + 1];
  std::memcpy(args->value, value->c_str(), value->size() + 1);
  args->value_size = value->size();
  args->value_deleter_callback = [](char* text) { delete[] text; };
  return nullptr;
}

PJRT_Error* Get(PJRT_KeyValueGetCallback_Args* args) {
  auto* store = static_cast<KeyValueStore*>(args->user_arg);
  return Answer(store->Get(View(args->key, args->key_size),
                           std::chrono::milliseconds(args->timeout_in_ms)),
                args);
}

PJRT_Error* TryGet(PJRT_KeyValueTryGetCallback_Args* args) {
  auto* store = static_cast<KeyValueStore*>(args->user_arg);
  return Answer(store->TryGet(View(args->key, args->key_size)), args);
}

PJRT_Error* Put(PJRT_KeyValuePutCallback_Args* args) {
  auto* store = static_cast<KeyValueStore*>(args->user_arg);
  Status status =
      store->Put(View(args->key, args->key_size), View(args->value, args->value_size));
  return status.ok() ? nullptr : ToError(status, args);
}

}  // namespace

void SetKeyValueCallbacks(KeyValueStore* store, PJRT_Client_Create_Args* args) {
  args->kv_get_callback = Get;
  args->kv_put_callback = Put;
  args->kv_try_get_callback = TryGet;
  args->kv_get_user_arg = args->kv_put_user_arg = args->kv_try_get_user_arg = store;
}

}  // namespace tenon::pjrt::c_api_client
