#include "tenon/pjrt/c_api_client/topology.h"

#include <string>
#include <utility>

#include "tenon/pjrt/abi/memory_descriptions_extension.h"
#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/c_api_client/executable.h"

namespace tenon::pjrt::c_api_client {
namespace {

Status ReadMemories(const CallTable& table, PJRT_DeviceDescription* description,
                    DeviceDescription* result) {
  auto* extension = reinterpret_cast<const PJRT_MemoryDescriptions_Extension*>(
      table.FindExtension(PJRT_Extension_Type_MemoryDescriptions));
  if (extension == nullptr) return OkStatus();
  TENON_PJRT_ARGS(args, PJRT_DeviceDescription_MemoryDescriptions);
  args.device_description = description;
  TENON_RETURN_IF_ERROR(
      table.Take(extension->PJRT_DeviceDescription_MemoryDescriptions(&args)));
  for (size_t i = 0; i < args.num_memory_descriptions; ++i) {
    TENON_PJRT_ARGS(kind, PJRT_MemoryDescription_Kind);
    kind.memory_description = args.memory_descriptions[i];
    TENON_RETURN_IF_ERROR(table.Take(extension->PJRT_MemoryDescription_Kind(&kind)));
    result->memories.push_back(
        {std::string(View(kind.kind, kind.kind_size)), kind.kind_id});
  }
  result->default_memory_index = args.default_memory_index < args.num_memory_descriptions
                                     ? static_cast<int>(args.default_memory_index)
                                     : -1;
  return OkStatus();
}

class CApiTopology final : public Topology {
 public:
  CApiTopology(const CallTable& table, PJRT_TopologyDescription* topology, bool owned)
      : table_(table), topology_(topology), owned_(owned) {}
  CApiTopology(const CApiTopology&) = delete;
  ~CApiTopology() override {
    if (!owned_) return;
    TENON_PJRT_ARGS(args, PJRT_TopologyDescription_Destroy);
    args.topology = topology_;
    (void)TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Destroy, args);
  }

  Status Read() {
    TENON_PJRT_ARGS(name, PJRT_TopologyDescription_PlatformName);
    name.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_PlatformName, name));
    platform_name_ = View(name.platform_name, name.platform_name_size);
    TENON_PJRT_ARGS(version, PJRT_TopologyDescription_PlatformVersion);
    version.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_PlatformVersion, version));
    platform_version_ = View(version.platform_version, version.platform_version_size);
    TENON_PJRT_ARGS(attributes, PJRT_TopologyDescription_Attributes);
    attributes.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Attributes, attributes));
    TENON_ASSIGN_OR_RETURN(
        attributes_,
        c_api::ReadNamedValues(attributes.attributes, attributes.num_attributes));
    TENON_PJRT_ARGS(devices, PJRT_TopologyDescription_GetDeviceDescriptions);
    devices.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_GetDeviceDescriptions, devices));
    for (size_t i = 0; i < devices.num_descriptions; ++i) {
      TENON_ASSIGN_OR_RETURN(DeviceDescription description,
                             ReadDescription(table_, devices.descriptions[i]));
      devices_.push_back(std::move(description));
    }
    return OkStatus();
  }
  void Set(std::string platform_name, std::string platform_version,
           std::vector<DeviceDescription> devices) {
    platform_name_ = std::move(platform_name);
    platform_version_ = std::move(platform_version);
    devices_ = std::move(devices);
  }

  std::string_view platform_name() const override { return platform_name_; }
  std::string_view platform_version() const override { return platform_version_; }
  std::span<const DeviceDescription> devices() const override { return devices_; }
  const NamedValueMap& attributes() const override { return attributes_; }

  StatusOr<uint64_t> Fingerprint() const override {
    TENON_RETURN_IF_ERROR(CheckPresent());
    TENON_PJRT_ARGS(args, PJRT_TopologyDescription_Fingerprint);
    args.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Fingerprint, args));
    return args.fingerprint;
  }
  StatusOr<std::string> Serialize() const override {
    TENON_RETURN_IF_ERROR(CheckPresent());
    TENON_PJRT_ARGS(args, PJRT_TopologyDescription_Serialize);
    args.topology = topology_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Serialize, args));
    std::string bytes(View(args.serialized_bytes, args.serialized_bytes_size));
    if (args.serialized_topology_deleter) {
      args.serialized_topology_deleter(args.serialized_topology);
    }
    return bytes;
  }
  StatusOr<std::shared_ptr<Executable>> Compile(const Program& program,
                                                std::string_view options) override {
    TENON_RETURN_IF_ERROR(CheckPresent());
    PJRT_Program source = ToC(program);
    TENON_PJRT_ARGS(args, PJRT_Compile);
    args.topology = topology_;
    args.program = &source;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Compile, args));
    return MakeExecutable(table_, args.executable);
  }

 private:
  Status CheckPresent() const {
    return topology_ ? OkStatus() : Unimplemented("the plugin's client has no topology");
  }

  const CallTable table_;
  PJRT_TopologyDescription* const topology_;
  const bool owned_;
  std::string platform_name_, platform_version_;
  std::vector<DeviceDescription> devices_;
  NamedValueMap attributes_;
};

}  // namespace

StatusOr<DeviceDescription> ReadDescription(const CallTable& table,
                                            PJRT_DeviceDescription* description) {
  DeviceDescription result;
  TENON_PJRT_ARGS(id, PJRT_DeviceDescription_Id);
  id.device_description = description;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table, PJRT_DeviceDescription_Id, id));
  result.id = id.id;
  TENON_PJRT_ARGS(process, PJRT_DeviceDescription_ProcessIndex);
  process.device_description = description;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table, PJRT_DeviceDescription_ProcessIndex, process));
  result.process_index = process.process_index;
  TENON_PJRT_ARGS(kind, PJRT_DeviceDescription_Kind);
  kind.device_description = description;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table, PJRT_DeviceDescription_Kind, kind));
  result.kind = View(kind.device_kind, kind.device_kind_size);
  TENON_PJRT_ARGS(debug, PJRT_DeviceDescription_DebugString);
  debug.device_description = description;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table, PJRT_DeviceDescription_DebugString, debug));
  result.debug_string = View(debug.debug_string, debug.debug_string_size);
  TENON_PJRT_ARGS(text, PJRT_DeviceDescription_ToString);
  text.device_description = description;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table, PJRT_DeviceDescription_ToString, text));
  result.to_string = View(text.to_string, text.to_string_size);
  TENON_PJRT_ARGS(attributes, PJRT_DeviceDescription_Attributes);
  attributes.device_description = description;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table, PJRT_DeviceDescription_Attributes, attributes));
  TENON_ASSIGN_OR_RETURN(
      result.attributes,
      c_api::ReadNamedValues(attributes.attributes, attributes.num_attributes));
  TENON_RETURN_IF_ERROR(ReadMemories(table, description, &result));
  return result;
}

StatusOr<std::unique_ptr<Topology>> MakeTopology(const CallTable& table,
                                                 PJRT_TopologyDescription* topology,
                                                 bool owned) {
  auto result = std::make_unique<CApiTopology>(table, topology, owned);
  TENON_RETURN_IF_ERROR(result->Read());
  return std::unique_ptr<Topology>(std::move(result));
}

std::unique_ptr<Topology> MakeTopologyOfDevices(const CallTable& table,
                                                std::string platform_name,
                                                std::string platform_version,
                                                std::vector<DeviceDescription> devices) {
  auto result = std::make_unique<CApiTopology>(table, nullptr, /*owned=*/false);
  result->Set(std::move(platform_name), std::move(platform_version), std::move(devices));
  return result;
}

}  // namespace tenon::pjrt::c_api_client
