#include "tenon/pjrt/c_api_client/client.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/c_api_client/buffer.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/c_api_client/executable.h"
#include "tenon/pjrt/c_api_client/key_value_callbacks.h"
#include "tenon/pjrt/c_api_client/topology.h"
#include "tenon/pjrt/c_api_client/transfer_manager.h"

namespace tenon::pjrt::c_api_client {
namespace {

class CApiClient final : public Client {
 public:
  CApiClient(const CallTable& table, std::shared_ptr<KeyValueStore> store)
      : table_(table), store_(std::move(store)) {}
  CApiClient(const CApiClient&) = delete;
  ~CApiClient() override {
    if (client_ == nullptr) return;
    TENON_PJRT_ARGS(args, PJRT_Client_Destroy);
    args.client = client_;
    (void)TENON_PJRT_CALL(table_, PJRT_Client_Destroy, args);
  }
  Status Create(const NamedValueMap& options);

  std::string_view platform_name() const override { return platform_name_; }
  std::string_view platform_version() const override { return platform_version_; }
  int process_index() const override { return process_index_; }
  Topology& topology() const override { return *topology_; }
  std::span<Device* const> devices() const override { return devices_; }
  std::span<Device* const> addressable_devices() const override {
    return addressable_devices_;
  }
  std::span<MemorySpace* const> addressable_memories() const override {
    return memories_;
  }
  StatusOr<DeviceAssignment> DefaultDeviceAssignment(int num_replicas,
                                                     int num_partitions) const override;
  StatusOr<std::unique_ptr<LoadedExecutable>> Compile(const Program& program,
                                                      std::string_view options) override;
  StatusOr<std::unique_ptr<LoadedExecutable>> Load(std::shared_ptr<Executable> executable,
                                                   std::string_view options) override;
  StatusOr<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(
      std::string_view bytes, std::string_view options,
      const LoadOptions& load_options) override;
  StatusOr<HostTransfer> BufferFromHost(
      const HostArray& array, HostBufferSemantics semantics, MemorySpace* memory,
      std::optional<std::span<const int64_t>> minor_to_major) override;
  StatusOr<std::unique_ptr<Buffer>> CreateUninitializedBuffer(
      const ArrayShape& shape, MemorySpace* memory) override;
  StatusOr<std::unique_ptr<Buffer>> CreateErrorBuffer(Status error,
                                                      const ArrayShape& shape,
                                                      MemorySpace* memory) override;
  StatusOr<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(
      void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
      std::function<void()> on_delete) override;
  StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                    MemorySpace* memory) override;
  Status DmaMap(void* data, size_t size) override;
  Status DmaUnmap(void* data) override;
  void UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) override;

 private:
  Status ReadDevices();
  Status ReadTopology();

  const CallTable table_;
  const std::shared_ptr<KeyValueStore> store_;
  PJRT_Client* client_ = nullptr;
  std::string platform_name_, platform_version_;
  int process_index_ = 0;
  Handles handles_;
  std::vector<std::unique_ptr<CApiDevice>> owned_devices_;
  std::vector<std::unique_ptr<CApiMemory>> owned_memories_;
  std::vector<Device*> devices_, addressable_devices_;
  std::vector<MemorySpace*> memories_;
  std::unique_ptr<Topology> topology_;
};

Status CApiClient::Create(const NamedValueMap& options) {
  c_api::NamedValueArray values(options);
  TENON_PJRT_ARGS(create, PJRT_Client_Create);
  create.create_options = values.data();
  create.num_options = values.size();
  if (store_) SetKeyValueCallbacks(store_.get(), &create);
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_Create, create));
  client_ = create.client;
  TENON_PJRT_ARGS(name, PJRT_Client_PlatformName);
  name.client = client_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_PlatformName, name));
  platform_name_ = View(name.platform_name, name.platform_name_size);
  TENON_PJRT_ARGS(version, PJRT_Client_PlatformVersion);
  version.client = client_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_PlatformVersion, version));
  platform_version_ = View(version.platform_version, version.platform_version_size);
  TENON_PJRT_ARGS(process, PJRT_Client_ProcessIndex);
  process.client = client_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_ProcessIndex, process));
  process_index_ = process.process_index;
  TENON_RETURN_IF_ERROR(ReadDevices());
  return ReadTopology();
}

Status CApiClient::ReadDevices() {
  TENON_PJRT_ARGS(all, PJRT_Client_Devices);
  all.client = client_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_Devices, all));
  for (size_t i = 0; i < all.num_devices; ++i) {
    owned_devices_.push_back(std::make_unique<CApiDevice>(table_, all.devices[i]));
    handles_.devices[all.devices[i]] = owned_devices_.back().get();
  }
  TENON_PJRT_ARGS(memories, PJRT_Client_AddressableMemories);
  memories.client = client_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Client_AddressableMemories, memories);
  // A plugin without memory spaces is addressed by its devices.
  if (!status.ok() && status.code() != StatusCode::kUnimplemented) return status;
  for (size_t i = 0; i < memories.num_addressable_memories; ++i) {
    PJRT_Memory* memory = memories.addressable_memories[i];
    owned_memories_.push_back(std::make_unique<CApiMemory>(table_, memory));
    handles_.memories[memory] = owned_memories_.back().get();
  }
  for (auto& memory : owned_memories_) {
    TENON_RETURN_IF_ERROR(memory->Read(handles_));
    memories_.push_back(memory.get());
  }
  for (auto& device : owned_devices_) TENON_RETURN_IF_ERROR(device->Read(handles_));
  TENON_ASSIGN_OR_RETURN(devices_, handles_.Devices(all.devices, all.num_devices));
  TENON_PJRT_ARGS(own, PJRT_Client_AddressableDevices);
  own.client = client_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_AddressableDevices, own));
  TENON_ASSIGN_OR_RETURN(
      addressable_devices_,
      handles_.Devices(own.addressable_devices, own.num_addressable_devices));
  return OkStatus();
}

Status CApiClient::ReadTopology() {
  std::vector<DeviceDescription> descriptions;
  for (auto& device : owned_devices_) {
    TENON_ASSIGN_OR_RETURN(DeviceDescription description, device->Description());
    descriptions.push_back(std::move(description));
  }
  TENON_PJRT_ARGS(args, PJRT_Client_TopologyDescription);
  args.client = client_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Client_TopologyDescription, args);
  if (status.ok()) {
    TENON_ASSIGN_OR_RETURN(topology_,
                           MakeTopology(table_, args.topology, /*owned=*/false));
  } else if (status.code() == StatusCode::kUnimplemented) {
    topology_ = MakeTopologyOfDevices(table_, platform_name_, platform_version_,
                                      std::move(descriptions));
  } else {
    return status;
  }
  for (size_t i = 0; i < owned_devices_.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(DeviceDescription own, owned_devices_[i]->Description());
    for (const DeviceDescription& description : topology_->devices()) {
      if (description.id == own.id) owned_devices_[i]->set_description(&description);
    }
    if (!owned_devices_[i]->has_description()) {
      return Internal("the plugin's topology lacks device " + std::to_string(own.id));
    }
  }
  return OkStatus();
}

StatusOr<DeviceAssignment> CApiClient::DefaultDeviceAssignment(int num_replicas,
                                                               int num_partitions) const {
  int64_t count = static_cast<int64_t>(num_replicas) * num_partitions;
  if (num_replicas < 1 || num_partitions < 1 || count > INT32_MAX) {
    return InvalidArgument("no assignment of " + std::to_string(num_replicas) + " x " +
                           std::to_string(num_partitions) + " devices");
  }
  DeviceAssignment assignment{num_replicas, num_partitions,
                              std::vector<int>(static_cast<size_t>(count))};
  TENON_PJRT_ARGS(args, PJRT_Client_DefaultDeviceAssignment);
  args.client = client_;
  args.num_replicas = num_replicas;
  args.num_partitions = num_partitions;
  args.default_assignment_size = assignment.device_ids.size();
  args.default_assignment = assignment.device_ids.data();
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Client_DefaultDeviceAssignment, args));
  return assignment;
}

StatusOr<std::unique_ptr<LoadedExecutable>> CApiClient::Compile(
    const Program& program, std::string_view options) {
  PJRT_Program source = ToC(program);
  TENON_PJRT_ARGS(args, PJRT_Client_Compile);
  args.client = client_;
  args.program = &source;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_Compile, args));
  return MakeLoadedExecutable(table_, handles_, args.executable);
}

StatusOr<std::unique_ptr<LoadedExecutable>> CApiClient::Load(
    std::shared_ptr<Executable> executable, std::string_view options) {
  TENON_PJRT_ARGS(args, PJRT_Client_Load);
  args.client = client_;
  args.executable = CExecutable(*executable);
  if (args.executable == nullptr) {
    return InvalidArgument("the executable is of another implementation");
  }
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_Load, args));
  return MakeLoadedExecutable(table_, handles_, args.loaded_executable);
}

StatusOr<std::unique_ptr<LoadedExecutable>> CApiClient::DeserializeAndLoad(
    std::string_view bytes, std::string_view options, const LoadOptions& load_options) {
  PJRT_LoadOptions load{};
  load.struct_size = PJRT_LoadOptions_STRUCT_SIZE;
  load.computation_origin = load_options.computation_origin.data();
  load.computation_origin_size = load_options.computation_origin.size();
  TENON_PJRT_ARGS(args, PJRT_Executable_DeserializeAndLoad);
  args.client = client_;
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  args.overridden_serialized_compile_options = options.empty() ? nullptr : options.data();
  args.overridden_serialized_compile_options_size = options.size();
  args.load_options = load_options.computation_origin.empty() ? nullptr : &load;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Executable_DeserializeAndLoad, args));
  return MakeLoadedExecutable(table_, handles_, args.loaded_executable);
}

// The device of `memory`; the first device if `memory` is null, for a plugin without
// memory spaces.
PJRT_Device* DeviceOf(MemorySpace* memory, std::span<Device* const> devices) {
  Device* device = memory && !memory->devices().empty() ? memory->devices()[0]
                   : devices.empty()                    ? nullptr
                                                        : devices[0];
  return device ? static_cast<CApiDevice*>(device)->c_device() : nullptr;
}

PJRT_Memory* ToC(MemorySpace* memory) {
  return memory ? static_cast<CApiMemory*>(memory)->c_memory() : nullptr;
}

// Sets the members that several args structs have in common.
template <typename Args>
void SetShape(const ArrayShape& shape, PJRT_Buffer_MemoryLayout* layout, Args* args) {
  args->shape_dims = shape.dims.data();
  args->shape_num_dims = shape.dims.size();
  args->shape_element_type = c_api_client::ToC(shape.type);
  if (shape.minor_to_major) {
    *layout = TiledLayout(*shape.minor_to_major);
    args->shape_layout = layout;
  }
}

StatusOr<HostTransfer> CApiClient::BufferFromHost(
    const HostArray& array, HostBufferSemantics semantics, MemorySpace* memory,
    std::optional<std::span<const int64_t>> minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  TENON_PJRT_ARGS(args, PJRT_Client_BufferFromHostBuffer);
  args.client = client_;
  args.data = array.data;
  args.type = c_api_client::ToC(array.type);
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  if (array.byte_strides) {
    args.byte_strides = array.byte_strides->data();
    args.num_byte_strides = array.byte_strides->size();
  }
  args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(semantics);
  args.device = DeviceOf(memory, addressable_devices_);
  args.memory = ToC(memory);
  if (minor_to_major) {
    layout = TiledLayout(*minor_to_major);
    args.device_layout = &layout;
  }
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_BufferFromHostBuffer, args));
  Event done = table_.TakeEvent(args.done_with_host_buffer);
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                         CApiBuffer::Make(table_, handles_, args.buffer));
  return HostTransfer{std::move(buffer), std::move(done)};
}

StatusOr<std::unique_ptr<Buffer>> CApiClient::CreateUninitializedBuffer(
    const ArrayShape& shape, MemorySpace* memory) {
  PJRT_Buffer_MemoryLayout layout{};
  TENON_PJRT_ARGS(args, PJRT_Client_CreateUninitializedBuffer);
  args.client = client_;
  SetShape(shape, &layout, &args);
  args.device = DeviceOf(memory, addressable_devices_);
  args.memory = ToC(memory);
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Client_CreateUninitializedBuffer, args));
  return CApiBuffer::Make(table_, handles_, args.buffer);
}

StatusOr<std::unique_ptr<Buffer>> CApiClient::CreateErrorBuffer(Status error,
                                                                const ArrayShape& shape,
                                                                MemorySpace* memory) {
  PJRT_Buffer_MemoryLayout layout{};
  TENON_PJRT_ARGS(args, PJRT_Client_CreateErrorBuffer);
  args.client = client_;
  args.error_code = static_cast<PJRT_Error_Code>(error.code());
  args.error_message = error.message().data();
  args.error_message_size = error.message().size();
  SetShape(shape, &layout, &args);
  args.memory = ToC(memory);
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Client_CreateErrorBuffer, args));
  return CApiBuffer::Make(table_, handles_, args.buffer);
}

StatusOr<std::unique_ptr<Buffer>> CApiClient::CreateViewOfDeviceBuffer(
    void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
    std::function<void()> on_delete) {
  PJRT_Buffer_MemoryLayout layout{};
  TENON_PJRT_ARGS(args, PJRT_Client_CreateViewOfDeviceBuffer);
  args.client = client_;
  args.device_buffer_ptr = data;
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
  args.element_type = c_api_client::ToC(shape.type);
  if (shape.minor_to_major) {
    layout = TiledLayout(*shape.minor_to_major);
    args.layout = &layout;
  }
  args.device = DeviceOf(memory, addressable_devices_);
  args.memory = ToC(memory);
  args.stream = stream;
  std::unique_ptr<std::function<void()>> callback;
  if (on_delete) {
    callback = std::make_unique<std::function<void()>>(std::move(on_delete));
    args.on_delete_callback = [](void*, void* user_arg) {
      std::unique_ptr<std::function<void()>> owned(
          static_cast<std::function<void()>*>(user_arg));
      (*owned)();
    };
    args.on_delete_callback_arg = callback.get();
  }
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Client_CreateViewOfDeviceBuffer, args));
  callback.release();  // it deletes itself when the buffer is gone
  return CApiBuffer::Make(table_, handles_, args.buffer);
}

StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
CApiClient::CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                              MemorySpace* memory) {
  std::vector<PJRT_ShapeSpec> specs(shapes.size());
  std::vector<PJRT_Buffer_MemoryLayout> layouts(shapes.size());
  std::vector<PJRT_Buffer_MemoryLayout*> layout_pointers(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    specs[i].struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
    specs[i].dims = shapes[i].dims.data();
    specs[i].num_dims = shapes[i].dims.size();
    specs[i].element_type = c_api_client::ToC(shapes[i].type);
    if (!shapes[i].minor_to_major) continue;
    layouts[i] = TiledLayout(*shapes[i].minor_to_major);
    layout_pointers[i] = &layouts[i];
  }
  TENON_PJRT_ARGS(args, PJRT_Client_CreateBuffersForAsyncHostToDevice);
  args.client = client_;
  args.shape_specs = specs.data();
  args.num_shape_specs = specs.size();
  if (std::any_of(layout_pointers.begin(), layout_pointers.end(),
                  [](auto* layout) { return layout != nullptr; })) {
    args.device_layouts = layout_pointers.data();
    args.num_device_layouts = layout_pointers.size();
  }
  args.memory = ToC(memory);
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Client_CreateBuffersForAsyncHostToDevice, args));
  return MakeTransferManager(table_, handles_, args.transfer_manager);
}

Status CApiClient::DmaMap(void* data, size_t size) {
  TENON_PJRT_ARGS(args, PJRT_Client_DmaMap);
  args.client = client_;
  args.data = data;
  args.size = size;
  return TENON_PJRT_CALL(table_, PJRT_Client_DmaMap, args);
}

Status CApiClient::DmaUnmap(void* data) {
  TENON_PJRT_ARGS(args, PJRT_Client_DmaUnmap);
  args.client = client_;
  args.data = data;
  return TENON_PJRT_CALL(table_, PJRT_Client_DmaUnmap, args);
}

void CApiClient::UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) {
  std::vector<PJRT_ProcessInfo> infos(processes.size());
  for (size_t i = 0; i < processes.size(); ++i) {
    infos[i].struct_size = PJRT_ProcessInfo_STRUCT_SIZE;
    infos[i].task_id = processes[i].task_id;
    infos[i].incarnation_id = processes[i].incarnation_id;
    infos[i].state = static_cast<PJRT_ProcessState>(processes[i].state);
    infos[i].error_code = static_cast<int>(processes[i].error.code());
    infos[i].error_message = processes[i].error.message().data();
    infos[i].error_message_size = processes[i].error.message().size();
  }
  TENON_PJRT_ARGS(args, PJRT_Client_UpdateGlobalProcessInfo);
  args.client = client_;
  args.process_infos = infos.data();
  args.num_process_infos = infos.size();
  (void)TENON_PJRT_CALL(table_, PJRT_Client_UpdateGlobalProcessInfo, args);
}

}  // namespace

StatusOr<std::unique_ptr<Client>> MakeClient(const CallTable& table,
                                             const ClientOptions& options) {
  auto client = std::make_unique<CApiClient>(table, options.key_value_store);
  TENON_RETURN_IF_ERROR(client->Create(options.values));
  return std::unique_ptr<Client>(std::move(client));
}

}  // namespace tenon::pjrt::c_api_client
