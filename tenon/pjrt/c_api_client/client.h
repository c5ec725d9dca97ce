// A client of a plugin. Thread-safe. Must be destroyed after its buffers and executables.
#ifndef TENON_PJRT_C_API_CLIENT_CLIENT_H_
#define TENON_PJRT_C_API_CLIENT_CLIENT_H_

#include <memory>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt::c_api_client {

StatusOr<std::unique_ptr<Client>> MakeClient(const CallTable& table,
                                             const ClientOptions& options);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_CLIENT_H_
