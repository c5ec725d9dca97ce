#include "tenon/pjrt/client/local_loaded_executable.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tenon::pjrt {
namespace {

void* LookupUserData(const void* context, int64_t type_id) {
  return context ? static_cast<const ExecuteContext*>(context)->Lookup(type_id) : nullptr;
}

}  // namespace

LocalLoadedExecutable::LocalLoadedExecutable(std::shared_ptr<const LaunchTarget> target,
                                             DeviceAssignment assignment,
                                             std::span<Device* const> devices)
    : target_(std::move(target)),
      executable_(target_->executable),
      assignment_(std::move(assignment)) {
  for (int i = 0; i < static_cast<int>(assignment_.device_ids.size()); ++i) {
    Device* device =
        devices[static_cast<size_t>(assignment_.device_ids[static_cast<size_t>(i)])];
    if (!device->is_addressable()) continue;
    devices_.push_back(device);
    logical_ids_.push_back({.replica = i / assignment_.num_partitions,
                            .partition = i % assignment_.num_partitions});
  }
}

StatusOr<LocalDevice*> LocalLoadedExecutable::DeviceOf(size_t index,
                                                       const ExecuteOptions& options,
                                                       LogicalDeviceId* id) const {
  if (!options.device) {
    if (is_portable()) {
      return InvalidArgument("'" + std::string(executable_->name()) +
                             "' is portable, so each execution must name a device");
    }
    *id = logical_ids_[index];
    return static_cast<LocalDevice*>(devices_[index]);
  }
  if (!options.device->is_addressable()) {
    return InvalidArgument(options.device->description().to_string +
                           " belongs to another process, which must execute '" +
                           std::string(executable_->name()) + "' on it");
  }
  if (is_portable()) return static_cast<LocalDevice*>(options.device);
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i] != options.device) continue;
    *id = logical_ids_[i];
    return static_cast<LocalDevice*>(devices_[i]);
  }
  return InvalidArgument("'" + std::string(executable_->name()) +
                         "' was not compiled for device " +
                         options.device->description().to_string);
}

Status LocalLoadedExecutable::Execute(
    std::span<const std::span<Buffer* const>> arguments,
    std::span<const std::span<std::unique_ptr<Buffer>>> outputs, std::span<Event> done,
    const ExecuteOptions& options) {
  if (IsDeleted()) {
    return InvalidArgument("'" + std::string(executable_->name()) +
                           "' has been deleted and cannot be executed");
  }
  if (arguments.empty()) return OkStatus();  // all devices are in other processes
  RunIds ids;
  ids.run_id = target_->next_run_id.fetch_add(1, std::memory_order_relaxed);
  ids.user_data = LookupUserData;
  ids.user_data_context = options.context.get();
  const auto device_of = [&](size_t d) -> StatusOr<LocalDevice*> {
    LogicalDeviceId id;
    TENON_ASSIGN_OR_RETURN(LocalDevice * device, DeviceOf(d, options, &id));
    ids.device_id = device->local_hardware_id();
    ids.replica_id = id.replica;
    ids.partition_id = id.partition;
    return device;
  };
  // A program that communicates needs all of its devices, even if it has only one.
  const bool communicates = !target_->executable->info().collectives.empty();
  if (communicates && arguments.size() != devices_.size()) {
    return InvalidArgument("the devices of '" + std::string(executable_->name()) +
                           "' exchange data, so it must be executed on all " +
                           std::to_string(devices_.size()) + " at once, not on " +
                           std::to_string(arguments.size()));
  }
  if (arguments.size() == 1 && !communicates) {
    TENON_ASSIGN_OR_RETURN(LocalDevice * device, device_of(0));
    return ExecuteOne(device, ids, arguments[0], outputs[0],
                      done.empty() ? nullptr : &done[0], options);
  }

  // Start on all devices or on none.
  std::vector<Launch::Ptr> launches;
  Status status;
  bool all_ready = true;
  for (size_t d = 0; d < arguments.size() && status.ok(); ++d) {
    StatusOr<LocalDevice*> device = device_of(d);
    if (!device.ok()) {
      status = device.status();
      break;
    }
    launches.push_back(Launch::Create(*target_, *device));
    Launch& launch = *launches.back();
    status = launch.Acquire(arguments[d], options.non_donatable_input_indices, ids);
    all_ready &= launch.arguments_ready();
  }
  if (status.ok()) status = Launch::AllocateResults(launches);
  // Counted even if it fails here, so that the processes agree on the number.
  device::SharedRun run = target_->remote ? BeginSharedRun() : device::SharedRun();
  if (!status.ok()) {
    device::EndSharedRun(run, status);
    for (Launch::Ptr& launch : launches) launch->Rollback();
    return status;
  }
  if (communicates && !run.processes && all_ready && target_->program->RunsGangInline()) {
    return RunGang(launches, outputs, done);
  }
  std::vector<Event> ready;
  if (communicates) {
    ready = StartGang(std::move(launches), std::move(run), outputs, done, options);
  } else {
    for (size_t d = 0; d < launches.size(); ++d) {
      ready.push_back(Start(std::move(launches[d]), outputs[d],
                            done.empty() ? nullptr : &done[d], options));
    }
  }
  if (target_->program->synchronous()) {
    for (const Event& event : ready) {
      if (Status failed = event.Await(); status.ok()) status = std::move(failed);
    }
    if (!status.ok()) {
      for (std::span<std::unique_ptr<Buffer>> list : outputs) {
        for (std::unique_ptr<Buffer>& output : list) output.reset();
      }
      std::ranges::fill(done, Event());
    }
  }
  return status;
}

// The hot path. For a short program it takes no lock and does not change threads.
Status LocalLoadedExecutable::ExecuteOne(LocalDevice* device, const RunIds& ids,
                                         std::span<Buffer* const> arguments,
                                         std::span<std::unique_ptr<Buffer>> outputs,
                                         Event* done, const ExecuteOptions& options) {
  Launch::Ptr launch = Launch::Create(*target_, device);
  Status status = launch->Acquire(arguments, options.non_donatable_input_indices, ids);
  const bool synchronous = target_->program->synchronous();
  const bool run_inline = launch->arguments_ready() && target_->program->RunsInline();
  if (status.ok()) status = launch->AllocateResults(run_inline);
  if (!status.ok()) {
    launch->Rollback();
    return status;
  }
  if (!run_inline) {
    const Event ready = Start(std::move(launch), outputs, done, options);
    if (!synchronous) return OkStatus();
    status = ready.Await();
    if (!status.ok()) {
      for (std::unique_ptr<Buffer>& output : outputs) output.reset();
      if (done) *done = Event();
    }
    return status;
  }
  Event ready = launch->RunInline();
  if (synchronous && !ready.status().ok()) return ready.status();
  launch->MakeOutputs(outputs, ready);
  if (done) *done = std::move(ready);
  return OkStatus();
}

Status LocalLoadedExecutable::RunGang(
    std::vector<Launch::Ptr>& launches,
    std::span<const std::span<std::unique_ptr<Buffer>>> outputs, std::span<Event> done) {
  std::vector<device::LaunchBuffers> buffers(launches.size());
  std::vector<RunIds> ids;
  Status status;
  for (size_t d = 0; d < launches.size(); ++d) {
    if (status.ok()) status = launches[d]->Prepare(&buffers[d]);
    ids.push_back(launches[d]->ids());
  }
  if (status.ok()) {
    status = target_->context.system.RunGang(target_->program, buffers, ids);
  }
  if (!status.ok() && target_->program->synchronous()) return status;
  const Event ready = status.ok() ? Event::Ready() : Event::Failed(std::move(status));
  for (size_t d = 0; d < launches.size(); ++d) {
    launches[d]->MakeOutputs(outputs[d], ready);
    if (!done.empty()) done[d] = ready;
  }
  return OkStatus();
}

std::vector<Event> LocalLoadedExecutable::StartGang(
    std::vector<Launch::Ptr> owned, device::SharedRun run,
    std::span<const std::span<std::unique_ptr<Buffer>>> outputs, std::span<Event> done,
    const ExecuteOptions& options) {
  std::vector<Event> ready;
  std::vector<device::Launch*> launches;
  for (size_t d = 0; d < owned.size(); ++d) {
    ready.push_back(Event::Pending(nullptr));
    owned[d]->MakeOutputs(outputs[d], ready[d]);
    if (!done.empty()) done[d] = ready[d];
    launches.push_back(
        Launch::Begin(std::move(owned[d]), target_, options.context, ready[d]));
  }
  target_->context.system.SubmitGang(std::move(launches), std::move(run));
  return ready;
}

device::SharedRun LocalLoadedExecutable::BeginSharedRun() const {
  const RemoteCopies& remote = *target_->remote;
  return {.processes = &remote.exchanges,
          .key = remote.exchanges.BeginRun(remote.program),
          .process = remote.process,
          .process_of = remote.process_of};
}

Event LocalLoadedExecutable::Start(Launch::Ptr launch,
                                   std::span<std::unique_ptr<Buffer>> outputs,
                                   Event* done, const ExecuteOptions& options) {
  std::shared_ptr<Event::Work> work = launch->MakeWork();
  Event ready = Event::Pending(work);
  launch->MakeOutputs(outputs, ready);
  if (done) *done = ready;
  Launch::Submit(std::move(launch), target_, options.context, ready, std::move(work));
  return ready;
}

}  // namespace tenon::pjrt
