#include "tenon/pjrt/extensions/profiler/profiler.h"

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "tenon/pjrt/extensions/profiler/xspace.h"

struct PLUGIN_Profiler_Error {
  tenon::Status status;
  std::string message;
};

struct PLUGIN_Profiler {
  tenon::pjrt::Profiler& profiler;
  bool running = false;
  std::string trace;  // a serialized XSpace, set when the trace ends
};

namespace tenon::pjrt::c_api {
namespace {

PLUGIN_Profiler_Error* MakeError(Status status) {
  if (status.ok()) return nullptr;
  std::string message(status.message());
  return new PLUGIN_Profiler_Error{std::move(status), std::move(message)};
}

// Like Dispatch, with this table's own error type. Does not check struct_size, because
// jaxlib leaves it uninitialized in some arguments, and no struct has grown since the
// first version.
template <typename Args, typename Handler>
PLUGIN_Profiler_Error* Call(Args* args, Handler&& handler) {
  if (args == nullptr) return MakeError(InvalidArgument("the arguments are null"));
  try {
    return MakeError(handler());
  } catch (const std::exception& error) {
    return MakeError(Internal(std::string("the profiler failed: ") + error.what()));
  }
}

Status Stop(PLUGIN_Profiler& session) {
  if (!std::exchange(session.running, false)) return OkStatus();
  session.trace = WriteXSpace(session.profiler.Stop());
  return OkStatus();
}

Status Start(PLUGIN_Profiler& session) {
  if (session.running) return OkStatus();
  TENON_RETURN_IF_ERROR(session.profiler.Start());
  session.running = true;
  session.trace.clear();
  return OkStatus();
}

// Some callers pass a buffer after they have got the size; others read Tenon's buffer.
Status Collect(PLUGIN_Profiler_CollectData_Args* args) {
  std::string& trace = args->profiler->trace;
  args->buffer_size_in_bytes = trace.size();
  if (!args->buffer) {
    args->buffer = reinterpret_cast<uint8_t*>(trace.data());
  } else if (!trace.empty()) {
    std::memcpy(args->buffer, trace.data(), trace.size());
  }
  return OkStatus();
}

}  // namespace

PLUGIN_Profiler_Error* CreateProfiler(Profiler& profiler,
                                      PLUGIN_Profiler_Create_Args* args) {
  return Call(args, [&] {
    args->profiler = new PLUGIN_Profiler{profiler, false, {}};
    return OkStatus();
  });
}

PLUGIN_Profiler_Api MakeProfilerApi() {
  PLUGIN_Profiler_Api api{};
  api.struct_size = PLUGIN_Profiler_Api_STRUCT_SIZE;
  api.error_destroy = [](PLUGIN_Profiler_Error_Destroy_Args* args) {
    delete args->error;
  };
  api.error_message = [](PLUGIN_Profiler_Error_Message_Args* args) {
    args->message = args->error->message.data();
    args->message_size = args->error->message.size();
  };
  api.error_get_code = [](PLUGIN_Profiler_Error_GetCode_Args* args) {
    return Call(args, [&] {
      args->code = static_cast<int>(args->error->status.code());
      return OkStatus();
    });
  };
  api.destroy = [](PLUGIN_Profiler_Destroy_Args* args) {
    return Call(args, [&] {
      if (args->profiler) (void)Stop(*args->profiler);
      delete args->profiler;
      return OkStatus();
    });
  };
  api.start = [](PLUGIN_Profiler_Start_Args* args) {
    return Call(args, [&] { return Start(*args->profiler); });
  };
  api.stop = [](PLUGIN_Profiler_Stop_Args* args) {
    return Call(args, [&] { return Stop(*args->profiler); });
  };
  api.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) {
    return Call(args, [&] { return Collect(args); });
  };
  return api;
}

}  // namespace tenon::pjrt::c_api
