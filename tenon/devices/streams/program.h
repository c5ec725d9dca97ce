// A program for devices with streams: the launcher, which is host code, and its kernels.
//
// Immutable apart from what is made for a device on first use. Thread-safe.
#ifndef TENON_DEVICES_STREAMS_PROGRAM_H_
#define TENON_DEVICES_STREAMS_PROGRAM_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/program.h"
#include "tenon/devices/streams/memory.h"
#include "tenon/devices/streams/stream.h"
#include "tenon/executable/device_code.h"
#include "tenon/runtime/program.h"

namespace tenon::streams {

// The machine that runs launchers: this host.
const Machine& LauncherMachine();

class Program final : public device::Program {
 public:
  // Loads the launcher and the kernels for `num_devices` devices. FAILED_PRECONDITION if
  // the image has no code in the loader's format; otherwise as KernelLoader::Load. What
  // `loader` refers to must outlive the program.
  static StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const KernelLoader& loader, size_t num_devices,
      const device::LoadOptions& options);
  ~Program() override;

  bool synchronous() const override { return launcher_->synchronous(); }

  const runtime::Program& launcher() const { return *launcher_; }
  const std::shared_ptr<const runtime::Program>& shared_launcher() const {
    return launcher_;
  }
  const std::string& name() const { return launcher_->info().name; }
  const std::vector<DeviceKernel>& kernels() const { return code_.kernels; }
  // See KernelSource::NameOf.
  std::string KernelName(size_t kernel) const { return Source().NameOf(kernel); }

  // The address of the constants on a device. The first call copies them there, to
  // `memory`, which must outlive the program.
  StatusOr<const void*> ConstantsOn(size_t device, Stream& stream, Memory& memory) const;
  // See Kernels::Launch.
  StatusOr<std::shared_ptr<Mark>> Launch(size_t device, Stream& stream, size_t kernel,
                                         const uint64_t* arguments,
                                         uint64_t num_groups) const {
    return loaded_->Launch(device, stream, kernel, arguments, num_groups);
  }
  // See Kernels.
  bool takes_sequences() const { return loaded_ && loaded_->takes_sequences(); }
  Status LaunchAll(size_t device, Stream& stream, const Sequence& sequence) const {
    return loaded_->LaunchAll(device, stream, sequence);
  }

  // Whether a launcher is done at once, so that it may run on any thread. Known after the
  // first run on the device, which copies the constants: a launcher that reads nothing
  // back does the same each time.
  bool IsQuick(size_t device) const {
    return on_[device]->quick.load(std::memory_order_relaxed);
  }
  void SetQuick(size_t device) const {
    on_[device]->quick.store(true, std::memory_order_relaxed);
  }

 private:
  // What one device has of the program.
  struct OnDevice {
    std::mutex mutex;
    Memory* memory = nullptr;  // of the constants; null before the first use
    void* constants = nullptr;
    std::atomic<bool> quick{false};
  };

  Program() = default;
  KernelSource Source() const {
    return {.code = code_,
            .program = name(),
            .ieee_denormals = launcher_->info().ieee_denormals};
  }

  std::shared_ptr<const runtime::Program> launcher_;
  DeviceCode code_;
  std::unique_ptr<Kernels> loaded_;            // null if the program has no kernels
  std::vector<std::unique_ptr<OnDevice>> on_;  // by device
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_PROGRAM_H_
