// Adapts the framework's key-value callbacks to KeyValueStore.
#ifndef TENON_PJRT_C_API_KEY_VALUE_STORE_H_
#define TENON_PJRT_C_API_KEY_VALUE_STORE_H_

#include <memory>

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt::c_api {

// Copies the callbacks, which the framework keeps valid as long as the client. Call it
// only for a distributed job, because otherwise the members are not initialized.
std::shared_ptr<KeyValueStore> MakeKeyValueStore(const PJRT_Client_Create_Args* args);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_KEY_VALUE_STORE_H_
