// A plugin's manager of chunked uploads; owns its handle. Thread-safe.
#ifndef TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_
#define TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_

#include <memory>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/interface/transfer_manager.h"

namespace tenon::pjrt::c_api_client {

// Takes ownership of `manager`, even if it fails. `handles` must outlive the result.
StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>> MakeTransferManager(
    const CallTable& table, const Handles& handles,
    PJRT_AsyncHostToDeviceTransferManager* manager);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_TRANSFER_MANAGER_H_
