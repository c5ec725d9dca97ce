// How a client talks to the other processes of its job.
#ifndef TENON_PJRT_CLIENT_JOB_H_
#define TENON_PJRT_CLIENT_JOB_H_

#include <memory>

#include "tenon/pjrt/client/local_topology.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/runtime/exchanges.h"

namespace tenon::pjrt {

// The exchanges of collectives between the processes of the topology. They connect when a
// collective needs it, through keys of `store`.
std::unique_ptr<runtime::Exchanges> MakeExchanges(const LocalTopology& topology,
                                                  std::shared_ptr<KeyValueStore> store);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_JOB_H_
