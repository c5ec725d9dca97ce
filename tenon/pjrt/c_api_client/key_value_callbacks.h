// Adapts a KeyValueStore to the callbacks that a plugin's client calls.
//
// The plugin may call them from any thread. `store` must live as long as its client.
#ifndef TENON_PJRT_C_API_CLIENT_KEY_VALUE_CALLBACKS_H_
#define TENON_PJRT_C_API_CLIENT_KEY_VALUE_CALLBACKS_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt::c_api_client {

void SetKeyValueCallbacks(KeyValueStore* store, PJRT_Client_Create_Args* args);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_KEY_VALUE_CALLBACKS_H_
