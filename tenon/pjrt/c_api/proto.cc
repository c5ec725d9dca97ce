#include "tenon/pjrt/c_api/proto.h"

#include <utility>
#include <vector>

namespace tenon::pjrt::c_api {
namespace {

// xla.PrimitiveType numbers differ from ours beyond f64.
int64_t PrimitiveTypeNumber(ElementType type) {
  switch (type) {
    case ElementType::kC64:
      return 15;
    case ElementType::kBF16:
      return 16;
    case ElementType::kToken:
      return 17;
    case ElementType::kC128:
      return 18;
    case ElementType::kF8E5M2:
      return 19;
    case ElementType::kF8E4M3FN:
      return 20;
    case ElementType::kS4:
      return 21;
    case ElementType::kU4:
      return 22;
    case ElementType::kF8E4M3B11FNUZ:
      return 23;
    case ElementType::kF8E5M2FNUZ:
      return 24;
    case ElementType::kF8E4M3FNUZ:
      return 25;
    case ElementType::kS2:
      return 26;
    case ElementType::kU2:
      return 27;
    case ElementType::kF8E4M3:
      return 28;
    case ElementType::kF8E3M4:
      return 29;
    case ElementType::kF4E2M1FN:
      return 32;
    case ElementType::kF8E8M0FNU:
      return 33;
    case ElementType::kF6E3M2FN:
      return 35;
    case ElementType::kF6E2M3FN:
      return 36;
    default:
      return static_cast<int64_t>(type);  // kInvalid to kF64 agree
  }
}

}  // namespace

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
