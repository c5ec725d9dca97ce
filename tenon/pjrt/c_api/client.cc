// PJRT_Client_*: the client and compilation. Creating buffers is in client_buffers.cc.
#include "tenon/pjrt/interface/client.h"

#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/key_value_store.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/c_api/program.h"

PJRT_Client::PJRT_Client(std::unique_ptr<tenon::pjrt::Client> owned)
    : client(std::move(owned)) {
  topology.emplace(client->topology());
  for (tenon::pjrt::MemorySpace* memory : client->addressable_memories()) {
    auto& handle = memory_handles.emplace_back(memory, this);
    memory->set_api_handle(&handle);
    addressable_memories.push_back(&handle);
  }
  for (tenon::pjrt::Device* device : client->devices()) {
    PJRT_Device& handle = device_handles.emplace_back();
    handle.device = device;
    handle.client = this;
    handle.description = topology->Find(device->description().id);
    handle.attributes = tenon::pjrt::c_api::NamedValueArray(device->attributes());
    for (const auto* memory : device->memories()) {
      handle.memories.push_back(tenon::pjrt::c_api::HandleOf(memory));
    }
    device->set_api_handle(&handle);
    devices.push_back(&handle);
  }
  for (const auto* device : client->addressable_devices()) {
    addressable_devices.push_back(tenon::pjrt::c_api::HandleOf(device));
  }
  for (auto& handle : memory_handles) {
    for (const auto* device : handle.memory->devices()) {
      handle.devices.push_back(tenon::pjrt::c_api::HandleOf(device));
    }
  }
}

namespace tenon::pjrt::c_api {
namespace {

// The number of processes of the job. The key-value members of the args are initialized
// only if it is more than 1.
int64_t NumNodes(const NamedValueMap& options) {
  auto found = options.find("num_nodes");
  if (found == options.end()) return 1;
  const int64_t* number = std::get_if<int64_t>(&found->second);
  return number ? *number : 1;
}

}  // namespace

Status ClientCreate(const PluginDescription& plugin, PJRT_Client_Create_Args* args) {
  ClientOptions options;
  TENON_ASSIGN_OR_RETURN(options.values,
                         ReadNamedValues(args->create_options, args->num_options));
  if (NumNodes(options.values) > 1) options.key_value_store = MakeKeyValueStore(args);
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Client> client, plugin.create_client(options));
  args->client = new PJRT_Client(std::move(client));
  return OkStatus();
}

Status ClientDestroy(PJRT_Client_Destroy_Args* args) {
  if (args->client) args->client->Unref();
  return OkStatus();
}

Status ClientPlatformName(PJRT_Client_PlatformName_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  std::string_view name = args->client->client->platform_name();
  args->platform_name = name.data();
  args->platform_name_size = name.size();
  return OkStatus();
}

Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->process_index = args->client->client->process_index();
  return OkStatus();
}

Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  std::string_view version = args->client->client->platform_version();
  args->platform_version = version.data();
  args->platform_version_size = version.size();
  return OkStatus();
}

Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->topology = &*args->client->topology;
  return OkStatus();
}

Status ClientDevices(PJRT_Client_Devices_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->devices = args->client->devices.data();
  args->num_devices = args->client->devices.size();
  return OkStatus();
}

Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->addressable_devices = args->client->addressable_devices.data();
  args->num_addressable_devices = args->client->addressable_devices.size();
  return OkStatus();
}

Status ClientLookupDevice(PJRT_Client_LookupDevice_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  for (PJRT_Device* device : args->client->devices) {
    if (device->device->description().id == args->id) {
      args->device = device;
      return OkStatus();
    }
  }
  return InvalidArgument("no device has id " + std::to_string(args->id));
}

Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  for (PJRT_Device* device : args->client->addressable_devices) {
    if (device->device->local_hardware_id() == args->local_hardware_id) {
      args->addressable_device = device;
      return OkStatus();
    }
  }
  return InvalidArgument("no addressable device has local hardware id " +
                         std::to_string(args->local_hardware_id));
}

// Must not fail: any error, even UNIMPLEMENTED, would end all processes of a distributed
// job.
Status ClientUpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args* args) {
  if (args->client == nullptr || args->process_infos == nullptr) return OkStatus();
  std::vector<ProcessInfo> infos;
  for (size_t i = 0; i < args->num_process_infos; ++i) {
    const PJRT_ProcessInfo& info = args->process_infos[i];
    infos.push_back({
        .task_id = info.task_id,
        .incarnation_id = info.incarnation_id,
        .state = info.state,
        .error = StatusFromParts(static_cast<PJRT_Error_Code>(info.error_code),
                                 info.error_message, info.error_message_size),
    });
  }
  args->client->client->UpdateGlobalProcessInfo(infos);
  return OkStatus();
}

Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->addressable_memories = args->client->addressable_memories.data();
  args->num_addressable_memories = args->client->addressable_memories.size();
  return OkStatus();
}

Status ClientCompile(PJRT_Client_Compile_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  TENON_ASSIGN_OR_RETURN(Program program, ReadProgram(args->program));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<LoadedExecutable> executable,
      args->client->client->Compile(
          program, View(args->compile_options, args->compile_options_size)));
  args->executable = new PJRT_LoadedExecutable(std::move(executable), args->client);
  return OkStatus();
}

Status ClientLoad(PJRT_Client_Load_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  TENON_PJRT_REQUIRE(args, executable);
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<LoadedExecutable> executable,
                         args->client->client->Load(
                             args->executable->executable,
                             View(args->compile_options, args->compile_options_size)));
  args->loaded_executable =
      new PJRT_LoadedExecutable(std::move(executable), args->client);
  return OkStatus();
}

Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  int replicas = args->num_replicas, partitions = args->num_partitions;
  int count = 0;
  if (replicas <= 0 || partitions <= 0 ||
      __builtin_mul_overflow(replicas, partitions, &count)) {
    return InvalidArgument(std::to_string(replicas) + " replicas of " +
                           std::to_string(partitions) +
                           " partitions are no device assignment");
  }
  if (args->default_assignment_size < static_cast<size_t>(count)) {
    return InvalidArgument("the assignment has room for " +
                           std::to_string(args->default_assignment_size) + " of " +
                           std::to_string(count) + " device ids");
  }
  TENON_PJRT_REQUIRE(args, default_assignment);
  TENON_ASSIGN_OR_RETURN(
      DeviceAssignment assignment,
      args->client->client->DefaultDeviceAssignment(replicas, partitions));
  std::copy_n(assignment.device_ids.begin(), count, args->default_assignment);
  return OkStatus();
}

Status ClientDmaMap(PJRT_Client_DmaMap_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  return args->client->client->DmaMap(args->data, args->size);
}

Status ClientDmaUnmap(PJRT_Client_DmaUnmap_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  return args->client->client->DmaUnmap(args->data);
}

}  // namespace tenon::pjrt::c_api
