// The CPU plugin's entry point.
#include "tenon/pjrt/c_api/plugin.h"

#include <cstdlib>

#include "tenon/devices/cpu/cpu_platform.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/client/create_options.h"
#include "tenon/pjrt/client/local_platform.h"
#include "tenon/pjrt/extensions/standard_extensions.h"

namespace tenon::pjrt {
namespace {

const LocalPlatform& Platform() {
  static const LocalPlatform& platform = *new LocalPlatform{
      .device = cpu::HostPlatform(),
#ifdef TENON_HAS_COMPILER
      .compile = compiler::Compile,
      .check_config = compiler::CheckConfig,
#endif
  };
  return platform;
}

const PluginDescription& Description() {
  static const PluginDescription& description = *new PluginDescription{
      .attributes = {{"xla_version", int64_t{2}},
                     {"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
                     {"stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0}},
                     {"sdy_current_version", std::vector<int64_t>{0, 0, 1}}},
      .create_client =
          [](const ClientOptions& options) -> StatusOr<std::unique_ptr<Client>> {
        ClientOptions complete = options;
        TENON_ASSIGN_OR_RETURN(
            complete.values,
            WithEnvironment(options.values, std::getenv, cpu::HostPlatform().options()));
        return CreateLocalClient(Platform(), complete);
      },
      .create_topology = [](std::string_view name, const NamedValueMap& options)
          -> StatusOr<std::unique_ptr<Topology>> {
        TENON_ASSIGN_OR_RETURN(
            const NamedValueMap complete,
            WithEnvironment(options, std::getenv, cpu::HostPlatform().options()));
        return CreateLocalTopology(Platform(), name, complete);
      },
      .deserialize_topology =
          [](std::string_view bytes) {
            return DeserializeLocalTopology(Platform(), bytes);
          },
      .ffi_registry = &LocalFfiRegistry(),
      .profiler = &LocalProfiler(),
  };
  return description;
}

}  // namespace
}  // namespace tenon::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = tenon::pjrt::c_api::MakeApi<tenon::pjrt::Description>(
      tenon::pjrt::StandardExtensions<tenon::pjrt::Description>());
  return &api;
}
