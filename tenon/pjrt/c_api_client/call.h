// Calls of a plugin's function table, and what goes in and comes out of them.
//
// A CallTable is a view of the plugin's static table: copy it freely, use it from any
// thread. A function that an old plugin's table does not reach, or leaves null, is
// UNIMPLEMENTED by name; members of args structs that an old plugin does not know stay as
// MakeArgs made them, zero.
#ifndef TENON_PJRT_C_API_CLIENT_CALL_H_
#define TENON_PJRT_C_API_CLIENT_CALL_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt::c_api_client {

// TENON_PJRT_ARGS(args, PJRT_Client_Devices): zeroed args of that function.
#define TENON_PJRT_ARGS(name, function) \
  function##_Args name{};               \
  name.struct_size = function##_Args_STRUCT_SIZE

// TENON_PJRT_CALL(table, PJRT_Client_Devices, args): the call's Status.
#define TENON_PJRT_CALL(table, function, args) \
  (table).Call(offsetof(PJRT_Api, function), &PJRT_Api::function, #function, (args))

class CallTable {
 public:
  explicit CallTable(const PJRT_Api* api) : api_(api) {}

  const PJRT_Api* api() const { return api_; }

  template <typename Args>
  Status Call(size_t offset, PJRT_Error* (*PJRT_Api::*function)(Args*), const char* name,
              Args& args) const {
    if (offset + sizeof(void*) > api_->struct_size || api_->*function == nullptr)
        [[unlikely]] {
      return Missing(name);
    }
    PJRT_Error* error = (api_->*function)(&args);
    return error == nullptr ? OkStatus() : Take(error);
  }

  // The error as a Status; the error is destroyed.
  Status Take(PJRT_Error* error) const;

  // An event that completes as the plugin's does, which it takes over. Null: ready.
  Event TakeEvent(PJRT_Event* event) const;

  // The extension of that type, or null.
  const PJRT_Extension_Base* FindExtension(PJRT_Extension_Type type) const;

 private:
  Status Missing(const char* name) const;

  const PJRT_Api* api_;
};

inline PJRT_Buffer_Type ToC(ElementType type) {
  return static_cast<PJRT_Buffer_Type>(type);
}
// kInvalid for a type that Tenon has not.
ElementType FromC(PJRT_Buffer_Type type);

inline std::string_view View(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

// Layout arguments; they view the caller's memory.
PJRT_Buffer_MemoryLayout TiledLayout(std::span<const int64_t> minor_to_major);
PJRT_Buffer_MemoryLayout StridedLayout(std::span<const int64_t> byte_strides);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_CALL_H_
