// The registry of custom-call handlers, and of the types of their states, by name.
//
// Process-wide, because handlers are registered without naming a client. Thread-safe.
// Nothing is ever removed.
#ifndef TENON_FFI_REGISTRY_H_
#define TENON_FFI_REGISTRY_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/base/status.h"
#include "tenon/ffi/abi.h"

namespace tenon::ffi {

// The result of FindHandler.
struct RegisteredHandler {
  HandlerBundle bundle;
  uint32_t traits;  // the union of its handlers' traits
  int api_minor;    // the oldest version that one of its handlers was built for
};

class Registry {
 public:
  static constexpr int64_t kFirstTypeId = int64_t{1} << 40;

  static Registry& Global();

  // `platform` is any of a platform's names; "Host" means "cpu". Calls each handler for
  // its metadata. INVALID_ARGUMENT if that fails or if its version is not supported.
  // ALREADY_EXISTS if another bundle has the same name. Registering the same bundle again
  // is allowed.
  Status RegisterHandler(std::string_view target, std::string_view platform,
                         const HandlerBundle& bundle);
  // The handlers for `platform`, or those for "cpu" if there are none. Both work on host
  // memory.
  StatusOr<RegisteredHandler> FindHandler(std::string_view target,
                                          std::string_view platform) const;

  // Registers a type and returns its id. For `id` 0 it chooses an id. A name has one id,
  // and an id has one name.
  StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                 void (*deleter)(void* object));
  // The deleter for states of this type. Null if the type has none or is not registered.
  void (*TypeDeleter(int64_t id) const)(void* object);

 private:
  using Key = std::pair<std::string, std::string>;  // platform, target
  struct Type {
    std::string name;
    void (*deleter)(void* object);
  };

  mutable std::mutex mutex_;
  std::map<Key, RegisteredHandler> handlers_;
  std::map<int64_t, Type> types_;
  // Far from the ids that other registries of the process assign, because a type may be
  // registered with several of them under one id.
  int64_t next_type_id_ = kFirstTypeId;
};

}  // namespace tenon::ffi

#endif  // TENON_FFI_REGISTRY_H_
