// Declares the handlers of all functions from the table. The definition of a handler is
// in the file of its object.
//
// Args of a handler have at least the size of the oldest supported client.
#ifndef TENON_PJRT_C_API_HANDLERS_H_
#define TENON_PJRT_C_API_HANDLERS_H_

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"

namespace tenon::pjrt {
struct PluginDescription;
}  // namespace tenon::pjrt

namespace tenon::pjrt::c_api {

#define TENON_PJRT_ROW(function, object, handler) Status handler(function##_Args* args);
#define TENON_PJRT_STUB(function, object)
#define TENON_PJRT_VOID(function, object, handler) void handler(function##_Args* args);
#define TENON_PJRT_PLUGIN(function, object, handler) \
  Status handler(const PluginDescription& plugin, function##_Args* args);
#include "tenon/pjrt/c_api/api_table.inc"
#undef TENON_PJRT_ROW
#undef TENON_PJRT_STUB
#undef TENON_PJRT_VOID
#undef TENON_PJRT_PLUGIN

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_HANDLERS_H_
