// The PJRT API of a plugin over any platform of devices.
#ifndef TENON_DEVICES_LOCAL_PLUGIN_H_
#define TENON_DEVICES_LOCAL_PLUGIN_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef TENON_HAS_COMPILER
#include "tenon/compiler/cache/disk_cache.h"
#endif
#include "tenon/device/program.h"
#include "tenon/format/layout.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/client/create_options.h"
#include "tenon/pjrt/client/local_platform.h"
#include "tenon/pjrt/extensions/standard_extensions.h"

namespace tenon::pjrt {

#ifdef TENON_HAS_COMPILER
// The code of drivers is beside that of the compiler, and within its limits.
class DiskStore final : public device::CodeStore {
 public:
  explicit DiskStore(std::string folder) : disk_(std::move(folder)) {}
  std::optional<std::string> Load(const std::string& key) const override {
    return disk_.Load(compiler::CacheName(key), key);
  }
  void Store(const std::string& key, const std::string& value) const override {
    disk_.Store(compiler::CacheName(key), key, value);
  }
  static std::unique_ptr<device::CodeStore> Open(const std::string& folder) {
    return std::make_unique<DiskStore>(folder);
  }

 private:
  const compiler::DiskCache disk_;
};
#endif

// `device` with Tenon's compiler, where the plugin has it. `device` must outlive the
// result.
inline LocalPlatform WithCompiler(
    const device::Platform& device,
    [[maybe_unused]] std::vector<const compiler::Extension*> extensions = {}) {
  return {
      .device = device,
#ifdef TENON_HAS_COMPILER
      .compile = compiler::Compile,
      .check_config = compiler::CheckConfig,
      .extensions = std::move(extensions),
      .open_store = DiskStore::Open,
#endif
  };
}

// In both, `Platform` must return the same platform at each call.
template <const LocalPlatform& (*Platform)()>
const PluginDescription& LocalPluginDescription() {
  static constexpr auto complete = [](const NamedValueMap& values) {
    return WithEnvironment(values, std::getenv, Platform().device.options());
  };
  static const PluginDescription& description = *new PluginDescription{
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
      .partitioner_registry = &LocalPartitionerRegistry(),
      .profiler = &LocalProfiler(),
      .abi = {format::kOldestAbi, format::kAbi},
  };
  return description;
}

// What GetPjrtApi() of the plugin returns.
template <const LocalPlatform& (*Platform)()>
const PJRT_Api* LocalPluginApi() {
  constexpr auto kDescription = &LocalPluginDescription<Platform>;
  static const PJRT_Api api =
      c_api::MakeApi<kDescription>(StandardExtensions<kDescription>());
  return &api;
}

}  // namespace tenon::pjrt

#endif  // TENON_DEVICES_LOCAL_PLUGIN_H_
