// A plugin's topology, and its device descriptions as plain values.
//
// Immutable; any thread.
#ifndef TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_
#define TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_

#include <memory>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt::c_api_client {

// What the plugin says of a device; memories where it has the extension that tells them.
StatusOr<DeviceDescription> ReadDescription(const CallTable& table,
                                            PJRT_DeviceDescription* description);

// Over the plugin's topology, which is destroyed with it if `owned`. An old plugin's
// client has none (null): then only `devices` is known, and given.
StatusOr<std::unique_ptr<Topology>> MakeTopology(const CallTable& table,
                                                 PJRT_TopologyDescription* topology,
                                                 bool owned);
std::unique_ptr<Topology> MakeTopologyOfDevices(const CallTable& table,
                                                std::string platform_name,
                                                std::string platform_version,
                                                std::vector<DeviceDescription> devices);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_TOPOLOGY_H_
