// The handlers of all functions, declared from the table. Each is in its object's file.
//
// A handler gets args whose struct_size covers at least what the oldest client sends.
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
