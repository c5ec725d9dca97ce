// The description of a device without a client. Plain values, owned by a Topology.
#ifndef TENON_PJRT_INTERFACE_DEVICE_DESCRIPTION_H_
#define TENON_PJRT_INTERFACE_DEVICE_DESCRIPTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt {

struct MemoryDescription {
  std::string kind;  // "device", "pinned_host", "unpinned_host", ...
  int kind_id = 0;   // the same number for the same kind in every description
};

struct DeviceDescription {
  int id = 0;             // global
  int process_index = 0;  // of the process that owns the device
  std::string kind;       // "cpu"; what frameworks show as device_kind
  std::string debug_string;
  std::string to_string;
  // Only strings, int64 and int64 lists, because frameworks abort on bool and float.
  NamedValueMap attributes;
  std::vector<MemoryDescription> memories;
  int default_memory_index = -1;  // into `memories`; -1 if there is none
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_DEVICE_DESCRIPTION_H_
