// A plugin's manager of chunked uploads, destroyed with it. Any thread.
#ifndef TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_
#define TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_

#include <memory>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/interface/transfer_manager.h"

namespace tenon::pjrt::c_api_client {

// Takes over `manager`, also if it fails. `handles` outlives the result.
StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>> MakeTransferManager(
    const CallTable& table, const Handles& handles,
    PJRT_AsyncHostToDeviceTransferManager* manager);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_
