// A plugin's executables, loaded and not, destroyed with them. Thread rules are the
// interface's.
#ifndef TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_
#define TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_

#include <memory>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/interface/executable.h"

namespace tenon::pjrt::c_api_client {

// Both take over the handle, also if they fail. `handles` outlives the executable.
//
// The C API tells of a parameter its memory kind only, and of an output no layout and no
// sharding: what is unknown stays at its default, minor_to_major empty.
StatusOr<std::shared_ptr<Executable>> MakeExecutable(const CallTable& table,
                                                     PJRT_Executable* executable);
StatusOr<std::unique_ptr<LoadedExecutable>> MakeLoadedExecutable(
    const CallTable& table, const Handles& handles, PJRT_LoadedExecutable* executable);

// The handle behind an executable; null if it is of another implementation.
PJRT_Executable* CExecutable(const Executable& executable);

// A view of `program`, which the callee only reads.
PJRT_Program ToC(const Program& program);

// xla.DeviceAssignmentProto bytes; INVALID_ARGUMENT if they are none.
StatusOr<DeviceAssignment> ParseDeviceAssignment(std::string_view bytes);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_EXECUTABLE_H_
