// The one error type inside Tenon. Codes equal PJRT_Error_Code and absl::StatusCode.
//
// A Status is a null pointer when ok, so passing one is as cheap as passing a pointer. It
// is a value: threads share it by copying. The payload is immutable and
// reference-counted.
#ifndef TENON_BASE_STATUS_H_
#define TENON_BASE_STATUS_H_

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The upper-case name of `code`, e.g. "INVALID_ARGUMENT".
std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(StatusCode code, std::string message);

  bool ok() const { return payload_ == nullptr; }
  StatusCode code() const { return payload_ ? payload_->code : StatusCode::kOk; }
  // Empty when ok.
  std::string_view message() const {
    return payload_ ? std::string_view(payload_->message) : std::string_view();
  }
  // "OK", or "INVALID_ARGUMENT: <message>".
  std::string ToString() const;
  // The same error with "<prefix>: " before its message; ok stays ok.
  Status WithPrefix(std::string_view prefix) const;

 private:
  struct Payload {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Payload> payload_;
};

inline Status OkStatus() { return Status(); }
Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status ResourceExhausted(std::string message);
Status FailedPrecondition(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status DataLoss(std::string message);

// A value, or the error that prevented it.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {  // NOLINT: implicit, like absl
    assert(!status_.ok() && "a StatusOr made from a status needs an error");
  }
  template <typename U = T,
            typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                        !std::is_same_v<std::decay_t<U>, Status> &&
                                        !std::is_same_v<std::decay_t<U>, StatusOr<T>>>>
  StatusOr(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT: implicit

  bool ok() const { return status_.ok(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

#define TENON_CONCAT_INNER(a, b) a##b
#define TENON_CONCAT(a, b) TENON_CONCAT_INNER(a, b)

// Returns from the function with the error of `expr`, if `expr` is not ok.
#define TENON_RETURN_IF_ERROR(expr)                                                     \
  do {                                                                                  \
    if (::tenon::Status tenon_status = (expr); !tenon_status.ok()) return tenon_status; \
  } while (0)

// TENON_ASSIGN_OR_RETURN(auto x, F()): assigns the value of F() to x, or returns its
// error.
#define TENON_ASSIGN_OR_RETURN(lhs, expr) \
  TENON_ASSIGN_OR_RETURN_IMPL(TENON_CONCAT(tenon_status_or_, __LINE__), lhs, expr)
#define TENON_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                \
  if (!tmp.ok()) return std::move(tmp).status();    \
  lhs = *std::move(tmp)

}  // namespace tenon

#endif  // TENON_BASE_STATUS_H_
