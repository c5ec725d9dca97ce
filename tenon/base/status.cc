#include "tenon/base/status.h"

namespace tenon {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kCancelled:
      return "CANCELLED";
    case StatusCode::kUnknown:
      return "UNKNOWN";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case StatusCode::kAborted:
      return "ABORTED";
    case StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case StatusCode::kInternal:
      return "INTERNAL";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kDataLoss:
      return "DATA_LOSS";
    case StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

Status::Status(StatusCode code, std::string message) {
  if (code == StatusCode::kOk) return;
  payload_ = std::make_shared<const Payload>(Payload{code, std::move(message)});
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return std::string(StatusCodeName(code())) + ": " + payload_->message;
}

Status Status::WithPrefix(std::string_view prefix) const {
  if (ok()) return *this;
  return Status(code(), std::string(prefix) + ": " + payload_->message);
}

#define TENON_STATUS_FACTORY(name)                          \
  Status name(std::string message) {                        \
    return Status(StatusCode::k##name, std::move(message)); \
  }
TENON_STATUS_FACTORY(InvalidArgument)
TENON_STATUS_FACTORY(NotFound)
TENON_STATUS_FACTORY(AlreadyExists)
TENON_STATUS_FACTORY(ResourceExhausted)
TENON_STATUS_FACTORY(FailedPrecondition)
TENON_STATUS_FACTORY(OutOfRange)
TENON_STATUS_FACTORY(Unimplemented)
TENON_STATUS_FACTORY(Internal)
TENON_STATUS_FACTORY(DataLoss)
#undef TENON_STATUS_FACTORY

}  // namespace tenon
