// The platform of OpenCL devices: GPUs, CPUs and others whose driver takes SPIR-V.
#ifndef TENON_DEVICES_OPENCL_OPENCL_PLATFORM_H_
#define TENON_DEVICES_OPENCL_OPENCL_PLATFORM_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/devices/opencl/api.h"

namespace tenon::opencl {

class OpenClPlatform final : public device::Platform {
 public:
  // `load` finds OpenCL's functions; tests pass one that makes some of them fail.
  explicit OpenClPlatform(StatusOr<Api> (*load)(const std::string& path) = LoadApi)
      : load_(load) {}

  std::string_view name() const override { return "tenon_opencl"; }
  std::string_view device_kind() const override { return "OpenCL"; }
  const Machine& host() const override;
  std::string Target(const device::SystemOptions&) const override { return "spirv64"; }
  std::span<const device::Option> options() const override;
  // As many devices as create option `device_count` says, whatever the machine has.
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override;
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override;

 private:
  StatusOr<Api> (*const load_)(const std::string& path);
};

const OpenClPlatform& Platform();

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_OPENCL_PLATFORM_H_
