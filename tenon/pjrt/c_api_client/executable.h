// A plugin's executables and loaded executables; each owns its handle. As thread-safe as
// the interface requires.
#ifndef TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_
#define TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_

#include <memory>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/interface/executable.h"

namespace tenon::pjrt::c_api_client {

// Both take ownership of the handle, even if they fail. `handles` must outlive the
// executable.
//
// For parameters the C API reports only the memory kind, and for outputs neither layout
// nor sharding. Unknown values have their defaults; minor_to_major is empty.
StatusOr<std::shared_ptr<Executable>> MakeExecutable(const CallTable& table,
                                                     PJRT_Executable* executable);
StatusOr<std::unique_ptr<LoadedExecutable>> MakeLoadedExecutable(
    const CallTable& table, const Handles& handles, PJRT_LoadedExecutable* executable);

// The handle of an executable; null if the executable is not of this library.
PJRT_Executable* CExecutable(const Executable& executable);

// A view of `program`. The callee only reads it.
PJRT_Program ToC(const Program& program);

// Parses an xla.DeviceAssignmentProto. INVALID_ARGUMENT if `bytes` is malformed.
StatusOr<DeviceAssignment> ParseDeviceAssignment(std::string_view bytes);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_
