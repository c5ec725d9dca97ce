// PJRT_ExecuteContext_*.
#include "tenon/pjrt/interface/execute_context.h"

#include <memory>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {

Status ExecuteContextCreate(PJRT_ExecuteContext_Create_Args* args) {
  args->context = new PJRT_ExecuteContext{std::make_shared<ExecuteContext>()};
  return OkStatus();
}

Status ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args* args) {
  delete args->context;
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
