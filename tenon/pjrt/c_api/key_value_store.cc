#include "tenon/pjrt/c_api/key_value_store.h"

#include <algorithm>
#include <climits>
#include <string>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/error.h"

namespace tenon::pjrt::c_api {
namespace {

class CallbackKeyValueStore final : public KeyValueStore {
 public:
  explicit CallbackKeyValueStore(const PJRT_Client_Create_Args* args)
      : get_(args->kv_get_callback),
        get_arg_(args->kv_get_user_arg),
        put_(args->kv_put_callback),
        put_arg_(args->kv_put_user_arg),
        try_get_(TENON_PJRT_GET(args, kv_try_get_callback)),
        try_get_arg_(TENON_PJRT_GET(args, kv_try_get_user_arg)) {}

  StatusOr<std::string> Get(std::string_view key,
                            std::chrono::milliseconds timeout) override {
    if (get_ == nullptr) return Missing("get");
    PJRT_CallbackError callback_error = CallbackError;
    PJRT_KeyValueGetCallback_Args args{};
    args.struct_size = PJRT_KeyValueGetCallback_Args_STRUCT_SIZE;
    args.key = key.data();
    args.key_size = key.size();
    args.timeout_in_ms =
        static_cast<int>(std::clamp<int64_t>(timeout.count(), 0, INT_MAX));
    args.callback_error = &callback_error;
    args.user_arg = get_arg_;
    TENON_RETURN_IF_ERROR(TakeError(get_(&args)));
    return Take(args);
  }

  StatusOr<std::string> TryGet(std::string_view key) override {
    if (try_get_ == nullptr) return Missing("try-get");
    PJRT_CallbackError callback_error = CallbackError;
    PJRT_KeyValueTryGetCallback_Args args{};
    args.struct_size = PJRT_KeyValueTryGetCallback_Args_STRUCT_SIZE;
    args.key = key.data();
    args.key_size = key.size();
    args.callback_error = &callback_error;
    args.user_arg = try_get_arg_;
    TENON_RETURN_IF_ERROR(TakeError(try_get_(&args)));
    return Take(args);
  }

  Status Put(std::string_view key, std::string_view value) override {
    if (put_ == nullptr) return Missing("put");
    PJRT_CallbackError callback_error = CallbackError;
    PJRT_KeyValuePutCallback_Args args{};
    args.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE;
    args.key = key.data();
    args.key_size = key.size();
    args.value = value.data();
    args.value_size = value.size();
    args.callback_error = &callback_error;
    args.user_arg = put_arg_;
    return TakeError(put_(&args));
  }

 private:
  static Status Missing(const char* what) {
    return Unimplemented(std::string("the framework gave no key-value ") + what +
                         " callback");
  }

  template <typename Args>
  static std::string Take(const Args& args) {
    std::string value(args.value ? args.value : "", args.value_size);
    if (args.value_deleter_callback) args.value_deleter_callback(args.value);
    return value;
  }

  PJRT_KeyValueGetCallback get_;
  void* get_arg_;
  PJRT_KeyValuePutCallback put_;
  void* put_arg_;
  PJRT_KeyValueTryGetCallback try_get_;
  void* try_get_arg_;
};

}  // namespace

std::shared_ptr<KeyValueStore> MakeKeyValueStore(const PJRT_Client_Create_Args* args) {
  return std::make_shared<CallbackKeyValueStore>(args);
}

}  // namespace tenon::pjrt::c_api
