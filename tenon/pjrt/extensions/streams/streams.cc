#include "tenon/pjrt/extensions/streams/streams.h"

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {
namespace {

Status GetStream(PJRT_Get_Stream_For_External_Ready_Events_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  TENON_ASSIGN_OR_RETURN(args->stream, args->device->device->GetExternalStream());
  return OkStatus();
}

Status WaitStream(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  return Unwrap(args->buffer)->WaitOnStream(args->stream);
}

}  // namespace

PJRT_Stream_Extension MakeStreamExtension() {
  PJRT_Stream_Extension extension{};
  extension.base.struct_size = PJRT_Stream_Extension_STRUCT_SIZE;
  // The fields have other names than the functions.
  extension.get_stream = [](PJRT_Get_Stream_For_External_Ready_Events_Args* args) {
    return Dispatch<"PJRT_Get_Stream_For_External_Ready_Events",
                    PJRT_Get_Stream_For_External_Ready_Events_Args_STRUCT_SIZE>(
        args, &GetStream);
  };
  extension.wait_stream = [](PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args) {
    return Dispatch<"PJRT_Wait_Until_Buffer_Ready_On_Stream",
                    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args_STRUCT_SIZE>(args,
                                                                             &WaitStream);
  };
  return extension;
}

}  // namespace tenon::pjrt::c_api
