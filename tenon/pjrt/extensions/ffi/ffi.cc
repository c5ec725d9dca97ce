#include "tenon/pjrt/extensions/ffi/ffi.h"

#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {

Status FfiTypeRegister(FfiRegistry& registry, PJRT_FFI_Type_Register_Args* args) {
  TENON_PJRT_REQUIRE(args, type_name);
  FfiTypeInfo info;
  if (args->type_info) {
    info.deleter = args->type_info->deleter;
    info.serialize = args->type_info->serialize;
    info.deserialize = args->type_info->deserialize;
  }
  TENON_ASSIGN_OR_RETURN(
      args->type_id, registry.RegisterType(View(args->type_name, args->type_name_size),
                                           args->type_id, info));
  return OkStatus();
}

Status FfiRegisterHandler(FfiRegistry& registry, PJRT_FFI_Register_Handler_Args* args) {
  TENON_PJRT_REQUIRE(args, target_name);
  TENON_PJRT_REQUIRE(args, handler);
  TENON_PJRT_REQUIRE(args, platform_name);
  FfiHandlers handlers;
  handlers.execute = args->handler;
  handlers.traits = static_cast<uint32_t>(args->traits);
  return registry.RegisterHandler(View(args->target_name, args->target_name_size),
                                  View(args->platform_name, args->platform_name_size),
                                  handlers);
}

Status FfiUserDataAdd(PJRT_FFI_UserData_Add_Args* args) {
  TENON_PJRT_REQUIRE(args, context);
  return args->context->context->AddUserData(args->user_data.type_id,
                                             args->user_data.data);
}

}  // namespace tenon::pjrt::c_api
