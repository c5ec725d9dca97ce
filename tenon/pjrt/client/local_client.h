// A client over the devices of a platform. In a job of several processes it lists the
// devices of all of them, and runs programs on its own. Thread-safe.
#ifndef TENON_PJRT_CLIENT_LOCAL_CLIENT_H_
#define TENON_PJRT_CLIENT_LOCAL_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tenon/pjrt/client/compile_options.h"
#include "tenon/pjrt/client/local_device.h"
#include "tenon/pjrt/client/local_executable.h"
#include "tenon/pjrt/client/local_platform.h"
#include "tenon/pjrt/client/local_topology.h"
#include "tenon/pjrt/client/storage.h"
#include "tenon/pjrt/client/tensor_shape.h"
#include "tenon/pjrt/client/tile_tuner.h"
#include "tenon/pjrt/client/transfer.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/runtime/exchanges.h"
#include "tenon/runtime/in_flight.h"

namespace tenon::pjrt {

struct RemoteCopies;

class LocalClient final : public Client {
 public:
  // `options` have been checked (ReadCreateOptions).
  // `store` may be null if there is one process. Otherwise this waits for the others.
  static StatusOr<std::unique_ptr<LocalClient>> Create(
      const LocalPlatform& platform, const CreateOptions& options,
      std::shared_ptr<KeyValueStore> store);

  std::string_view platform_name() const override { return topology_->platform_name(); }
  std::string_view platform_version() const override {
    return topology_->platform_version();
  }
  int process_index() const override {
    return static_cast<int>(topology_->job().node_id);
  }
  Topology& topology() const override { return *topology_; }
  std::span<Device* const> devices() const override { return devices_; }
  std::span<Device* const> addressable_devices() const override { return addressable_; }
  std::span<MemorySpace* const> addressable_memories() const override {
    return memories_;
  }
  // Addressable devices if they are enough, otherwise devices of the job, in order of
  // their ids. Starts again with the first if there are too few.
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
  StatusOr<AliasBuffer> CreateAliasBuffer(const ArrayShape& shape,
                                          MemorySpace* memory) override;
  // INVALID_ARGUMENT for memory that is not 64-byte aligned. If bytes of its elements are
  // not canonical, it copies the memory and calls `on_delete` at once.
  StatusOr<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(
      void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
      std::function<void()> on_delete) override;
  StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                    MemorySpace* memory) override;

  // Nothing to do: devices access all host memory, directly or through staging blocks.
  Status DmaMap(void*, size_t) override { return OkStatus(); }
  Status DmaUnmap(void*) override { return OkStatus(); }
  void UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) override;

 private:
  LocalClient(std::unique_ptr<LocalTopology> topology,
              std::unique_ptr<device::System> system,
              std::shared_ptr<KeyValueStore> store);
  // Null if all devices of the assignment are in this process or in one other, or if the
  // program has no collectives. FAILED_PRECONDITION if processes cannot communicate.
  StatusOr<std::shared_ptr<const RemoteCopies>> FindRemoteCopies(
      const LocalExecutable& executable, const DeviceAssignment& assignment) const;
  // Loads the executable onto its devices. If `options` is empty, the options of the
  // compilation apply.
  StatusOr<std::unique_ptr<LoadedExecutable>> LoadOntoDevices(
      std::shared_ptr<LocalExecutable> executable, std::string_view options);
  std::unique_ptr<Buffer> MakeBuffer(const TensorShape& shape, MemorySpace* memory,
                                     StorageRef storage, Event ready);

  std::unique_ptr<LocalTopology> topology_;
  std::unique_ptr<device::System> system_;
  std::vector<std::unique_ptr<Device>> owned_devices_;
  std::vector<Device*> devices_;      // by id
  std::vector<Device*> addressable_;  // by local hardware id
  std::vector<MemorySpace*> memories_;
  const std::shared_ptr<KeyValueStore> store_;
  std::unique_ptr<runtime::Exchanges> exchanges_;  // null in a job of one process
  std::unique_ptr<TileTuner> tuner_;               // null unless products are tuned
  std::atomic<int64_t> next_run_id_{1};
  ClientContext context_{*system_, in_flight_};
  // Last, so that its destructor waits before other members are destroyed.
  runtime::InFlight in_flight_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_CLIENT_H_
