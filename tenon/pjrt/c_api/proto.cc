#include "tenon/pjrt/c_api/proto.h"

#include <utility>
#include <vector>

#include "tenon/types/primitive_type.h"

namespace tenon::pjrt::c_api {

std::string SerializeDeviceAssignment(const DeviceAssignment& assignment) {
  if (assignment.num_replicas == 0 && assignment.num_partitions == 0) return "";
  ProtoWriter proto;
  proto.Int(1, assignment.num_replicas);
  proto.Int(2, assignment.num_partitions);
  // One message per partition, each with the ids of all replicas.
  for (int partition = 0; partition < assignment.num_partitions; ++partition) {
    std::vector<int64_t> ids;
    for (int replica = 0; replica < assignment.num_replicas; ++replica) {
      ids.push_back(
          assignment.device_ids[replica * assignment.num_partitions + partition]);
    }
    ProtoWriter device;
    device.Ints(1, ids);
    proto.Bytes(3, std::move(device).Take());
  }
  return std::move(proto).Take();
}

std::string SerializeShape(ElementType type, std::span<const int64_t> dims,
                           std::span<const int64_t> minor_to_major) {
  ProtoWriter layout;
  layout.Ints(1, minor_to_major);
  ProtoWriter shape;
  shape.Int(2, PrimitiveTypeNumber(type));
  shape.Ints(3, dims);
  shape.Bytes(5, std::move(layout).Take());
  return std::move(shape).Take();
}

}  // namespace tenon::pjrt::c_api
