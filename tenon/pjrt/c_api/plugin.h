// The description of a plugin, and the PJRT function table for it.
//
//   const PluginDescription& Description() { static const PluginDescription d{...};
//   return d; } extern "C" const PJRT_Api* GetPjrtApi() {
//     static const PJRT_Api api =
//     c_api::MakeApi<Description>(StandardExtensions<Description>()); return &api;
//   }
//
// The description is a template argument, because some functions of the API name no
// client. So one binary can contain several plugins without global state.
#ifndef TENON_PJRT_C_API_PLUGIN_H_
#define TENON_PJRT_C_API_PLUGIN_H_

#include <memory>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/pjrt/interface/ffi_registry.h"
#include "tenon/pjrt/interface/named_value.h"
#include "tenon/pjrt/interface/partitioner_registry.h"
#include "tenon/pjrt/interface/profiler.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt {

// The numbers of the interface between compiled code and runtime that a plugin can run
// (format::kAbi of tenon/format/layout.h). Its own executables have the newest.
struct AbiRange {
  int64_t oldest = 0, newest = 0;
};

// All function pointers may be called from any thread.
struct PluginDescription {
  // Strings, int64, int64 lists: "stablehlo_current_version" and the like.
  NamedValueMap attributes;
  StatusOr<std::unique_ptr<Client>> (*create_client)(const ClientOptions& options) =
      nullptr;
  // Null if devices can be described only by a client.
  StatusOr<std::unique_ptr<Topology>> (*create_topology)(
      std::string_view name, const NamedValueMap& options) = nullptr;
  // Reads the bytes of Topology::Serialize.
  StatusOr<std::unique_ptr<Topology>> (*deserialize_topology)(std::string_view bytes) =
      nullptr;
  // Null if custom-call handlers cannot be registered. Lives as long as the process.
  FfiRegistry* ffi_registry = nullptr;
  // Null if custom calls cannot be partitioned by the framework. Lives as long as the
  // process.
  PartitionerRegistry* partitioner_registry = nullptr;
  // Null if the plugin cannot be traced. Lives as long as the process.
  Profiler* profiler = nullptr;
  // 0 if the plugin does not say.
  AbiRange abi = {};
};

namespace c_api {

// The table, without the functions that need a description.
PJRT_Api MakeCommonApi(PJRT_Extension_Base* extensions);

// The whole table. `extensions` must live as long as the process.
template <const PluginDescription& (*kDescription)()>
PJRT_Api MakeApi(PJRT_Extension_Base* extensions) {
  PJRT_Api api = MakeCommonApi(extensions);
#define TENON_PJRT_ROW(function, object, handler)
#define TENON_PJRT_STUB(function, object)
#define TENON_PJRT_VOID(function, object, handler)
#define TENON_PJRT_PLUGIN(function, object, handler)                          \
  api.function = [](function##_Args* args) {                                  \
    return Dispatch<#function, function##_Args_STRUCT_SIZE>(                  \
        args, [](function##_Args* a) { return handler(kDescription(), a); }); \
  };
#include "tenon/pjrt/c_api/api_table.inc"
#undef TENON_PJRT_ROW
#undef TENON_PJRT_STUB
#undef TENON_PJRT_VOID
#undef TENON_PJRT_PLUGIN
  return api;
}

}  // namespace c_api
}  // namespace tenon::pjrt

#endif  // TENON_PJRT_C_API_PLUGIN_H_
