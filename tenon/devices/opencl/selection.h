// Which OpenCL devices a client uses.
#ifndef TENON_DEVICES_OPENCL_SELECTION_H_
#define TENON_DEVICES_OPENCL_SELECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/devices/opencl/api.h"

namespace tenon::opencl {

// What a device says about itself. A plain value.
struct DeviceInfo {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  cl_device_type type = 0;
  std::string platform_name, name, vendor, driver, il_version;
  // Of PoCL, which makes bitcode from SPIR-V (see bitcode.h); otherwise empty.
  std::string translator;
  std::string extensions;  // between spaces
  bool available = false, compiler = false;
  cl_uint address_bits = 0, compute_units = 0;
  cl_ulong memory = 0, largest_block = 0;  // bytes
  size_t max_group_size = 0;
  cl_device_svm_capabilities svm = 0;
  std::vector<size_t> subgroup_sizes;  // empty if unknown

  bool HasExtension(const std::string& extension) const;
};

struct Selection {
  // "gpu", "cpu" or "accelerator", or a part of the name of a device or platform, in any
  // case. Empty: any device.
  std::string device;
  int64_t sub_devices = 0;  // into how many each device is split; 0: none is
  int64_t count = 1;        // of devices that the client has
};

// The devices of one client and the sub-devices made for it, which end with it.
class SelectedDevices {
 public:
  explicit SelectedDevices(const Api& api) : api_(api) {}
  SelectedDevices(const SelectedDevices&) = delete;
  SelectedDevices& operator=(const SelectedDevices&) = delete;
  ~SelectedDevices();

  // At least one, all of the same platform.
  const std::vector<DeviceInfo>& devices() const { return devices_; }

 private:
  friend StatusOr<std::unique_ptr<SelectedDevices>> Select(const Api& api,
                                                           const Selection& selection);
  Status Split(const DeviceInfo& device, int64_t parts);

  const Api api_;
  std::vector<DeviceInfo> devices_;
  std::vector<cl_device_id> sub_devices_;
};

// The first `count` devices of the best kind: GPUs before accelerators before CPUs, in
// OpenCL's order, all of one platform. UNAVAILABLE, with the reason for each device and
// what to install, if none is suitable. INVALID_ARGUMENT if there are too few.
StatusOr<std::unique_ptr<SelectedDevices>> Select(const Api& api,
                                                  const Selection& selection);

// Why Tenon cannot use the device, as the end of a sentence about it; empty if it can.
std::string ReasonNotToUse(const DeviceInfo& device);

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_SELECTION_H_
