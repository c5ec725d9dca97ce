// A program for OpenCL devices: the launcher, which is host code, and its kernels.
//
// Immutable apart from what is made for a device on first use. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_PROGRAM_H_
#define TENON_DEVICES_OPENCL_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/program.h"
#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/memory.h"
#include "tenon/devices/opencl/selection.h"
#include "tenon/executable/device_code.h"
#include "tenon/runtime/program.h"

namespace tenon::opencl {

// The machine that runs launchers: this host.
const Machine& LauncherMachine();

class Program final : public device::Program {
 public:
  // Loads the launcher and builds the kernels for all devices. FAILED_PRECONDITION if the
  // image has no SPIR-V, or its kernels need larger groups or other subgroups than the
  // devices have. DATA_LOSS if launcher and kernels contradict each other. INTERNAL, with
  // the driver's log, if it refuses the module. `context` and `devices` must outlive the
  // program.
  static StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const Context& context,
      const std::vector<DeviceInfo>& devices, const device::LoadOptions& options);
  ~Program() override;

  bool synchronous() const override { return launcher_->synchronous(); }

  const runtime::Program& launcher() const { return *launcher_; }
  const std::shared_ptr<const runtime::Program>& shared_launcher() const {
    return launcher_;
  }
  const std::string& name() const { return launcher_->info().name; }
  const std::vector<DeviceKernel>& kernels() const { return code_.kernels; }
  // "kernel 'k' of program 'jit_f'", for errors.
  std::string KernelName(size_t kernel) const;

  // The address of the constants on a device. The first call copies them there, to
  // `memory`, which must outlive the program.
  StatusOr<const void*> ConstantsOn(size_t device, cl_command_queue queue,
                                    Memory& memory) const;
  // Enqueues a kernel on a queue of `device`. See RuntimeTable::launch.
  Status Enqueue(size_t device, cl_command_queue queue, size_t kernel,
                 const uint64_t* arguments, size_t num_groups, EventRef* event) const;

 private:
  // What one device has of the program.
  struct OnDevice {
    // A kernel object keeps its arguments, so setting them and enqueuing is one step.
    std::mutex mutex;
    std::vector<cl_kernel> kernels;  // null before the first use
    Memory* memory = nullptr;        // of the constants; null before the first use
    void* constants = nullptr;
  };

  explicit Program(const Context& context) : context_(context) {}
  Status Build(const std::vector<DeviceInfo>& devices);
  Status CheckKernels(const std::vector<DeviceInfo>& devices) const;
  StatusOr<cl_kernel> KernelOn(OnDevice& on, size_t kernel) const;  // needs the mutex
  std::string BuildLog(cl_device_id device) const;

  const Context& context_;
  std::shared_ptr<const runtime::Program> launcher_;
  DeviceCode code_;
  cl_program program_ = nullptr;
  std::vector<std::unique_ptr<OnDevice>> on_;  // by device
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_PROGRAM_H_
