// The description of a plugin over any platform of devices.
#ifndef TENON_DEVICES_PLUGIN_DESCRIPTION_H_
#define TENON_DEVICES_PLUGIN_DESCRIPTION_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/client/create_options.h"
#include "tenon/pjrt/client/local_platform.h"

namespace tenon::pjrt {

// `Platform` must return the same platform at each call.
template <const LocalPlatform& (*Platform)()>
PluginDescription DescribeLocalPlugin() {
  static constexpr auto complete = [](const NamedValueMap& values) {
    return WithEnvironment(values, std::getenv, Platform().device.options());
  };
  return {
      .attributes = {{"xla_version", int64_t{2}},
                     {"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
                     {"stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0}},
                     {"sdy_current_version", std::vector<int64_t>{0, 0, 1}}},
      .create_client =
          [](const ClientOptions& options) -> StatusOr<std::unique_ptr<Client>> {
        ClientOptions completed = options;
        TENON_ASSIGN_OR_RETURN(completed.values, complete(options.values));
        return CreateLocalClient(Platform(), completed);
      },
      .create_topology = [](std::string_view name, const NamedValueMap& options)
          -> StatusOr<std::unique_ptr<Topology>> {
        TENON_ASSIGN_OR_RETURN(const NamedValueMap completed, complete(options));
        return CreateLocalTopology(Platform(), name, completed);
      },
      .deserialize_topology =
          [](std::string_view bytes) {
            return DeserializeLocalTopology(Platform(), bytes);
          },
      .ffi_registry = &LocalFfiRegistry(),
      .profiler = &LocalProfiler(),
  };
}

}  // namespace tenon::pjrt

#endif  // TENON_DEVICES_PLUGIN_DESCRIPTION_H_
