// Calls a handler from its C function: checks the arguments and struct_size, catches
// exceptions, and converts the Status.
//
// A member of an args struct is read or written only if the caller's struct_size covers
// it. Callable from any thread.
#ifndef TENON_PJRT_C_API_DISPATCH_H_
#define TENON_PJRT_C_API_DISPATCH_H_

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/error.h"

namespace tenon::pjrt::c_api {

// Whether the caller's struct_size covers `field`.
#define TENON_PJRT_COVERS(args, field) \
  ((args)->struct_size >=              \
   offsetof(std::remove_cvref_t<decltype(*(args))>, field) + sizeof((args)->field))

// The member, or zero if the caller's struct does not have it.
#define TENON_PJRT_GET(args, field) \
  (TENON_PJRT_COVERS(args, field) ? (args)->field : decltype((args)->field){})

// Writes the member if the caller's struct has it.
#define TENON_PJRT_SET(args, field, value)                       \
  do {                                                           \
    if (TENON_PJRT_COVERS(args, field)) (args)->field = (value); \
  } while (0)

// Returns INVALID_ARGUMENT from the handler if a pointer member is null.
#define TENON_PJRT_REQUIRE(args, field)                                       \
  do {                                                                        \
    if ((args)->field == nullptr) [[unlikely]]                                \
      return InvalidArgument(std::string(__func__) + ": " #field " is null"); \
  } while (0)

// The size of an args struct in the oldest supported client (API 0.54). Structs without a
// specialization have not grown since.
template <typename Args>
inline constexpr size_t kOldestSize = SIZE_MAX;
#define TENON_PJRT_GREW(Args, first_new_member) \
  template <>                                   \
  inline constexpr size_t kOldestSize<Args> = offsetof(Args, first_new_member);
// Old clients passed a struct_size that did not cover the last member that they read.
TENON_PJRT_GREW(PJRT_Plugin_Attributes_Args, num_attributes)
TENON_PJRT_GREW(PJRT_Client_Create_Args, kv_try_get_callback)
TENON_PJRT_GREW(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory)
TENON_PJRT_GREW(PJRT_Executable_DeserializeAndLoad_Args,
                overridden_serialized_compile_options)
TENON_PJRT_GREW(PJRT_Executable_GetCompiledMemoryStats_Args, generated_code_size_in_bytes)
TENON_PJRT_GREW(PJRT_Device_MemoryStats_Args, bytes_in_use)
TENON_PJRT_GREW(PJRT_Client_CreateErrorBuffer_Args, payload)
TENON_PJRT_GREW(PJRT_Device_PoisonExecution_Args, payload)
#undef TENON_PJRT_GREW

// A string as a template argument: the function's name in messages.
template <size_t N>
struct FunctionName {
  constexpr FunctionName(const char (&text)[N]) { std::copy_n(text, N, chars); }
  char chars[N];
};

PJRT_Error* ArgsTooShort(std::string_view function, const size_t* struct_size,
                         size_t required);
PJRT_Error* NotImplemented(std::string_view function);

// Runs `handler` and converts its status or exception into an error. A forced unwind (the
// end of a thread) passes through.
template <FunctionName kName, typename Handler>
PJRT_Error* Guarded(Handler&& handler) {
  try {
    Status status = handler();
    if (status.ok()) [[likely]]
      return nullptr;
    return MakeError(status);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return MakeError(Status(StatusCode::kResourceExhausted,
                            std::string(kName.chars) + ": out of host memory"));
  } catch (const std::exception& e) {
    return MakeError(Internal(std::string(kName.chars) + ": " + e.what()));
  } catch (...) {
    return MakeError(Internal(std::string(kName.chars) + ": unknown exception"));
  }
}

// Does the checks that are common to all functions, then runs the handler.
template <FunctionName kName, size_t kStructSize, typename Args, typename Handler>
PJRT_Error* Dispatch(Args* args, Handler&& handler) {
  constexpr size_t kRequired = std::min<size_t>(kStructSize, kOldestSize<Args>);
  if (args == nullptr || args->struct_size < kRequired) [[unlikely]] {
    return ArgsTooShort(kName.chars, args ? &args->struct_size : nullptr, kRequired);
  }
  return Guarded<kName>([&] { return handler(args); });
}

// Sets extension.function to a function that does the same checks and runs the handler.
#define TENON_PJRT_EXTENSION_FUNCTION(extension, function, handler)            \
  (extension).function = [](function##_Args* args) {                           \
    return Dispatch<#function, function##_Args_STRUCT_SIZE>(args, &(handler)); \
  }

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_DISPATCH_H_
