#include "tenon/pjrt/c_api/error.h"

#include <string>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"

namespace tenon::pjrt::c_api {
namespace {

struct ErrorObject : PJRT_Error {
  Status status;
};

const Status& StatusOf(const PJRT_Error* error) {
  return static_cast<const ErrorObject*>(error)->status;
}

void DestroyError(PJRT_Error* error) { delete static_cast<ErrorObject*>(error); }

void ErrorText(const PJRT_Error* error, const char** message, size_t* message_size) {
  std::string_view text = StatusOf(error).message();
  *message = text.data();
  *message_size = text.size();
}

PJRT_Error_Code ErrorCode(const PJRT_Error* error) {
  return static_cast<PJRT_Error_Code>(StatusOf(error).code());
}

void VisitNoPayload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

const PJRT_Error_FunctionTable kErrorFunctions = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(ErrorObject),
    .extension_start = nullptr,
    .destroy = DestroyError,
    .message = ErrorText,
    .get_code = ErrorCode,
    .for_each_payload = VisitNoPayload,
};

}  // namespace

PJRT_Error* MakeError(const Status& status) {
  if (status.ok()) return nullptr;
  auto* error = new ErrorObject;
  error->vtable = &kErrorFunctions;
  error->status = status;
  return error;
}

Status TakeError(PJRT_Error* error) {
  if (error == nullptr) return OkStatus();
  const char* message = nullptr;
  size_t message_size = 0;
  error->vtable->message(error, &message, &message_size);
  Status status = StatusFromParts(error->vtable->get_code(error), message, message_size);
  error->vtable->destroy(error);
  return status;
}

PJRT_Error* CallbackError(PJRT_Error_Code code, const char* message,
                          size_t message_size) {
  return MakeError(StatusFromParts(code, message, message_size));
}

Status StatusFromParts(PJRT_Error_Code code, const char* message, size_t message_size) {
  int number = code;
  if (number < 0 || number > static_cast<int>(StatusCode::kUnauthenticated)) {
    number = static_cast<int>(StatusCode::kUnknown);
  }
  return Status(static_cast<StatusCode>(number),
                message ? std::string(message, message_size) : std::string());
}

// A framework may pass an error of another library. It begins with a pointer to that
// library's functions.

void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args && args->error) args->error->vtable->destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  if (args == nullptr) return;
  args->message = "";
  args->message_size = 0;
  if (args->error) {
    args->error->vtable->message(args->error, &args->message, &args->message_size);
  }
}

Status ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code =
      args->error ? args->error->vtable->get_code(args->error) : PJRT_Error_Code_OK;
  return OkStatus();
}

Status ErrorForEachPayload(PJRT_Error_ForEachPayload_Args* args) {
  if (args->error && args->error->vtable->for_each_payload) {
    args->error->vtable->for_each_payload(args->error, args->visitor, args->user_arg);
  }
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
