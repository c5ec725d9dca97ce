// User data that the custom-call handlers of one execution may look up by type id.
//
// One thread fills it before an execution starts; then it is shared read-only.
// ExecuteOptions keeps a reference, so the API's handle may be destroyed as soon as
// Execute has returned.
#ifndef TENON_PJRT_INTERFACE_EXECUTE_CONTEXT_H_
#define TENON_PJRT_INTERFACE_EXECUTE_CONTEXT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::pjrt {

class ExecuteContext {
 public:
  // The caller keeps ownership of the data. ALREADY_EXISTS if the type id has data.
  Status AddUserData(int64_t type_id, void* data) {
    if (Lookup(type_id)) {
      return AlreadyExists("user data of type id " + std::to_string(type_id) +
                           " is already in the execute context");
    }
    user_data_.emplace_back(type_id, data);
    return OkStatus();
  }
  // Null if there is none.
  void* Lookup(int64_t type_id) const {
    for (const auto& [id, data] : user_data_) {
      if (id == type_id) return data;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<int64_t, void*>> user_data_;  // one or two entries
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_EXECUTE_CONTEXT_H_
