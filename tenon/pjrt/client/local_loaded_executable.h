// A program loaded onto devices of a local client. Thread-safe.
#ifndef TENON_PJRT_CLIENT_LOCAL_LOADED_EXECUTABLE_H_
#define TENON_PJRT_CLIENT_LOCAL_LOADED_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "tenon/pjrt/client/launch.h"
#include "tenon/pjrt/client/local_device.h"
#include "tenon/pjrt/interface/executable.h"

namespace tenon::pjrt {

class LocalLoadedExecutable final : public LoadedExecutable {
 public:
  // The ids of `assignment` are in the order of logical ids, row-major
  // [replica][partition]; none for a portable program. `devices` are those of the client,
  // by id.
  LocalLoadedExecutable(std::shared_ptr<const LaunchTarget> target,
                        DeviceAssignment assignment, std::span<Device* const> devices);

  const std::shared_ptr<Executable>& executable() const override { return executable_; }
  std::span<Device* const> addressable_devices() const override { return devices_; }
  std::span<const LogicalDeviceId> addressable_logical_ids() const override {
    return logical_ids_;
  }
  const DeviceAssignment& device_assignment() const override { return assignment_; }

  void Delete() override { deleted_.store(true, std::memory_order_release); }
  bool IsDeleted() const override { return deleted_.load(std::memory_order_acquire); }

  Status Execute(std::span<const std::span<Buffer* const>> arguments,
                 std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                 std::span<Event> done, const ExecuteOptions& options) override;

 private:
  bool is_portable() const { return assignment_.device_ids.empty(); }
  // The device and logical id of the argument list `index` of an Execute.
  StatusOr<LocalDevice*> DeviceOf(size_t index, const ExecuteOptions& options,
                                  LogicalDeviceId* id) const;
  Status ExecuteOne(LocalDevice* device, const RunIds& ids,
                    std::span<Buffer* const> arguments,
                    std::span<std::unique_ptr<Buffer>> outputs, Event* done,
                    const ExecuteOptions& options);
  // Run a program whose devices exchange data: within this call, or on the threads of the
  // system. StartGang returns the events of the outputs.
  Status RunGang(std::vector<Launch::Ptr>& launches,
                 std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                 std::span<Event> done);
  std::vector<Event> StartGang(
      std::vector<Launch::Ptr> owned, device::SharedRun run,
      std::span<const std::span<std::unique_ptr<Buffer>>> outputs, std::span<Event> done,
      const ExecuteOptions& options);
  // Begins a run in which devices of other processes take part.
  device::SharedRun BeginSharedRun() const;
  // Submits the launch and returns the event of its outputs.
  Event Start(Launch::Ptr launch, std::span<std::unique_ptr<Buffer>> outputs, Event* done,
              const ExecuteOptions& options);

  const std::shared_ptr<const LaunchTarget> target_;
  const std::shared_ptr<Executable> executable_;
  const DeviceAssignment assignment_;
  std::vector<Device*> devices_;  // the addressable ones of the assignment
  std::vector<LogicalDeviceId> logical_ids_;
  std::atomic<bool> deleted_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_LOADED_EXECUTABLE_H_
