// The AbiVersion extension: whether a plugin can run an executable, asked without loading
// it. Executables carry the number of the interface between compiled code and runtime; a
// plugin runs a range of numbers.
#ifndef TENON_PJRT_EXTENSIONS_ABI_VERSION_ABI_VERSION_H_
#define TENON_PJRT_EXTENSIONS_ABI_VERSION_ABI_VERSION_H_

#include <optional>

#include "tenon/pjrt/abi/abi_version_extension.h"
#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {

// The extension's functions that do not depend on the plugin.
PJRT_AbiVersion_Extension MakeCommonAbiVersionExtension();
Status RuntimeAbiVersion(const AbiRange& range, PJRT_Client_RuntimeAbiVersion_Args* args);
Status ExecutableAbiVersion(PJRT_Executable_GetAbiVersion_Args* args);

// Nullopt for a plugin that does not say which executables it runs.
template <const PluginDescription& (*kDescription)()>
std::optional<PJRT_AbiVersion_Extension> MakeAbiVersionExtension() {
  if (kDescription().abi.newest == 0) return std::nullopt;
  PJRT_AbiVersion_Extension extension = MakeCommonAbiVersionExtension();
  extension.client_runtime_abi_version = [](PJRT_Client_RuntimeAbiVersion_Args* args) {
    return Dispatch<"PJRT_Client_RuntimeAbiVersion",
                    PJRT_Client_RuntimeAbiVersion_Args_STRUCT_SIZE>(
        args, [](PJRT_Client_RuntimeAbiVersion_Args* a) {
          return RuntimeAbiVersion(kDescription().abi, a);
        });
  };
  extension.executable_get_abi_version = [](PJRT_Executable_GetAbiVersion_Args* args) {
    return Dispatch<"PJRT_Executable_GetAbiVersion",
                    PJRT_Executable_GetAbiVersion_Args_STRUCT_SIZE>(args,
                                                                    ExecutableAbiVersion);
  };
  return extension;
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_ABI_VERSION_ABI_VERSION_H_
