// The Gpu_Custom_Call extension (type 0). Despite its name it is for any device: it
// registers custom-call handlers for all stages, which the FFI extension cannot do.
#ifndef TENON_PJRT_EXTENSIONS_CUSTOM_CALLS_CUSTOM_CALLS_H_
#define TENON_PJRT_EXTENSIONS_CUSTOM_CALLS_CUSTOM_CALLS_H_

#include <optional>

#include "tenon/pjrt/abi/gpu_extension.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {

Status RegisterCustomCall(FfiRegistry& registry,
                          PJRT_Gpu_Register_Custom_Call_Args* args);

// Nullopt for a plugin without a registry.
template <const PluginDescription& (*kDescription)()>
std::optional<PJRT_Gpu_Custom_Call> MakeCustomCallsExtension() {
  if (kDescription().ffi_registry == nullptr) return std::nullopt;
  PJRT_Gpu_Custom_Call extension{};
  extension.base.struct_size = PJRT_Gpu_Custom_Call_STRUCT_SIZE;
  extension.custom_call = [](PJRT_Gpu_Register_Custom_Call_Args* args) {
    return Dispatch<"PJRT_Gpu_Register_Custom_Call",
                    PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE>(
        args, [](PJRT_Gpu_Register_Custom_Call_Args* a) {
          return RegisterCustomCall(*kDescription().ffi_registry, a);
        });
  };
  return extension;
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_CUSTOM_CALLS_CUSTOM_CALLS_H_
