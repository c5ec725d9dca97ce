// Where custom-call handlers and the types of their user data are registered.
//
// Process-wide, because the API registers without naming a client. Thread-safe.
#ifndef TENON_PJRT_INTERFACE_FFI_REGISTRY_H_
#define TENON_PJRT_INTERFACE_FFI_REGISTRY_H_

#include <cstdint>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::pjrt {

// Handlers of one target, each an XLA FFI handler of its stage, or null.
struct FfiHandlers {
  void* instantiate = nullptr;
  void* prepare = nullptr;
  void* initialize = nullptr;
  void* execute = nullptr;
  uint32_t traits = 0;  // XLA_FFI_Handler_Traits bits
};

// How to handle objects of a registered type; each may be null.
struct FfiTypeInfo {
  void (*deleter)(void* object) = nullptr;
  void (*serialize)() = nullptr;
  void (*deserialize)() = nullptr;
};

class FfiRegistry {
 public:
  virtual ~FfiRegistry() = default;

  // `platform` is the name the caller registers for, e.g. "cpu", "Host", "tenon". The
  // handler's metadata call has to succeed. A second, different registration of a target
  // is ALREADY_EXISTS.
  virtual Status RegisterHandler(std::string_view target, std::string_view platform,
                                 const FfiHandlers& handlers) = 0;
  // id 0: picks one and returns it. Else registers under that id, or checks that it is
  // the one the name has.
  virtual StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                         const FfiTypeInfo& info) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_FFI_REGISTRY_H_
