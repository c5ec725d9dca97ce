// The FFI extension: registers custom-call handlers, and adds user data to an execution.
#ifndef TENON_PJRT_EXTENSIONS_FFI_FFI_H_
#define TENON_PJRT_EXTENSIONS_FFI_FFI_H_

#include <optional>

#include "tenon/pjrt/abi/ffi_extension.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {

Status FfiTypeRegister(FfiRegistry& registry, PJRT_FFI_Type_Register_Args* args);
Status FfiRegisterHandler(FfiRegistry& registry, PJRT_FFI_Register_Handler_Args* args);
Status FfiUserDataAdd(PJRT_FFI_UserData_Add_Args* args);

// Nullopt for a plugin without a registry.
template <const PluginDescription& (*kDescription)()>
std::optional<PJRT_FFI_Extension> MakeFfiExtension() {
  if (kDescription().ffi_registry == nullptr) return std::nullopt;
  PJRT_FFI_Extension extension{};
  extension.base.struct_size = PJRT_FFI_Extension_STRUCT_SIZE;
  extension.type_register = [](PJRT_FFI_Type_Register_Args* args) {
    return Dispatch<"PJRT_FFI_Type_Register", PJRT_FFI_Type_Register_Args_STRUCT_SIZE>(
        args, [](PJRT_FFI_Type_Register_Args* a) {
          return FfiTypeRegister(*kDescription().ffi_registry, a);
        });
  };
  extension.user_data_add = [](PJRT_FFI_UserData_Add_Args* args) {
    return Dispatch<"PJRT_FFI_UserData_Add", PJRT_FFI_UserData_Add_Args_STRUCT_SIZE>(
        args, FfiUserDataAdd);
  };
  extension.register_handler = [](PJRT_FFI_Register_Handler_Args* args) {
    return Dispatch<"PJRT_FFI_Register_Handler",
                    PJRT_FFI_Register_Handler_Args_STRUCT_SIZE>(
        args, [](PJRT_FFI_Register_Handler_Args* a) {
          return FfiRegisterHandler(*kDescription().ffi_registry, a);
        });
  };
  return extension;
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_FFI_FFI_H_
