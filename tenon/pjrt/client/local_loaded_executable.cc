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
                                             std::vector<LocalDevice*> devices)
    : target_(std::move(target)),
      executable_(target_->executable),
      assignment_(std::move(assignment)),
      devices_(devices.begin(), devices.end()) {
  for (int i = 0; i < static_cast<int>(devices_.size()); ++i) {
    logical_ids_.push_back({.replica = i / assignment_.num_partitions,
                            .partition = i % assignment_.num_partitions});
  }
}

StatusOr<LocalDevice*> LocalLoadedExecutable::DeviceOf(size_t index,
                                                       const ExecuteOptions& options,
                                                       LogicalDeviceId* id) const {
  if (!options.device) {
    if (devices_.empty()) {
      return InvalidArgument("'" + std::string(executable_->name()) +
                             "' is portable, so each execution must name a device");
    }
    *id = logical_ids_[index];
    return static_cast<LocalDevice*>(devices_[index]);
  }
  if (devices_.empty()) return static_cast<LocalDevice*>(options.device);
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
  RunIds ids;
  ids.run_id = target_->next_run_id.fetch_add(1, std::memory_order_relaxed);
  ids.user_data = LookupUserData;
  ids.user_data_context = options.context.get();
  const auto device_of = [&](size_t d) -> StatusOr<LocalDevice*> {
    LogicalDeviceId id;
    TENON_ASSIGN_OR_RETURN(LocalDevice * device, DeviceOf(d, options, &id));
    ids.device_id = device->id();
    ids.replica_id = id.replica;
    ids.partition_id = id.partition;
    return device;
  };
  if (arguments.size() == 1) {
    TENON_ASSIGN_OR_RETURN(LocalDevice * device, device_of(0));
    return ExecuteOne(device, ids, arguments[0], outputs[0],
                      done.empty() ? nullptr : &done[0], options);
  }

  // Start on all devices or on none.
  std::vector<Launch::Ptr> launches;
  Status status;
  for (size_t d = 0; d < arguments.size() && status.ok(); ++d) {
    StatusOr<LocalDevice*> device = device_of(d);
    if (!device.ok()) {
      status = device.status();
      break;
    }
    launches.push_back(Launch::Create(*target_, *device));
    status =
        launches.back()->Acquire(arguments[d], options.non_donatable_input_indices, ids);
    if (status.ok()) status = launches.back()->AllocateResults(/*now=*/false);
  }
  if (!status.ok()) {
    for (Launch::Ptr& launch : launches) launch->Rollback();
    return status;
  }
  std::vector<Event> ready;
  for (size_t d = 0; d < launches.size(); ++d) {
    ready.push_back(Start(std::move(launches[d]), outputs[d],
                          done.empty() ? nullptr : &done[d], options));
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
