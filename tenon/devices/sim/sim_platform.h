// The platform of simulated accelerators. It serves to develop multi-device programs, and
// clients that must not touch a device's memory, without the hardware.
#ifndef TENON_DEVICES_SIM_SIM_PLATFORM_H_
#define TENON_DEVICES_SIM_SIM_PLATFORM_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/device/device.h"

namespace tenon::sim {

class SimPlatform final : public device::Platform {
 public:
  std::string_view name() const override { return "tenon_sim"; }
  std::string_view device_kind() const override { return "simulated"; }
  const Machine& host() const override;
  std::span<const device::Option> options() const override;
  // The devices form a grid: the index within a host is the first coordinate, and the
  // host is the second.
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override;
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override;
};

const SimPlatform& Platform();

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_SIM_PLATFORM_H_
