#include "tenon/pjrt/client/local_client.h"

#include <string>
#include <utility>

#include "tenon/executable/image.h"
#include "tenon/pjrt/client/job.h"
#include "tenon/pjrt/client/local_loaded_executable.h"
#include "tenon/pjrt/client/local_transfer_manager.h"

namespace tenon::pjrt {
namespace {

device::MemorySpace& SpaceOf(MemorySpace* memory) {
  return static_cast<LocalMemory*>(memory)->space();
}

}  // namespace
StatusOr<std::unique_ptr<Client>> CreateLocalClient(const LocalPlatform& platform,
                                                    const ClientOptions& options) {
  TENON_ASSIGN_OR_RETURN(CreateOptions parsed,
                         ReadCreateOptions(platform, options.values));
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Client> client,
                         LocalClient::Create(platform, parsed, options.key_value_store));
  return client;
}

StatusOr<std::unique_ptr<LocalClient>> LocalClient::Create(
    const LocalPlatform& platform, const CreateOptions& options,
    std::shared_ptr<KeyValueStore> store) {
  TENON_ASSIGN_OR_RETURN(auto system, platform.device.Start(options));
  JobDescription job;
  if (options.num_nodes > 1) {
    if (!store) {
      return InvalidArgument("create option 'num_nodes' is " +
                             std::to_string(options.num_nodes) +
                             ", but the framework gave no key-value store");
    }
    TENON_ASSIGN_OR_RETURN(NodeDescription own, DescribeNode(platform, options));
    TENON_ASSIGN_OR_RETURN(job, ExchangeTopologies(*store, std::move(own),
                                                   options.node_id, options.num_nodes));
  }
  return std::unique_ptr<LocalClient>(
      new LocalClient(std::make_unique<LocalTopology>(platform, options, std::move(job)),
                      std::move(system), std::move(store)));
}

LocalClient::LocalClient(std::unique_ptr<LocalTopology> topology,
                         std::unique_ptr<device::System> system,
                         std::shared_ptr<KeyValueStore> store)
    : topology_(std::move(topology)),
      system_(std::move(system)),
      store_(std::move(store)) {
  // Processes that measured different tiles would compute different bits.
  const auto& numbers = topology_->options().numbers;
  const auto tune = numbers.find(kTuneProducts);
  if (tune != numbers.end() && tune->second != 0 && topology_->job().nodes.size() == 1) {
    tuner_ = std::make_unique<TileTuner>(
        *this,
        [this](std::string_view program, compiler::TileChoices& choices)
            -> StatusOr<std::unique_ptr<LoadedExecutable>> {
          TENON_ASSIGN_OR_RETURN(
              auto executable,
              topology_->CompileImage({.format = "mlir", .code = program}, "", &choices));
          return LoadOntoDevices(std::move(executable), "");
        },
        topology_->store(), topology_->Target(), system_->devices()[0]->hardware());
  }
  if (topology_->job().nodes.size() > 1) exchanges_ = MakeExchanges(*topology_, store_);
  for (const DeviceDescription& description : topology_->devices()) {
    if (description.process_index != process_index()) {
      owned_devices_.push_back(std::make_unique<RemoteDevice>(description));
      devices_.push_back(owned_devices_.back().get());
      continue;
    }
    const size_t local = addressable_.size();
    owned_devices_.push_back(std::make_unique<LocalDevice>(
        description, *system_->devices()[local], static_cast<int>(local),
        topology_->platform_name()));
    devices_.push_back(owned_devices_.back().get());
    addressable_.push_back(devices_.back());
    for (MemorySpace* memory : devices_.back()->memories()) memories_.push_back(memory);
  }
}

StatusOr<DeviceAssignment> LocalClient::DefaultDeviceAssignment(
    int num_replicas, int num_partitions) const {
  DeviceAssignment assignment{num_replicas, num_partitions, {}};
  const int64_t count = static_cast<int64_t>(num_replicas) * num_partitions;
  const std::vector<Device*>& devices =
      count <= std::ssize(addressable_) ? addressable_ : devices_;
  for (int64_t i = 0; i < count; ++i) {
    assignment.device_ids.push_back(
        devices[static_cast<size_t>(i % std::ssize(devices))]->description().id);
  }
  return assignment;
}

StatusOr<std::unique_ptr<LoadedExecutable>> LocalClient::LoadOntoDevices(
    std::shared_ptr<LocalExecutable> executable, std::string_view options) {
  TENON_ASSIGN_OR_RETURN(
      PlacementOptions placement,
      ReadPlacementOptions(options.empty() ? executable->compile_options() : options));
  const int num_replicas = static_cast<int>(executable->num_replicas());
  const int num_partitions = static_cast<int>(executable->num_partitions());
  const std::string name = executable->name().empty()
                               ? "the program"
                               : "'" + std::string(executable->name()) + "'";

  DeviceAssignment assignment;
  if (!placement.portable) {
    if (placement.device_assignment) {
      assignment = *std::move(placement.device_assignment);
    } else {
      if (int64_t{num_replicas} * num_partitions > std::ssize(devices_)) {
        return InvalidArgument(name + " needs " + std::to_string(num_replicas) + " x " +
                               std::to_string(num_partitions) +
                               " (replicas x partitions) devices, but there are " +
                               std::to_string(devices_.size()));
      }
      TENON_ASSIGN_OR_RETURN(assignment,
                             DefaultDeviceAssignment(num_replicas, num_partitions));
      if (assignment.device_ids.size() == 1 && placement.device_ordinal >= 0) {
        assignment.device_ids[0] = static_cast<int>(placement.device_ordinal +
                                                    addressable_[0]->description().id);
      }
    }
    if (assignment.num_replicas != num_replicas ||
        assignment.num_partitions != num_partitions) {
      return InvalidArgument(name + " is for " + std::to_string(num_replicas) + " x " +
                             std::to_string(num_partitions) +
                             " (replicas x partitions) devices, but its device "
                             "assignment has " +
                             std::to_string(assignment.num_replicas) + " x " +
                             std::to_string(assignment.num_partitions));
    }
    std::vector<bool> used(devices_.size());
    for (int id : assignment.device_ids) {
      if (id < 0 || id >= std::ssize(devices_) || used[static_cast<size_t>(id)]) {
        return InvalidArgument(name + " is assigned to device " + std::to_string(id) +
                               ", which does not exist or is assigned twice");
      }
      used[static_cast<size_t>(id)] = true;
    }
  }
  TENON_ASSIGN_OR_RETURN(auto remote, FindRemoteCopies(*executable, assignment));
  TENON_ASSIGN_OR_RETURN(
      auto program,
      system_->Load(executable->image(), {.platform = std::string(platform_name()),
                                          .perf_map = topology_->options().perf_map,
                                          .store = topology_->store()}));
  auto target = std::make_shared<const LaunchTarget>(
      LaunchTarget{std::move(executable), std::move(program), context_, next_run_id_,
                   std::move(remote)});
  return std::make_unique<LocalLoadedExecutable>(std::move(target), std::move(assignment),
                                                 devices_);
}

StatusOr<std::unique_ptr<LoadedExecutable>> LocalClient::Compile(
    const Program& program, std::string_view options) {
  // Report bad options before the compilation.
  TENON_RETURN_IF_ERROR(ReadPlacementOptions(options).status());
  const auto compile =
      [&](compiler::TileChoices* tiles) -> StatusOr<std::unique_ptr<LoadedExecutable>> {
    TENON_ASSIGN_OR_RETURN(auto executable,
                           topology_->CompileImage(program, options, tiles));
    return LoadOntoDevices(std::move(executable), options);
  };
  if (!tuner_) return compile(nullptr);
  return tuner_->CompileTuned(
      [&](compiler::TileChoices& tiles) { return compile(&tiles); });
}

StatusOr<std::unique_ptr<LoadedExecutable>> LocalClient::Load(
    std::shared_ptr<Executable> executable, std::string_view options) {
  auto local = std::dynamic_pointer_cast<LocalExecutable>(std::move(executable));
  if (!local)
    return InvalidArgument(
        "cannot load the executable: it was not compiled by this platform");
  return LoadOntoDevices(std::move(local), options);
}

StatusOr<std::unique_ptr<LoadedExecutable>> LocalClient::DeserializeAndLoad(
    std::string_view bytes, std::string_view options, const LoadOptions&) {
  TENON_ASSIGN_OR_RETURN(Image image, Image::Deserialize(bytes));
  return LoadOntoDevices(
      std::make_shared<LocalExecutable>(std::make_shared<const Image>(std::move(image))),
      options);
}

std::unique_ptr<Buffer> LocalClient::MakeBuffer(const TensorShape& shape,
                                                MemorySpace* memory, StorageRef storage,
                                                Event ready) {
  return std::make_unique<LocalBuffer>(shape, static_cast<LocalMemory*>(memory),
                                       std::move(storage), std::move(ready), context_);
}

StatusOr<std::unique_ptr<Buffer>> LocalClient::CreateUninitializedBuffer(
    const ArrayShape& shape, MemorySpace* memory) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
  TensorShape tensor(shape.type, shape.dims, shape.minor_to_major);
  TENON_ASSIGN_OR_RETURN(StorageRef storage,
                         Storage::Owned(SpaceOf(memory), tensor.byte_size()));
  return MakeBuffer(tensor, memory, std::move(storage), Event::Ready());
}

StatusOr<std::unique_ptr<Buffer>> LocalClient::CreateErrorBuffer(Status error,
                                                                 const ArrayShape& shape,
                                                                 MemorySpace* memory) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
  if (error.ok()) return InvalidArgument("an error buffer needs an error");
  return MakeBuffer(TensorShape(shape.type, shape.dims, shape.minor_to_major), memory,
                    Storage::View(SpaceOf(memory), nullptr, 0, nullptr),
                    Event::Failed(std::move(error)));
}

StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
LocalClient::CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                               MemorySpace* memory) {
  TENON_ASSIGN_OR_RETURN(
      auto manager,
      LocalTransferManager::Create(shapes, static_cast<LocalMemory*>(memory), context_));
  return std::unique_ptr<AsyncHostToDeviceTransferManager>(std::move(manager));
}

}  // namespace tenon::pjrt
