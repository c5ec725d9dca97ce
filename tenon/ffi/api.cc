#include "tenon/ffi/api.h"

#include <cxxabi.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/ffi/registry.h"

namespace tenon::ffi {

struct Error {
  Status status;
  std::string message;  // NUL-terminated for handlers
};

// The handler completes it and CallHandler awaits it; each side drops one reference.
struct Future {
  std::atomic<int> references{2};
  std::mutex mutex;
  std::condition_variable done;
  bool complete = false;
  Status status;

  void Complete(Status result) {
    {
      std::lock_guard lock(mutex);
      status = std::move(result);
      complete = true;
      done.notify_all();
    }
    Unref();
  }
  Status Await() {
    std::unique_lock lock(mutex);
    done.wait(lock, [this] { return complete; });
    Status result = status;
    lock.unlock();
    Unref();
    return result;
  }

 private:
  void Unref() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

namespace {

Error* MakeError(Status status) {
  if (status.ok()) return nullptr;
  std::string message(status.message());
  return new Error{std::move(status), std::move(message)};
}

Status TakeError(Error* error) {
  if (!error) return OkStatus();
  std::unique_ptr<Error> owned(error);
  return std::move(owned->status);
}

Error* ErrorCreate(ErrorCreateArgs* args) {
  StatusCode code = static_cast<StatusCode>(args->code);
  // An error with code OK must not become success.
  if (args->code <= 0 || args->code > 16) code = StatusCode::kUnknown;
  return MakeError(Status(code, args->message ? args->message : ""));
}

void ErrorGetDetails(ErrorGetDetailsArgs* args) {
  args->message = args->error->message.c_str();
  if (args->struct_size >= ErrorGetDetailsArgs::kStructSize)
    args->code = static_cast<int32_t>(args->error->status.code());
}

void ErrorDestroy(ErrorDestroyArgs* args) { delete args->error; }

std::string_view View(const ByteSpan& span) { return {span.ptr, span.len}; }

Error* HandlerRegister(HandlerRegisterArgs* args) {
  return MakeError(Registry::Global().RegisterHandler(
      View(args->name), View(args->platform), args->bundle));
}

Error* StreamGet(StreamGetArgs* args) {
  args->stream = nullptr;
  return MakeError(Unimplemented("this platform has no streams"));
}

Error* TypeRegister(TypeRegisterArgs* args) {
  StatusOr<int64_t> id = Registry::Global().RegisterType(
      View(args->name), args->type_id->type_id,
      args->type_info ? args->type_info->deleter : nullptr);
  if (!id.ok()) return MakeError(id.status());
  args->type_id->type_id = *id;
  return nullptr;
}

StatusOr<CallEnvironment*> Environment(CallContext* ctx) {
  if (!ctx || !ctx->environment) {
    return FailedPrecondition(
        "the execution is not available while a custom call is instantiated");
  }
  return ctx->environment;
}

Error* ExecutionContextGet(ExecutionContextGetArgs* args) {
  StatusOr<CallEnvironment*> environment = Environment(args->ctx);
  if (!environment.ok()) return MakeError(environment.status());
  args->data = (*environment)->UserData(args->type_id->type_id);
  if (args->data) return nullptr;
  return MakeError(NotFound("the execution has no user data of type id " +
                            std::to_string(args->type_id->type_id)));
}

StatusOr<StageState*> FindState(const CallContext* ctx, Stage of) {
  const int stage = static_cast<int>(of);
  if (!ctx || stage < 0 || stage >= 3 || !ctx->states[stage]) {
    return InvalidArgument("there is no state of stage " + std::to_string(stage) +
                           " here");
  }
  return ctx->states[stage];
}

// The arguments in the layout of versions before 0.3, if the handler was built for one;
// otherwise null.
OldStateArgs* AsOld(StateArgs* args) {
  const bool old = args->ctx && args->ctx->api_minor < kFirstMinorWithStateStages;
  return old ? reinterpret_cast<OldStateArgs*>(args) : nullptr;
}

Error* StateSet(StateArgs* args) {
  OldStateArgs* old = AsOld(args);
  StatusOr<StageState*> state =
      FindState(args->ctx, old ? Stage::kInstantiate : args->stage);
  if (!state.ok()) return MakeError(state.status());
  if (!old) return MakeError((*state)->Set(args->type_id->type_id, args->state));
  return MakeError((*state)->Set(old->type_id->type_id, old->state,
                                 args->ctx->api_minor == 1 ? old->deleter : nullptr));
}

Error* StateGet(StateArgs* args) {
  OldStateArgs* old = AsOld(args);
  StatusOr<StageState*> state =
      FindState(args->ctx, old ? Stage::kInstantiate : args->stage);
  if (!state.ok()) return MakeError(state.status());
  StatusOr<void*> value = (*state)->Get((old ? old->type_id : args->type_id)->type_id);
  if (!value.ok()) return MakeError(value.status());
  (old ? old->state : args->state) = *value;
  return nullptr;
}

Error* DeviceMemoryAllocate(DeviceMemoryAllocateArgs* args) {
  args->data = nullptr;
  return MakeError(Unimplemented(
      "this device has no scratch allocator: its memory is the host's, so use malloc"));
}

Error* DeviceMemoryFree(DeviceMemoryFreeArgs*) {
  return MakeError(Unimplemented(
      "this device has no scratch allocator: its memory is the host's, so use free"));
}

Error* ThreadPoolSchedule(ThreadPoolScheduleArgs* args) {
  StatusOr<CallEnvironment*> environment = Environment(args->ctx);
  if (!environment.ok()) return MakeError(environment.status());
  (*environment)->Schedule(args->task, args->data);
  return nullptr;
}

Error* ThreadPoolNumThreads(ThreadPoolNumThreadsArgs* args) {
  StatusOr<CallEnvironment*> environment = Environment(args->ctx);
  if (!environment.ok()) return MakeError(environment.status());
  *args->num_threads = (*environment)->num_threads();
  return nullptr;
}

Error* FutureCreate(FutureCreateArgs* args) {
  args->future = new Future();
  return nullptr;
}

Error* FutureSetAvailable(FutureSetAvailableArgs* args) {
  args->future->Complete(OkStatus());
  return nullptr;
}

Error* FutureSetError(FutureSetErrorArgs* args) {
  Status status = TakeError(args->error);
  if (status.ok()) status = Internal("a custom call failed without an error message");
  args->future->Complete(std::move(status));
  return nullptr;
}

Error* RunIdGet(RunIdGetArgs* args) {
  StatusOr<CallEnvironment*> environment = Environment(args->ctx);
  if (!environment.ok()) return MakeError(environment.status());
  args->run_id = (*environment)->run_id();
  return nullptr;
}

Error* DeviceOrdinalGet(DeviceOrdinalGetArgs* args) {
  StatusOr<CallEnvironment*> environment = Environment(args->ctx);
  if (!environment.ok()) return MakeError(environment.status());
  args->device_ordinal = (*environment)->device_ordinal();
  return nullptr;
}

// This platform has no FFI extensions and no options per execution.
Error* FindExtension(FindExtensionArgs* args) {
  args->extension = nullptr;
  return nullptr;
}

Error* CustomOptionsGet(CustomOptionsGetArgs* args) {
  static const AttributeList empty = {
      AttributeList::kStructSize, nullptr, 0, nullptr, nullptr, nullptr};
  args->attrs = &empty;
  return nullptr;
}

}  // namespace

const Api& GetApi() {
  static const Api api = {
      .struct_size = sizeof(Api),
      .extension_start = nullptr,
      .api_version = {ApiVersion::kStructSize, nullptr, kApiMajor, kApiMinor},
      .internal_api = nullptr,
      .error_create = ErrorCreate,
      .error_get_details = ErrorGetDetails,
      .error_destroy = ErrorDestroy,
      .handler_register = HandlerRegister,
      .stream_get = StreamGet,
      .type_register = TypeRegister,
      .execution_context_get = ExecutionContextGet,
      .state_set = StateSet,
      .state_get = StateGet,
      .device_memory_allocate = DeviceMemoryAllocate,
      .device_memory_free = DeviceMemoryFree,
      .thread_pool_schedule = ThreadPoolSchedule,
      .thread_pool_num_threads = ThreadPoolNumThreads,
      .future_create = FutureCreate,
      .future_set_available = FutureSetAvailable,
      .future_set_error = FutureSetError,
      .run_id_get = RunIdGet,
      .device_ordinal_get = DeviceOrdinalGet,
      .find_extension = FindExtension,
      .custom_options_get = CustomOptionsGet,
  };
  return api;
}

StageState::~StageState() {
  if (!state_) return;
  auto* deleter = deleter_ ? deleter_ : Registry::Global().TypeDeleter(type_id_);
  if (deleter) deleter(state_);
}

Status StageState::Set(int64_t type_id, void* state, void (*deleter)(void* state)) {
  if (state_)
    return AlreadyExists("the custom call's state has already been set for this stage");
  type_id_ = type_id;
  state_ = state;
  deleter_ = deleter;
  return OkStatus();
}

StatusOr<void*> StageState::Get(int64_t type_id) const {
  if (!state_) return NotFound("the custom call has no state");
  if (type_id != type_id_) {
    return InvalidArgument("the custom call's state has type id " +
                           std::to_string(type_id_) + ", not " + std::to_string(type_id));
  }
  return state_;
}

Status CallHandler(Handler* handler, CallFrame* frame) {
  Status status;
  try {
    status = TakeError(handler(frame));
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& exception) {
    return Internal(std::string("the handler threw an exception: ") + exception.what());
  } catch (...) {
    return Internal("the handler threw an exception");
  }
  if (frame->future) {
    Status result = std::exchange(frame->future, nullptr)->Await();
    if (status.ok()) status = std::move(result);
  }
  return status;
}

}  // namespace tenon::ffi
