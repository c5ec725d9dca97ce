#include "tenon/pjrt/extensions/custom_calls/custom_calls.h"

#include <string>

#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {

Status RegisterCustomCall(FfiRegistry& registry,
                          PJRT_Gpu_Register_Custom_Call_Args* args) {
  TENON_PJRT_REQUIRE(args, function_name);
  TENON_PJRT_REQUIRE(args, handler_execute);
  const std::string_view target = View(args->function_name, args->function_name_size);
  constexpr int kTypedFfi = 1;
  if (args->api_version != kTypedFfi) {
    return Unimplemented("custom call '" + std::string(target) +
                         "' has a handler of API version " +
                         std::to_string(args->api_version) +
                         ": only handlers of the typed FFI (version 1) can be called");
  }
  FfiHandlers handlers;
  handlers.instantiate = args->handler_instantiate;
  handlers.prepare = args->handler_prepare;
  handlers.initialize = args->handler_initialize;
  handlers.execute = args->handler_execute;
  // The arguments name no platform, so register for "cpu", the fallback of all platforms.
  return registry.RegisterHandler(target, "cpu", handlers);
}

}  // namespace tenon::pjrt::c_api
