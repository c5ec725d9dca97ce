// The framework's partitioners of custom calls, for all clients of a plugin.
#ifndef TENON_PJRT_INTERFACE_PARTITIONER_REGISTRY_H_
#define TENON_PJRT_INTERFACE_PARTITIONER_REGISTRY_H_

#include <string_view>

#include "tenon/base/status.h"

struct JAX_CustomCallPartitioner_Callbacks;

namespace tenon::pjrt {

// Any thread may call its functions.
class PartitionerRegistry {
 public:
  virtual ~PartitionerRegistry() = default;

  // Takes `callbacks`, which replace those that were registered for `target` before.
  // INVALID_ARGUMENT for callbacks of another version.
  virtual Status Register(std::string_view target,
                          JAX_CustomCallPartitioner_Callbacks* callbacks) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_PARTITIONER_REGISTRY_H_
