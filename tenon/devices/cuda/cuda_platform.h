// The platform of NVIDIA's GPUs.
#ifndef TENON_DEVICES_CUDA_CUDA_PLATFORM_H_
#define TENON_DEVICES_CUDA_CUDA_PLATFORM_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/devices/cuda/driver.h"

namespace tenon::cuda {

class CudaPlatform final : public device::Platform {
 public:
  // `load` finds the driver's functions; tests pass one that makes some of them fail.
  explicit CudaPlatform(StatusOr<Driver> (*load)(const std::string& path) = LoadDriver)
      : load_(load) {}

  std::string_view name() const override { return "tenon_cuda"; }
  std::string_view device_kind() const override { return "NVIDIA GPU"; }
  const Machine& host() const override;
  // That of the first GPU that the options choose; of the oldest one that is supported if
  // there is none.
  std::string Target(const device::SystemOptions& options) const override;
  std::span<const device::Option> options() const override;
  // As many devices as create option `device_count` says, whatever the machine has.
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override;
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override;

 private:
  StatusOr<Driver> (*const load_)(const std::string& path);
};

const CudaPlatform& Platform();

// The target that code for a GPU of this compute capability is compiled for, such as
// "nvptx64:sm_90a"; empty if it is too old.
std::string TargetOf(int major, int minor);

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_CUDA_PLATFORM_H_
