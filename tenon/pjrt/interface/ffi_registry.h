// The registry of custom-call handlers and of the types of their user data.
//
// Process-wide, because registrations do not name a client. Thread-safe.
#ifndef TENON_PJRT_INTERFACE_FFI_REGISTRY_H_
#define TENON_PJRT_INTERFACE_FFI_REGISTRY_H_

#include <cstdint>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::pjrt {

// The XLA FFI handlers of one target, one per stage; each may be null.
struct FfiHandlers {
  void* instantiate = nullptr;
  void* prepare = nullptr;
  void* initialize = nullptr;
  void* execute = nullptr;
  uint32_t traits = 0;  // XLA_FFI_Handler_Traits bits
};

// The operations on objects of a registered type; each may be null.
struct FfiTypeInfo {
  void (*deleter)(void* object) = nullptr;
  void (*serialize)() = nullptr;
  void (*deserialize)() = nullptr;
};

class FfiRegistry {
 public:
  virtual ~FfiRegistry() = default;

  // `platform` is the name that the caller registers for, e.g. "cpu", "Host", "tenon".
  // The handler's metadata call must succeed. ALREADY_EXISTS if the target has other
  // handlers.
  virtual Status RegisterHandler(std::string_view target, std::string_view platform,
                                 const FfiHandlers& handlers) = 0;
  // Registers a type and returns its id. For `id` 0 it chooses one. Otherwise it
  // registers the name under `id`, or checks that the name already has that id.
  virtual StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                         const FfiTypeInfo& info) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_FFI_REGISTRY_H_
