// Calls a plugin's function table, and converts arguments and results.
//
// A CallTable is a view of the plugin's static table. It is cheap to copy and may be used
// from any thread. A function that an old plugin's table does not have, or that is null,
// returns UNIMPLEMENTED with its name. Members of args structs that an old plugin does
// not have stay zero, as MakeArgs sets them.
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

// TENON_PJRT_ARGS(args, PJRT_Client_Devices) declares zeroed args of that function.
#define TENON_PJRT_ARGS(name, function) \
  function##_Args name{};               \
  name.struct_size = function##_Args_STRUCT_SIZE

// TENON_PJRT_CALL(table, PJRT_Client_Devices, args) calls it and returns a Status.
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

  // Converts the error to a Status and destroys it.
  Status Take(PJRT_Error* error) const;

  // Takes ownership of a plugin's event. Returns an event that completes in the same way;
  // a ready one for null.
  Event TakeEvent(PJRT_Event* event) const;

  // The extension of this type, or null.
  const PJRT_Extension_Base* FindExtension(PJRT_Extension_Type type) const;

 private:
  Status Missing(const char* name) const;

  const PJRT_Api* api_;
};

inline PJRT_Buffer_Type ToC(ElementType type) {
  return static_cast<PJRT_Buffer_Type>(type);
}
// kInvalid for a type that Tenon does not have.
ElementType FromC(PJRT_Buffer_Type type);

inline std::string_view View(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

// Layout arguments. They refer to the caller's memory.
PJRT_Buffer_MemoryLayout TiledLayout(std::span<const int64_t> minor_to_major);
PJRT_Buffer_MemoryLayout StridedLayout(std::span<const int64_t> byte_strides);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_CALL_H_
