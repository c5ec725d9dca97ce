// A platform for the client: devices, and a compiler for them. Factories of clients and
// topologies.
#ifndef TENON_PJRT_CLIENT_LOCAL_PLATFORM_H_
#define TENON_PJRT_CLIENT_LOCAL_PLATFORM_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/compile.h"
#include "tenon/device/device.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/pjrt/interface/ffi_registry.h"
#include "tenon/pjrt/interface/partitioner_registry.h"
#include "tenon/pjrt/interface/profiler.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt {

using CompileFunction = StatusOr<Image> (*)(const compiler::CompileRequest& request,
                                            const compiler::CompilerConfig& config);
using CheckConfigFunction = Status (*)(const compiler::CompilerConfig& config);

struct LocalPlatform {
  const device::Platform& device;
  // Null if the plugin can only run programs that are compiled already.
  CompileFunction compile = nullptr;
  CheckConfigFunction check_config = nullptr;               // set if `compile` is
  std::vector<const compiler::Extension*> extensions = {};  // of the compiler
  // Opens the folder in which generated code is kept. Null if the plugin keeps none.
  std::unique_ptr<device::CodeStore> (*open_store)(const std::string& folder) = nullptr;
};

// All three may be called from any thread. `platform` must outlive the result.
// INVALID_ARGUMENT, listing the valid names, for an option that does not exist.
StatusOr<std::unique_ptr<Client>> CreateLocalClient(const LocalPlatform& platform,
                                                    const ClientOptions& options);
StatusOr<std::unique_ptr<Topology>> CreateLocalTopology(const LocalPlatform& platform,
                                                        std::string_view name,
                                                        const NamedValueMap& options);
StatusOr<std::unique_ptr<Topology>> DeserializeLocalTopology(
    const LocalPlatform& platform, std::string_view bytes);

// The registry of handlers for all local clients of the process.
FfiRegistry& LocalFfiRegistry();
// The framework's partitioners of custom calls, for all local clients of the process.
PartitionerRegistry& LocalPartitionerRegistry();
// The profiler for all local clients of the process.
Profiler& LocalProfiler();

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_PLATFORM_H_
