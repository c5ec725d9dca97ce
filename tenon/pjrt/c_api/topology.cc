// PJRT_TopologyDescription_* and PJRT_Compile.
#include "tenon/pjrt/interface/topology.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/c_api/program.h"
#include "tenon/pjrt/c_api/proto.h"
#include "tenon/pjrt/c_api/shapes.h"

PJRT_TopologyDescription::PJRT_TopologyDescription(tenon::pjrt::Topology& described)
    : topology(described), attributes(described.attributes()) {
  for (const auto& description : topology.devices()) {
    description_pointers.push_back(&descriptions.emplace_back(description));
    for (const auto& memory : description.memories) {
      auto& ids = memory_kind_ids;
      if (std::find(ids.begin(), ids.end(), memory.kind_id) == ids.end()) {
        ids.push_back(memory.kind_id);
      }
    }
  }
}

PJRT_TopologyDescription::PJRT_TopologyDescription(
    std::unique_ptr<tenon::pjrt::Topology> described)
    : PJRT_TopologyDescription(*described) {
  owned = std::move(described);
}

PJRT_DeviceDescription* PJRT_TopologyDescription::Find(int device_id) {
  for (PJRT_DeviceDescription* description : description_pointers) {
    if (description->description.id == device_id) return description;
  }
  return nullptr;
}

namespace tenon::pjrt::c_api {

Status TopologyCreate(const PluginDescription& plugin,
                      PJRT_TopologyDescription_Create_Args* args) {
  if (plugin.create_topology == nullptr) {
    return Unimplemented("this plugin describes devices only through a client");
  }
  TENON_ASSIGN_OR_RETURN(NamedValueMap options,
                         ReadNamedValues(args->create_options, args->num_options));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<Topology> topology,
      plugin.create_topology(View(args->topology_name, args->topology_name_size),
                             options));
  args->topology = new PJRT_TopologyDescription(std::move(topology));
  return OkStatus();
}

Status TopologyDeserialize(const PluginDescription& plugin,
                           PJRT_TopologyDescription_Deserialize_Args* args) {
  if (plugin.deserialize_topology == nullptr) {
    return Unimplemented("this plugin cannot read serialized topologies");
  }
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Topology> topology,
                         plugin.deserialize_topology(View(
                             args->serialized_topology, args->serialized_topology_size)));
  args->topology = new PJRT_TopologyDescription(std::move(topology));
  return OkStatus();
}

Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args* args) {
  if (args->topology && args->topology->owned == nullptr) {
    return InvalidArgument("a client's topology is destroyed with the client");
  }
  delete args->topology;
  return OkStatus();
}

Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  std::string_view name = args->topology->topology.platform_name();
  args->platform_name = name.data();
  args->platform_name_size = name.size();
  return OkStatus();
}

Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  std::string_view version = args->topology->topology.platform_version();
  args->platform_version = version.data();
  args->platform_version_size = version.size();
  return OkStatus();
}

Status TopologyGetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  args->descriptions = args->topology->description_pointers.data();
  args->num_descriptions = args->topology->description_pointers.size();
  return OkStatus();
}

Status TopologySerialize(PJRT_TopologyDescription_Serialize_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  TENON_ASSIGN_OR_RETURN(std::string bytes, args->topology->topology.Serialize());
  args->serialized_topology = HoldString<PJRT_SerializedTopology>(
      std::move(bytes), &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_topology_deleter = FreeHeldString<PJRT_SerializedTopology>;
  return OkStatus();
}

Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  args->attributes = args->topology->attributes.data();
  args->num_attributes = args->topology->attributes.size();
  return OkStatus();
}

Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  TENON_ASSIGN_OR_RETURN(args->fingerprint, args->topology->topology.Fingerprint());
  return OkStatus();
}

Status TopologyMakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  ShapeArgument argument;
  TENON_RETURN_IF_ERROR(
      argument.Read(args->element_type, args->dims, args->num_dims, args->layout));
  const ArrayShape& shape = argument.shape();
  std::vector<int64_t> minor_to_major;
  if (shape.minor_to_major) {
    minor_to_major.assign(shape.minor_to_major->begin(), shape.minor_to_major->end());
  } else {
    TENON_ASSIGN_OR_RETURN(
        minor_to_major, args->topology->topology.DefaultLayout(shape.type, shape.dims));
  }
  // The argument of the deleter is the bytes themselves.
  std::string proto = SerializeShape(shape.type, shape.dims, minor_to_major);
  char* bytes = new char[proto.size()];
  std::copy(proto.begin(), proto.end(), bytes);
  args->serialized_shape = bytes;
  args->serialized_shape_size = proto.size();
  args->serialized_shape_deleter = [](const char* text) { delete[] text; };
  return OkStatus();
}

Status TopologyGetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  args->memory_space_kind_ids = args->topology->memory_kind_ids.data();
  args->num_memory_space_kind_ids = args->topology->memory_kind_ids.size();
  return OkStatus();
}

Status Compile(PJRT_Compile_Args* args) {
  TENON_PJRT_REQUIRE(args, topology);
  TENON_ASSIGN_OR_RETURN(Program program, ReadProgram(args->program));
  TENON_ASSIGN_OR_RETURN(
      std::shared_ptr<Executable> executable,
      args->topology->topology.Compile(
          program, View(args->compile_options, args->compile_options_size)));
  args->executable = new PJRT_Executable(std::move(executable));
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
