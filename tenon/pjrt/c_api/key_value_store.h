// The framework's key-value callbacks as the interface's store.
#ifndef TENON_PJRT_C_API_KEY_VALUE_STORE_H_
#define TENON_PJRT_C_API_KEY_VALUE_STORE_H_

#include <memory>

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt::c_api {

// Copies the callbacks; the framework keeps them alive as long as the client. To be
// called only for a distributed job: otherwise the members are not initialised.
std::shared_ptr<KeyValueStore> MakeKeyValueStore(const PJRT_Client_Create_Args* args);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_KEY_VALUE_STORE_H_
