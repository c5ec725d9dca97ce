// The platform whose devices are the host's processors.
#ifndef TENON_DEVICES_CPU_CPU_PLATFORM_H_
#define TENON_DEVICES_CPU_CPU_PLATFORM_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/device/device.h"
#include "tenon/runtime/float_mode.h"

namespace tenon::cpu {

class CpuPlatform final : public device::Platform {
 public:
  // `host` must outlive the platform. `float_mode` sets its floating-point mode.
  CpuPlatform(const Machine& host, const runtime::FloatMode& float_mode)
      : host_(host), float_mode_(float_mode) {}

  std::string_view name() const override { return "tenon"; }
  std::string_view device_kind() const override { return "cpu"; }
  const Machine& host() const override { return host_; }
  std::span<const device::Option> options() const override;
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override;
  // INVALID_ARGUMENT for processors that this process may not run on.
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override;

 private:
  const Machine& host_;
  const runtime::FloatMode float_mode_;
};

// The platform of this machine.
const CpuPlatform& HostPlatform();

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_CPU_PLATFORM_H_
