// Error and Result<T>: what functions of the C++ client return.
//
//   pjrt::Result<pjrt::Plugin> plugin = pjrt::Plugin::load("pjrt_plugin_tenon_cpu.so");
//   if (!plugin) std::puts(plugin.error().what());
//   pjrt::Client client = plugin->create_client().value();
//
// value() of a failed Result throws pjrt::Exception. In a program without exceptions it
// prints the error and aborts.
#ifndef TENON_PJRT_CPP_RESULT_HPP_
#define TENON_PJRT_CPP_RESULT_HPP_

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tenon/pjrt/raw.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// "INVALID_ARGUMENT" and so on; "CODE" for numbers that the API does not define.
constexpr const char* code_name(PJRT_Error_Code code) {
  constexpr const char* kNames[] = {"OK",
                                    "CANCELLED",
                                    "UNKNOWN",
                                    "INVALID_ARGUMENT",
                                    "DEADLINE_EXCEEDED",
                                    "NOT_FOUND",
                                    "ALREADY_EXISTS",
                                    "PERMISSION_DENIED",
                                    "RESOURCE_EXHAUSTED",
                                    "FAILED_PRECONDITION",
                                    "ABORTED",
                                    "OUT_OF_RANGE",
                                    "UNIMPLEMENTED",
                                    "INTERNAL",
                                    "UNAVAILABLE",
                                    "DATA_LOSS",
                                    "UNAUTHENTICATED"};
  auto number = static_cast<size_t>(code);
  return number < std::size(kNames) ? kNames[number] : "CODE";
}

// An error, or success. As a condition, true means failure.
class [[nodiscard]] Error {
 public:
  Error() = default;
  // `function` is the failed function of the C API, or of this library. `plugin` is the
  // path of the plugin; empty if none is involved.
  Error(PJRT_Error_Code code, std::string_view message, const char* function = "",
        std::string_view plugin = {})
      : data_(new Data{code, std::string(message), function, std::string(plugin), {}}) {
    Data& d = *data_;
    d.what = std::string(pjrt::code_name(code)) + ": ";
    if (*function) d.what += std::string(function) + ": ";
    d.what += d.message;
    if (!plugin.empty()) d.what += " [" + d.plugin + "]";
  }

  explicit operator bool() const { return data_ != nullptr; }
  PJRT_Error_Code code() const { return data_ ? data_->code : PJRT_Error_Code_OK; }
  const char* code_name() const { return pjrt::code_name(code()); }
  // As the plugin wrote it.
  std::string_view message() const {
    return data_ ? std::string_view(data_->message) : std::string_view();
  }
  const char* function() const { return data_ ? data_->function : ""; }
  std::string_view plugin() const {
    return data_ ? std::string_view(data_->plugin) : std::string_view();
  }
  // "CODE: function: message [plugin]". Lives as long as this error.
  const char* what() const { return data_ ? data_->what.c_str() : "OK"; }
  Error clone() const {
    Error copy;
    if (data_) copy.data_.reset(new Data(*data_));
    return copy;
  }

 private:
  struct Data {
    PJRT_Error_Code code;
    std::string message;
    const char* function;
    std::string plugin;
    std::string what;
  };
  std::unique_ptr<Data> data_;  // null means success
};

#if TENON_PJRT_HAS_EXCEPTIONS
class Exception : public std::exception {
 public:
  explicit Exception(Error error) : error_(std::make_shared<Error>(std::move(error))) {}
  const char* what() const noexcept override { return error_->what(); }
  const Error& error() const { return *error_; }

 private:
  std::shared_ptr<const Error> error_;  // exceptions must be copyable
};
#endif

namespace detail {

[[noreturn]] inline void fail(Error error) {
#if TENON_PJRT_HAS_EXCEPTIONS
  throw Exception(std::move(error));
#else
  std::fprintf(stderr, "pjrt: %s\n", error.what());
  std::abort();
#endif
}

}  // namespace detail

// A value, or the error because of which there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : ok_(true), value_(std::move(value)) {}
  template <typename U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::decay_t<U>, Result> &&
             !std::is_same_v<std::decay_t<U>, Error> &&
             !std::is_same_v<std::decay_t<U>, T>)
  Result(U&& value) : ok_(true), value_(std::forward<U>(value)) {}
  template <typename... Parts>
  explicit Result(std::in_place_t, Parts&&... parts)
      : ok_(true), value_(std::forward<Parts>(parts)...) {}
  Result(Error error) : error_(std::move(error)) {}
  Result(Result&& other) noexcept : error_(std::move(other.error_)), ok_(other.ok_) {
    if (ok_) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (ok_) value_.~T();
  }

  explicit operator bool() const { return ok_; }
  bool ok() const { return ok_; }
  const Error& error() const& { return error_; }
  Error error() && { return std::move(error_); }

  T& value() & {
    check();
    return value_;
  }
  const T& value() const& {
    check();
    return value_;
  }
  T value() && {
    check();
    return std::move(value_);
  }
  T* operator->() {
    check();
    return &value_;
  }
  const T* operator->() const {
    check();
    return &value_;
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }

 private:
  void check() const {
    if (!ok_) [[unlikely]]
      detail::fail(error_.clone());
  }

  Error error_;
  bool ok_ = false;
  union {
    T value_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  const Error& error() const& { return error_; }
  Error error() && { return std::move(error_); }
  void value() const {
    if (error_) [[unlikely]]
      detail::fail(error_.clone());
  }

 private:
  Error error_;
};

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_RESULT_HPP_
