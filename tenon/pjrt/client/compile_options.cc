#include "tenon/pjrt/client/compile_options.h"

#include <exception>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

namespace tenon::pjrt {
namespace {

// Field numbers.
enum CompileOptionsField { kBuildOptions = 3, kPortable = 4 };
enum BuildOptionsField {
  kDeviceOrdinal = 1,
  kNumReplicas = 4,
  kNumPartitions = 5,
  kDeviceAssignment = 9
};
enum AssignmentField {
  kReplicaCount = 1,
  kComputationCount = 2,
  kComputationDevices = 3
};

protozero::data_view View(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The device ids of one partition, by replica. The field may be packed or not.
std::vector<int> ReadReplicaIds(protozero::pbf_reader message) {
  std::vector<int> ids;
  while (message.next(1)) {
    if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
      for (int64_t id : message.get_packed_int64()) ids.push_back(static_cast<int>(id));
    } else {
      ids.push_back(static_cast<int>(message.get_int64()));
    }
  }
  return ids;
}

StatusOr<DeviceAssignment> ReadAssignment(protozero::pbf_reader message) {
  DeviceAssignment assignment;
  std::vector<std::vector<int>> partitions;
  while (message.next()) {
    switch (message.tag()) {
      case kReplicaCount:
        assignment.num_replicas = message.get_int32();
        break;
      case kComputationCount:
        assignment.num_partitions = message.get_int32();
        break;
      case kComputationDevices:
        partitions.push_back(ReadReplicaIds(message.get_message()));
        break;
      default:
        message.skip();
    }
  }
  bool good = assignment.num_replicas > 0 && assignment.num_partitions > 0 &&
              static_cast<int>(partitions.size()) == assignment.num_partitions;
  for (size_t p = 0; good && p < partitions.size(); ++p) {
    good = static_cast<int>(partitions[p].size()) == assignment.num_replicas;
  }
  if (!good) {
    return InvalidArgument("the compile options' device assignment does not have " +
                           std::to_string(assignment.num_replicas) + " x " +
                           std::to_string(assignment.num_partitions) +
                           " (replicas x partitions) devices");
  }
  for (int replica = 0; replica < assignment.num_replicas; ++replica) {
    for (const std::vector<int>& partition : partitions) {
      assignment.device_ids.push_back(partition[static_cast<size_t>(replica)]);
    }
  }
  return assignment;
}

Status ReadBuildOptions(protozero::pbf_reader message, PlacementOptions* result) {
  while (message.next()) {
    switch (message.tag()) {
      case kDeviceOrdinal:
        result->device_ordinal = message.get_int64();
        break;
      case kNumReplicas:
        result->num_replicas = message.get_int64();
        break;
      case kNumPartitions:
        result->num_partitions = message.get_int64();
        break;
      case kDeviceAssignment: {
        TENON_ASSIGN_OR_RETURN(result->device_assignment,
                               ReadAssignment(message.get_message()));
        break;
      }
      default:
        message.skip();
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<PlacementOptions> ReadPlacementOptions(std::string_view options) {
  PlacementOptions result;
  try {
    protozero::pbf_reader message(View(options));
    while (message.next()) {
      switch (message.tag()) {
        case kBuildOptions:
          TENON_RETURN_IF_ERROR(ReadBuildOptions(message.get_message(), &result));
          break;
        case kPortable:
          result.portable = message.get_bool();
          break;
        default:
          message.skip();
      }
    }
  } catch (const std::exception& error) {
    return InvalidArgument(std::string("the compile options are malformed: ") +
                           error.what());
  }
  if (result.num_replicas == 0) result.num_replicas = 1;
  if (result.num_partitions == 0) result.num_partitions = 1;
  if (result.num_replicas < 0 || result.num_partitions < 0 ||
      result.num_replicas > INT32_MAX || result.num_partitions > INT32_MAX) {
    return InvalidArgument(
        "the compile options ask for " + std::to_string(result.num_replicas) + " x " +
        std::to_string(result.num_partitions) + " (replicas x partitions) devices");
  }
  return result;
}

}  // namespace tenon::pjrt
