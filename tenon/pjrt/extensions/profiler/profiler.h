// The Profiler extension, with which jax.profiler and others start, stop and collect
// traces.
#ifndef TENON_PJRT_EXTENSIONS_PROFILER_PROFILER_H_
#define TENON_PJRT_EXTENSIONS_PROFILER_PROFILER_H_

#include <optional>

#include "tenon/pjrt/abi/profiler_extension.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {

// The extension's table without `create`.
PLUGIN_Profiler_Api MakeProfilerApi();
PLUGIN_Profiler_Error* CreateProfiler(Profiler& profiler,
                                      PLUGIN_Profiler_Create_Args* args);

// Nullopt for a plugin without a profiler.
template <const PluginDescription& (*kDescription)()>
std::optional<PJRT_Profiler_Extension> MakeProfilerExtension() {
  if (kDescription().profiler == nullptr) return std::nullopt;
  static PLUGIN_Profiler_Api api = MakeProfilerApi();
  api.create = [](PLUGIN_Profiler_Create_Args* args) {
    return CreateProfiler(*kDescription().profiler, args);
  };
  PJRT_Profiler_Extension extension{};
  extension.base.struct_size = PJRT_Profiler_Extension_STRUCT_SIZE;
  extension.profiler_api = &api;
  return extension;
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_PROFILER_PROFILER_H_
