// PJRT_LoadedExecutable_*.
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/inline_array.h"
#include "tenon/pjrt/c_api/proto.h"
#include "tenon/pjrt/interface/executable.h"

PJRT_LoadedExecutable::PJRT_LoadedExecutable(
    std::unique_ptr<tenon::pjrt::LoadedExecutable> loaded, PJRT_Client* owner)
    : client(owner),
      executable(std::move(loaded)),
      is_portable(executable->device_assignment().device_ids.empty()),
      num_parameters(executable->executable()->parameters().size()),
      num_outputs(executable->executable()->outputs().size()) {
  for (const auto* device : executable->addressable_devices()) {
    devices.push_back(tenon::pjrt::c_api::HandleOf(device));
  }
  for (const auto& id : executable->addressable_logical_ids()) {
    logical_ids.push_back({.replica = id.replica, .partition = id.partition});
  }
  client->Ref();
}

PJRT_LoadedExecutable::~PJRT_LoadedExecutable() {
  executable.reset();
  client->Unref();
}

namespace tenon::pjrt::c_api {
namespace {

// Reads the options of a client of any supported version.
StatusOr<ExecuteOptions> ReadOptions(const PJRT_ExecuteOptions* options) {
  ExecuteOptions read;
  if (options == nullptr) return read;
  if (TENON_PJRT_GET(options, num_send_ops) > 0 ||
      TENON_PJRT_GET(options, num_recv_ops) > 0) {
    return Unimplemented("host send and receive callbacks are not supported");
  }
  if (TENON_PJRT_GET(options, num_hlo_output_callbacks) > 0) {
    return Unimplemented("output callbacks are not supported");
  }
  read.launch_id = TENON_PJRT_GET(options, launch_id);
  if (TENON_PJRT_COVERS(options, num_non_donatable_input_indices) &&
      options->non_donatable_input_indices) {
    read.non_donatable_input_indices = std::span(
        options->non_donatable_input_indices, options->num_non_donatable_input_indices);
  }
  if (auto* context = TENON_PJRT_GET(options, context)) read.context = context->context;
  if (const char* location = TENON_PJRT_GET(options, call_location)) {
    read.call_location = location;
  }
  if (TENON_PJRT_COVERS(options, incarnation_ids) && options->num_tasks > 0 &&
      options->task_ids && options->incarnation_ids) {
    read.task_ids = std::span(options->task_ids, options->num_tasks);
    read.incarnation_ids = std::span(options->incarnation_ids, options->num_tasks);
  }
  return read;
}

}  // namespace

Status LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  delete args->executable;
  return OkStatus();
}

Status LoadedExecutableGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  TENON_PJRT_REQUIRE(args, loaded_executable);
  args->executable =
      new PJRT_Executable(args->loaded_executable->executable->executable());
  return OkStatus();
}

Status LoadedExecutableGetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->serialized_device_assignment = HoldString<PJRT_DeviceAssignmentSerialized>(
      SerializeDeviceAssignment(args->executable->executable->device_assignment()),
      &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_device_assignment_deleter =
      FreeHeldString<PJRT_DeviceAssignmentSerialized>;
  return OkStatus();
}

Status LoadedExecutableAddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->addressable_devices = args->executable->devices.data();
  args->num_addressable_devices = args->executable->devices.size();
  return OkStatus();
}

Status LoadedExecutableAddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->addressable_device_logical_ids = args->executable->logical_ids.data();
  args->num_addressable_device_logical_ids = args->executable->logical_ids.size();
  return OkStatus();
}

Status LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->executable->executable->Delete();
  return OkStatus();
}

Status LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->is_deleted = args->executable->executable->IsDeleted();
  return OkStatus();
}

Status LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  std::lock_guard lock(args->executable->mutex);
  auto& fingerprint = args->executable->fingerprint;
  if (!fingerprint) {
    TENON_ASSIGN_OR_RETURN(fingerprint,
                           args->executable->executable->executable()->Fingerprint());
  }
  args->executable_fingerprint = fingerprint->data();
  args->executable_fingerprint_size = fingerprint->size();
  return OkStatus();
}

// The hot path. Takes no lock, and does not allocate for programs of a few dozen buffers.
Status LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  PJRT_LoadedExecutable& loaded = *args->executable;
  const size_t num_devices = args->num_devices;
  const size_t num_args = args->num_args;
  const size_t num_outputs = loaded.num_outputs;
  const size_t needed_devices =
      args->execute_device || loaded.is_portable ? 1 : loaded.devices.size();
  if (num_devices != needed_devices) {
    return InvalidArgument("Execution got lists for " + std::to_string(num_devices) +
                           " devices but compiled program expected " +
                           std::to_string(needed_devices));
  }
  // All devices are in other processes. Frameworks then pass no arguments.
  if (num_devices == 0) return OkStatus();
  if (num_args != loaded.num_parameters) {
    // Frameworks' tests match this text.
    return InvalidArgument("Execution supplied " + std::to_string(num_args) +
                           " buffers but compiled program expected " +
                           std::to_string(loaded.num_parameters) + " buffers");
  }
  if (num_args > 0) TENON_PJRT_REQUIRE(args, argument_lists);
  if (num_outputs > 0) TENON_PJRT_REQUIRE(args, output_lists);
  TENON_ASSIGN_OR_RETURN(ExecuteOptions options, ReadOptions(args->options));
  if (args->execute_device) options.device = args->execute_device->device;

  InlineArray<Buffer*, 64> arguments(num_devices * num_args);
  InlineArray<std::unique_ptr<Buffer>, 64> outputs(num_devices * num_outputs);
  InlineArray<std::span<Buffer* const>, 4> argument_lists(num_devices);
  InlineArray<std::span<std::unique_ptr<Buffer>>, 4> output_lists(num_devices);
  for (size_t d = 0; d < num_devices; ++d) {
    if ((num_args > 0 && args->argument_lists[d] == nullptr) ||
        (num_outputs > 0 && args->output_lists[d] == nullptr)) {
      return InvalidArgument("a list of device " + std::to_string(d) + " is null");
    }
    Buffer** list = arguments.data() + d * num_args;
    for (size_t i = 0; i < num_args; ++i) {
      list[i] = Unwrap(args->argument_lists[d][i]);
      if (list[i] == nullptr) [[unlikely]] {
        return InvalidArgument("argument " + std::to_string(i) + " is null");
      }
    }
    argument_lists[d] = {list, num_args};
    output_lists[d] = {outputs.data() + d * num_outputs, num_outputs};
  }
  InlineArray<Event, 4> done(args->device_complete_events ? num_devices : 0);

  TENON_RETURN_IF_ERROR(loaded.executable->Execute(
      argument_lists.span(), output_lists.span(), done.span(), options));

  for (size_t d = 0; d < num_devices; ++d) {
    for (size_t i = 0; i < num_outputs; ++i) {
      args->output_lists[d][i] = Wrap(std::move(output_lists[d][i]));
    }
  }
  for (size_t d = 0; d < done.size(); ++d) {
    args->device_complete_events[d] = Wrap(std::move(done[d]));
  }
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
