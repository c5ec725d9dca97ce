// The raw layer of the C++ client: calls of a PJRT plugin's functions, with the checks
// that every caller needs, and nothing else.
//
//   pjrt::raw::Api api(table);
//   pjrt::raw::Args<pjrt::raw::PJRT_Client_PlatformName> args;
//   args.client = client.get();
//   if (pjrt::raw::Error error = api.call(args)) ...
//
// Args are zeroed and sized. A function that an older plugin's table does not have is an
// error with code UNIMPLEMENTED. Members of args that an older plugin does not know stay
// zero. The layer depends on the C header alone, never throws, and works without RTTI.
// Any thread may use it.
#ifndef TENON_PJRT_RAW_HPP_
#define TENON_PJRT_RAW_HPP_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tenon/pjrt/abi/pjrt_c_api.h"

// The inline namespace differs with exceptions, because inline functions do: objects of
// both kinds can then be linked into one program.
#if defined(__cpp_exceptions)
#define TENON_PJRT_HAS_EXCEPTIONS 1
#define TENON_PJRT_NAMESPACE v1
#else
#define TENON_PJRT_HAS_EXCEPTIONS 0
#define TENON_PJRT_NAMESPACE v1_no_exceptions
#endif

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {
namespace raw {

// One type per function of the API, named as the function: its place in the table, its
// args and its name for messages.
#define TENON_PJRT_FUNCTION(function)                                \
  struct function {                                                  \
    using args_type = function##_Args;                               \
    static constexpr size_t args_size = function##_Args_STRUCT_SIZE; \
    static constexpr size_t offset = offsetof(PJRT_Api, function);   \
    static constexpr auto slot = &PJRT_Api::function;                \
    static constexpr const char* name = #function;                   \
  };
#define TENON_PJRT_ROW(function, object, handler) TENON_PJRT_FUNCTION(function)
#define TENON_PJRT_STUB(function, object) TENON_PJRT_FUNCTION(function)
#define TENON_PJRT_VOID(function, object, handler) TENON_PJRT_FUNCTION(function)
#define TENON_PJRT_PLUGIN(function, object, handler) TENON_PJRT_FUNCTION(function)
#include "tenon/pjrt/c_api/api_table.inc"
#undef TENON_PJRT_ROW
#undef TENON_PJRT_STUB
#undef TENON_PJRT_VOID
#undef TENON_PJRT_PLUGIN
#undef TENON_PJRT_FUNCTION

// Zeroed arguments of function F with their size.
template <typename F>
struct Args : F::args_type {
  Args() : F::args_type{} { this->struct_size = F::args_size; }
};

template <typename S>
struct struct_size_of;
#define TENON_PJRT_SIZED(type)                          \
  template <>                                           \
  struct struct_size_of<type> {                         \
    static constexpr size_t value = type##_STRUCT_SIZE; \
  }
TENON_PJRT_SIZED(PJRT_Buffer_MemoryLayout);
TENON_PJRT_SIZED(PJRT_Buffer_MemoryLayout_Tiled);
TENON_PJRT_SIZED(PJRT_Buffer_MemoryLayout_Strides);
TENON_PJRT_SIZED(PJRT_ExecuteOptions);
TENON_PJRT_SIZED(PJRT_LoadOptions);
TENON_PJRT_SIZED(PJRT_NamedValue);
TENON_PJRT_SIZED(PJRT_Program);
TENON_PJRT_SIZED(PJRT_ShapeSpec);
#undef TENON_PJRT_SIZED

// A zeroed struct with its size, for the structs that args refer to.
template <typename S>
S sized() {
  S value{};
  value.struct_size = struct_size_of<S>::value;
  return value;
}

// Null for members that end beyond the `size` bytes that a plugin's struct has.
template <typename Struct, typename Function>
Function member_or_null(const Struct* object, size_t size, Function Struct::* member) {
  const char* begin = reinterpret_cast<const char*>(object);
  const char* end = reinterpret_cast<const char*>(&(object->*member) + 1);
  return static_cast<size_t>(end - begin) <= size ? object->*member : nullptr;
}

// What a call returned: success, an error of the plugin, or a function that the plugin
// does not have. Owns the plugin's error and destroys it once. Usable as a condition:
// true means failure.
class [[nodiscard]] Error {
 public:
  Error() = default;
  Error(const PJRT_Api* table, const char* function, PJRT_Error* error)
      : table_(table), error_(error), function_(error ? function : nullptr) {}
  static Error missing(const char* function) {
    Error error;
    error.function_ = function;
    return error;
  }
  Error(Error&& other) noexcept
      : table_(other.table_),
        error_(std::exchange(other.error_, nullptr)),
        function_(std::exchange(other.function_, nullptr)) {}
  Error& operator=(Error&& other) noexcept {
    if (this != &other) {
      reset();
      table_ = other.table_;
      error_ = std::exchange(other.error_, nullptr);
      function_ = std::exchange(other.function_, nullptr);
    }
    return *this;
  }
  ~Error() { reset(); }

  explicit operator bool() const { return function_ != nullptr; }
  bool is_missing_function() const { return function_ && !error_; }
  // The function that failed; null for success.
  const char* function() const { return function_; }
  PJRT_Error* get() const { return error_; }

  PJRT_Error_Code code() const {
    if (!function_) return PJRT_Error_Code_OK;
    if (!error_) return PJRT_Error_Code_UNIMPLEMENTED;
    Args<PJRT_Error_GetCode> args;
    args.error = error_;
    PJRT_Error* second = table_->PJRT_Error_GetCode(&args);
    if (second) destroy(second);
    // An error with code OK must not be taken for success.
    return second || args.code == PJRT_Error_Code_OK ? PJRT_Error_Code_UNKNOWN
                                                     : args.code;
  }
  // Lives as long as this error.
  std::string_view message() const {
    if (!function_) return {};
    if (!error_) return "the plugin does not have this function";
    Args<PJRT_Error_Message> args;
    args.error = error_;
    table_->PJRT_Error_Message(&args);
    return args.message ? std::string_view(args.message, args.message_size)
                        : std::string_view();
  }

 private:
  void destroy(PJRT_Error* error) const {
    Args<PJRT_Error_Destroy> args;
    args.error = error;
    table_->PJRT_Error_Destroy(&args);
  }
  void reset() {
    if (error_) destroy(error_);
    error_ = nullptr;
    function_ = nullptr;
  }

  const PJRT_Api* table_ = nullptr;
  PJRT_Error* error_ = nullptr;
  const char* function_ = nullptr;
};

// Calls through a plugin's function table, which lives as long as the process.
class Api {
 public:
  explicit Api(const PJRT_Api* table) : table_(table) {}

  // Why `table` cannot be called at all; null if it can.
  static const char* why_unusable(const PJRT_Api* table) {
    if (!table) return "it has no function table";
    if (table->struct_size < PJRT_Plugin_Initialize::offset + sizeof(void*)) {
      return "its function table is too short";
    }
    if (table->pjrt_api_version.major_version != PJRT_API_MAJOR) {
      return "its PJRT API has another major version";
    }
    int minor = table->pjrt_api_version.minor_version;
    if (minor < 54) return "its PJRT API is older than 0.54";
    if (minor == 56) return "the functions of PJRT API 0.56 are in another order";
    if (!table->PJRT_Error_Destroy || !table->PJRT_Error_Message ||
        !table->PJRT_Error_GetCode) {
      return "it lacks functions of PJRT_Error";
    }
    return nullptr;
  }

  const PJRT_Api* table() const { return table_; }
  int minor_version() const { return table_->pjrt_api_version.minor_version; }

  template <typename F>
  bool has() const {
    return F::offset + sizeof(void*) <= table_->struct_size &&
           table_->*F::slot != nullptr;
  }
  template <typename F>
  Error call(typename F::args_type& args) const {
    if (!has<F>()) [[unlikely]]
      return Error::missing(F::name);
    return Error(table_, F::name, (table_->*F::slot)(&args));
  }
  template <typename F>
  Error call(Args<F>& args) const {
    return call<F>(static_cast<typename F::args_type&>(args));
  }

  // The plugin's extension of this type, or null. Read its members with member_or_null:
  // an older plugin's extension is shorter.
  const PJRT_Extension_Base* find_extension(PJRT_Extension_Type type) const {
    constexpr int kMaxExtensions = 1024;  // the list of a damaged plugin may not end
    const PJRT_Extension_Base* extension = table_->extension_start;
    for (int i = 0; extension && i < kMaxExtensions; ++i, extension = extension->next) {
      if (extension->type == type) return extension;
    }
    return nullptr;
  }

 private:
  const PJRT_Api* table_;
};

// How a handle is destroyed.
template <typename T>
struct handle_traits;
#define TENON_PJRT_HANDLE(type, function, member)              \
  template <>                                                  \
  struct handle_traits<type> {                                 \
    static void destroy(const PJRT_Api* table, type* handle) { \
      Args<function> args;                                     \
      args.member = handle;                                    \
      /* A destructor cannot report an error. */               \
      (void)Api(table).call<function>(args);                   \
    }                                                          \
  }
TENON_PJRT_HANDLE(PJRT_Client, PJRT_Client_Destroy, client);
TENON_PJRT_HANDLE(PJRT_Event, PJRT_Event_Destroy, event);
TENON_PJRT_HANDLE(PJRT_Buffer, PJRT_Buffer_Destroy, buffer);
TENON_PJRT_HANDLE(PJRT_Executable, PJRT_Executable_Destroy, executable);
TENON_PJRT_HANDLE(PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy, executable);
TENON_PJRT_HANDLE(PJRT_ExecuteContext, PJRT_ExecuteContext_Destroy, context);
TENON_PJRT_HANDLE(PJRT_TopologyDescription, PJRT_TopologyDescription_Destroy, topology);
TENON_PJRT_HANDLE(PJRT_AsyncHostToDeviceTransferManager,
                  PJRT_AsyncHostToDeviceTransferManager_Destroy, transfer_manager);
TENON_PJRT_HANDLE(PJRT_AsyncTrackingEvent, PJRT_AsyncTrackingEvent_Destroy, event);
TENON_PJRT_HANDLE(PJRT_CopyToDeviceStream, PJRT_CopyToDeviceStream_Destroy, stream);
#undef TENON_PJRT_HANDLE

// Owns a handle; movable, not copyable.
template <typename T>
class unique_handle {
 public:
  unique_handle() = default;
  unique_handle(const PJRT_Api* table, T* handle) : table_(table), handle_(handle) {}
  unique_handle(unique_handle&& other) noexcept
      : table_(other.table_), handle_(std::exchange(other.handle_, nullptr)) {}
  unique_handle& operator=(unique_handle&& other) noexcept {
    if (this != &other) {
      reset();
      table_ = other.table_;
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~unique_handle() { reset(); }

  T* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  T* release() { return std::exchange(handle_, nullptr); }
  void reset() {
    if (T* handle = release()) handle_traits<T>::destroy(table_, handle);
  }

 private:
  const PJRT_Api* table_ = nullptr;
  T* handle_ = nullptr;
};

}  // namespace raw
}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_RAW_HPP_
