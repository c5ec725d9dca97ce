#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api_client/buffer.h"
#include "tenon/pjrt/c_api_client/executable.h"

namespace tenon::pjrt::c_api_client {
namespace {

class CApiLoadedExecutable final : public LoadedExecutable {
 public:
  CApiLoadedExecutable(const CallTable& table, const Handles& handles,
                       PJRT_LoadedExecutable* executable)
      : table_(table), handles_(handles), loaded_(executable) {}
  CApiLoadedExecutable(const CApiLoadedExecutable&) = delete;
  ~CApiLoadedExecutable() override {
    TENON_PJRT_ARGS(args, PJRT_LoadedExecutable_Destroy);
    args.executable = loaded_;
    (void)TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_Destroy, args);
  }
  Status Read();

  const std::shared_ptr<Executable>& executable() const override { return executable_; }
  std::span<Device* const> addressable_devices() const override { return devices_; }
  std::span<const LogicalDeviceId> addressable_logical_ids() const override {
    return logical_ids_;
  }
  const DeviceAssignment& device_assignment() const override { return assignment_; }
  void Delete() override {
    TENON_PJRT_ARGS(args, PJRT_LoadedExecutable_Delete);
    args.executable = loaded_;
    (void)TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_Delete, args);
  }
  bool IsDeleted() const override {
    TENON_PJRT_ARGS(args, PJRT_LoadedExecutable_IsDeleted);
    args.executable = loaded_;
    return !TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_IsDeleted, args).ok() ||
           args.is_deleted;
  }
  Status Execute(std::span<const std::span<Buffer* const>> arguments,
                 std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                 std::span<Event> done, const ExecuteOptions& options) override;

 private:
  Status ReadAssignment();

  const CallTable table_;
  const Handles& handles_;
  PJRT_LoadedExecutable* const loaded_;
  std::shared_ptr<Executable> executable_;
  std::vector<Device*> devices_;
  std::vector<LogicalDeviceId> logical_ids_;
  DeviceAssignment assignment_;
};

Status CApiLoadedExecutable::Read() {
  TENON_PJRT_ARGS(inner, PJRT_LoadedExecutable_GetExecutable);
  inner.loaded_executable = loaded_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_GetExecutable, inner));
  TENON_ASSIGN_OR_RETURN(executable_, MakeExecutable(table_, inner.executable));
  TENON_PJRT_ARGS(devices, PJRT_LoadedExecutable_AddressableDevices);
  devices.executable = loaded_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_AddressableDevices, devices));
  TENON_ASSIGN_OR_RETURN(devices_, handles_.Devices(devices.addressable_devices,
                                                    devices.num_addressable_devices));
  return ReadAssignment();
}

Status CApiLoadedExecutable::ReadAssignment() {
  TENON_PJRT_ARGS(args, PJRT_LoadedExecutable_GetDeviceAssignment);
  args.executable = loaded_;
  Status status =
      TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_GetDeviceAssignment, args);
  if (status.ok()) {
    auto parsed =
        ParseDeviceAssignment(View(args.serialized_bytes, args.serialized_bytes_size));
    if (args.serialized_device_assignment_deleter) {
      args.serialized_device_assignment_deleter(args.serialized_device_assignment);
    }
    TENON_ASSIGN_OR_RETURN(assignment_, std::move(parsed));
  } else if (status.code() != StatusCode::kUnimplemented) {
    return status;
  }
  TENON_PJRT_ARGS(ids, PJRT_LoadedExecutable_AddressableDeviceLogicalIds);
  ids.executable = loaded_;
  status =
      TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  if (status.ok()) {
    for (size_t i = 0; i < ids.num_addressable_device_logical_ids; ++i) {
      const PJRT_LogicalDeviceIds& id = ids.addressable_device_logical_ids[i];
      logical_ids_.push_back({id.replica, id.partition});
    }
    return OkStatus();
  }
  if (status.code() != StatusCode::kUnimplemented) return status;
  // An old plugin does not list its devices. Use the assignment, if it is known.
  for (Device* device : devices_) {
    for (size_t i = 0; i < assignment_.device_ids.size(); ++i) {
      if (assignment_.device_ids[i] != device->description().id) continue;
      int logical_id = static_cast<int>(i);
      logical_ids_.push_back({logical_id / assignment_.num_partitions,
                              logical_id % assignment_.num_partitions});
    }
  }
  return OkStatus();
}

Status CApiLoadedExecutable::Execute(
    std::span<const std::span<Buffer* const>> arguments,
    std::span<const std::span<std::unique_ptr<Buffer>>> outputs, std::span<Event> done,
    const ExecuteOptions& given) {
  if (given.context) {
    return Unimplemented("user data of handlers through PJRT_ExecuteContext");
  }
  const size_t num_devices = arguments.size();
  std::vector<std::vector<PJRT_Buffer*>> argument_lists(num_devices);
  std::vector<std::vector<PJRT_Buffer*>> output_lists(num_devices);
  std::vector<PJRT_Buffer* const*> argument_pointers(num_devices);
  std::vector<PJRT_Buffer**> output_pointers(num_devices);
  for (size_t d = 0; d < num_devices; ++d) {
    for (Buffer* argument : arguments[d]) {
      argument_lists[d].push_back(static_cast<CApiBuffer*>(argument)->c_buffer());
    }
    output_lists[d].resize(outputs[d].size());
    argument_pointers[d] = argument_lists[d].data();
    output_pointers[d] = output_lists[d].data();
  }
  std::vector<PJRT_Event*> events(done.size());
  std::string location(given.call_location);

  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.launch_id = given.launch_id;
  options.non_donatable_input_indices = given.non_donatable_input_indices.data();
  options.num_non_donatable_input_indices = given.non_donatable_input_indices.size();
  options.call_location = location.empty() ? nullptr : location.c_str();
  options.num_tasks = given.task_ids.size();
  options.task_ids = const_cast<int*>(given.task_ids.data());
  options.incarnation_ids = const_cast<int64_t*>(given.incarnation_ids.data());

  TENON_PJRT_ARGS(args, PJRT_LoadedExecutable_Execute);
  args.executable = loaded_;
  args.options = &options;
  args.argument_lists = argument_pointers.data();
  args.num_devices = num_devices;
  args.num_args = num_devices ? arguments[0].size() : 0;
  args.output_lists = output_pointers.data();
  args.device_complete_events = done.empty() ? nullptr : events.data();
  if (given.device) {
    args.execute_device = static_cast<CApiDevice*>(given.device)->c_device();
  }
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_LoadedExecutable_Execute, args));

  for (size_t d = 0; d < done.size(); ++d) done[d] = table_.TakeEvent(events[d]);
  Status result = OkStatus();
  for (size_t d = 0; d < num_devices; ++d) {
    for (size_t i = 0; i < outputs[d].size(); ++i) {
      // Take ownership of every output, so that none leaks if another one fails.
      auto buffer = CApiBuffer::Make(table_, handles_, output_lists[d][i]);
      if (buffer.ok()) {
        outputs[d][i] = *std::move(buffer);
      } else if (result.ok()) {
        result = std::move(buffer).status();
      }
    }
  }
  return result;
}

}  // namespace

StatusOr<std::unique_ptr<LoadedExecutable>> MakeLoadedExecutable(
    const CallTable& table, const Handles& handles, PJRT_LoadedExecutable* executable) {
  if (executable == nullptr) {
    return Internal("the plugin returned no executable and no error");
  }
  auto result = std::make_unique<CApiLoadedExecutable>(table, handles, executable);
  TENON_RETURN_IF_ERROR(result->Read());
  return std::unique_ptr<LoadedExecutable>(std::move(result));
}

StatusOr<DeviceAssignment> ParseDeviceAssignment(std::string_view bytes) {
  enum Field { kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3 };
  DeviceAssignment assignment;
  std::vector<std::vector<int>> partitions;
  try {
    protozero::pbf_reader message(protozero::data_view(bytes.data(), bytes.size()));
    while (message.next()) {
      switch (message.tag()) {
        case kReplicaCount:
          assignment.num_replicas = message.get_int32();
          break;
        case kComputationCount:
          assignment.num_partitions = message.get_int32();
          break;
        case kComputationDevices: {
          std::vector<int>& ids = partitions.emplace_back();
          protozero::pbf_reader devices = message.get_message();
          while (devices.next(1)) {
            if (devices.wire_type() == protozero::pbf_wire_type::length_delimited) {
              for (int64_t id : devices.get_packed_int64())
                ids.push_back(static_cast<int>(id));
            } else {
              ids.push_back(static_cast<int>(devices.get_int64()));
            }
          }
          break;
        }
        default:
          message.skip();
      }
    }
  } catch (const std::exception& error) {
    return InvalidArgument(std::string("the device assignment is malformed: ") +
                           error.what());
  }
  for (int replica = 0; replica < assignment.num_replicas; ++replica) {
    for (const std::vector<int>& ids : partitions) {
      if (ids.size() != static_cast<size_t>(assignment.num_replicas)) {
        return InvalidArgument("the device assignment has " + std::to_string(ids.size()) +
                               " devices for " + std::to_string(assignment.num_replicas) +
                               " replicas");
      }
      assignment.device_ids.push_back(ids[static_cast<size_t>(replica)]);
    }
  }
  if (partitions.size() != static_cast<size_t>(assignment.num_partitions)) {
    return InvalidArgument("the device assignment has " +
                           std::to_string(partitions.size()) + " of " +
                           std::to_string(assignment.num_partitions) + " partitions");
  }
  return assignment;
}

}  // namespace tenon::pjrt::c_api_client
