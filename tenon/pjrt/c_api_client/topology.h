// A plugin's topology, and its device descriptions as plain values.
//
// Immutable. Usable from any thread.
#ifndef TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_
#define TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_

#include <memory>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt::c_api_client {

// Reads the plugin's description of a device. Memories are included if the plugin has the
// MemoryDescriptions extension.
StatusOr<DeviceDescription> ReadDescription(const CallTable& table,
                                            PJRT_DeviceDescription* description);

// Wraps the plugin's topology, and takes ownership of it if `owned`. It is null for the
// client of an old plugin; then only `devices` is known.
StatusOr<std::unique_ptr<Topology>> MakeTopology(const CallTable& table,
                                                 PJRT_TopologyDescription* topology,
                                                 bool owned);
std::unique_ptr<Topology> MakeTopologyOfDevices(const CallTable& table,
                                                std::string platform_name,
                                                std::string platform_version,
                                                std::vector<DeviceDescription> devices);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_
