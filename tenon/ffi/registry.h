// Custom-call handlers and the types of their states, by name.
//
// Process-wide, because handlers are registered without naming a client. Thread-safe;
// what is registered stays.
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

// What FindHandler finds.
struct RegisteredHandler {
  HandlerBundle bundle;
  uint32_t traits;  // those that its handlers tell, all of them
  int api_minor;    // the version they were built for, the oldest
};

class Registry {
 public:
  static constexpr int64_t kFirstTypeId = int64_t{1} << 40;

  static Registry& Global();

  // `platform` is any of a platform's names; "Host" is "cpu". Asks each handler for its
  // metadata: INVALID_ARGUMENT if that fails or its version cannot be served.
  // ALREADY_EXISTS for another bundle under the same name; the same one again is fine.
  Status RegisterHandler(std::string_view target, std::string_view platform,
                         const HandlerBundle& bundle);
  // Handlers for `platform`, or else those for "cpu": both work on host memory.
  StatusOr<RegisteredHandler> FindHandler(std::string_view target,
                                          std::string_view platform) const;

  // id 0: picks one. A name has one id, and an id one name.
  StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                 void (*deleter)(void* object));
  // How to delete a state of this type; null if it needs none or is not known.
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
  // Far from the ids that other registries of the process give: a type may be known to
  // several under one id.
  int64_t next_type_id_ = kFirstTypeId;
};

}  // namespace tenon::ffi

#endif  // TENON_FFI_REGISTRY_H_
