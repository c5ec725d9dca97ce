#include "tenon/devices/opencl/selection.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "tenon/devices/opencl/bitcode.h"

namespace tenon::opencl {
namespace {

constexpr int kMinSpirvMajor = 1, kMinSpirvMinor = 2;  // what the compiler writes

template <typename T>
T Number(const Api& api, cl_device_id device, cl_device_info what) {
  T value{};
  api.GetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

std::string Text(const Api& api, cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (api.GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return "";
  }
  std::string text(size, '\0');
  api.GetDeviceInfo(device, what, size, text.data(), nullptr);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string PlatformText(const Api& api, cl_platform_id platform, cl_platform_info what) {
  char text[256] = {};
  api.GetPlatformInfo(platform, what, sizeof text - 1, text, nullptr);
  return text;
}

std::vector<size_t> SubgroupSizes(const Api& api, cl_device_id device) {
  size_t bytes = 0;
  if (api.GetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, nullptr, &bytes) !=
      CL_SUCCESS) {
    return {};
  }
  std::vector<size_t> sizes(bytes / sizeof(size_t));
  api.GetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, bytes, sizes.data(),
                    nullptr);
  return sizes;
}

DeviceInfo Describe(const Api& api, cl_platform_id platform, cl_device_id id) {
  DeviceInfo info;
  info.platform = platform;
  info.id = id;
  info.type = Number<cl_device_type>(api, id, CL_DEVICE_TYPE);
  info.platform_name = PlatformText(api, platform, CL_PLATFORM_NAME);
  info.translator =
      TranslatorOf(info.platform_name, PlatformText(api, platform, CL_PLATFORM_VERSION));
  info.name = Text(api, id, CL_DEVICE_NAME);
  info.vendor = Text(api, id, CL_DEVICE_VENDOR);
  info.driver = Text(api, id, CL_DRIVER_VERSION);
  info.il_version = Text(api, id, CL_DEVICE_IL_VERSION);
  info.extensions = " " + Text(api, id, CL_DEVICE_EXTENSIONS) + " ";
  info.available = Number<cl_bool>(api, id, CL_DEVICE_AVAILABLE);
  info.compiler = Number<cl_bool>(api, id, CL_DEVICE_COMPILER_AVAILABLE);
  info.address_bits = Number<cl_uint>(api, id, CL_DEVICE_ADDRESS_BITS);
  info.compute_units = Number<cl_uint>(api, id, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.memory = Number<cl_ulong>(api, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.largest_block = Number<cl_ulong>(api, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.max_group_size = Number<size_t>(api, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.svm = Number<cl_device_svm_capabilities>(api, id, CL_DEVICE_SVM_CAPABILITIES);
  info.subgroup_sizes = SubgroupSizes(api, id);
  return info;
}

std::vector<DeviceInfo> AllDevices(const Api& api) {
  // The loader reports an error if it finds no platform.
  cl_uint num_platforms = 0;
  if (api.GetPlatformIDs(0, nullptr, &num_platforms) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(num_platforms);
  api.GetPlatformIDs(num_platforms, platforms.data(), nullptr);
  std::vector<DeviceInfo> result;
  for (cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) !=
        CL_SUCCESS) {
      continue;
    }
    std::vector<cl_device_id> ids(count);
    api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    for (cl_device_id id : ids) result.push_back(Describe(api, platform, id));
  }
  return result;
}

// Whether a list such as "SPIR-V_1.0 SPIR-V_1.2" has a version that is new enough.
bool HasSpirv(const std::string& versions) {
  constexpr std::string_view kName = "SPIR-V_";
  for (size_t at = versions.find(kName); at != std::string::npos;
       at = versions.find(kName, at + 1)) {
    int major = 0, minor = 0;
    if (std::sscanf(versions.c_str() + at + kName.size(), "%d.%d", &major, &minor) == 2 &&
        std::pair(major, minor) >= std::pair(kMinSpirvMajor, kMinSpirvMinor)) {
      return true;
    }
  }
  return false;
}

std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

std::string TypeName(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "gpu";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  return type & CL_DEVICE_TYPE_CPU ? "cpu" : "custom";
}

// The smaller, the better.
int Rank(const DeviceInfo& device) {
  const std::string type = TypeName(device.type);
  return type == "gpu"               ? 0
         : type == "accelerator"     ? 1
         : device.translator.empty() ? 2
                                     : 3;
}

bool IsWanted(const DeviceInfo& device, const std::string& wanted) {
  const std::string text = LowerCase(wanted);
  if (text.empty() || text == TypeName(device.type)) return true;
  return LowerCase(device.platform_name + " " + device.name).find(text) !=
         std::string::npos;
}

std::string FullName(const DeviceInfo& device) {
  return "'" + device.name + "' of platform '" + device.platform_name + "'";
}

}  // namespace

bool DeviceInfo::HasExtension(const std::string& extension) const {
  return extensions.find(" " + extension + " ") != std::string::npos;
}

std::string ReasonNotToUse(const DeviceInfo& device) {
  if (!device.available || !device.compiler) return "is not available";
  if (!device.translator.empty()) {
    if (!IsInPath(device.translator)) {
      return "takes SPIR-V only by the program " + device.translator +
             ", which is not in PATH (install the package of that name)";
    }
  } else if (!HasSpirv(device.il_version)) {
    return "does not take SPIR-V 1.2 (it takes: " +
           (device.il_version.empty() ? "none" : device.il_version) + ")";
  }
  if (device.address_bits != 64) return "has no 64-bit addresses";
  return "";
}

SelectedDevices::~SelectedDevices() {
  for (cl_device_id device : sub_devices_) api_.ReleaseDevice(device);
}

Status SelectedDevices::Split(const DeviceInfo& device, int64_t parts) {
  const auto units =
      static_cast<cl_device_partition_property>(device.compute_units / parts);
  const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_EQUALLY, units,
                                                     0};
  const std::string what = "splitting OpenCL device " + FullName(device) + " with " +
                           std::to_string(device.compute_units) + " compute units into " +
                           std::to_string(parts) + " devices";
  if (units == 0) return InvalidArgument(what + " is not possible");
  cl_uint count = 0;
  TENON_RETURN_IF_ERROR(
      ToStatus(api_.CreateSubDevices(device.id, properties, 0, nullptr, &count), what));
  std::vector<cl_device_id> ids(count);
  TENON_RETURN_IF_ERROR(ToStatus(
      api_.CreateSubDevices(device.id, properties, count, ids.data(), nullptr), what));
  sub_devices_.insert(sub_devices_.end(), ids.begin(), ids.end());
  ids.resize(std::min(ids.size(), static_cast<size_t>(parts)));
  for (cl_device_id id : ids) {
    DeviceInfo part = Describe(api_, device.platform, id);
    part.memory /= static_cast<cl_ulong>(parts);
    devices_.push_back(std::move(part));
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<SelectedDevices>> Select(const Api& api,
                                                  const Selection& selection) {
  std::vector<DeviceInfo> usable;
  std::string reasons;
  for (DeviceInfo& device : AllDevices(api)) {
    std::string reason = ReasonNotToUse(device);
    if (reason.empty() && !IsWanted(device, selection.device)) {
      reason = "is not '" + selection.device + "' (create option 'opencl_device')";
    }
    if (reason.empty()) {
      usable.push_back(std::move(device));
    } else {
      reasons += (reasons.empty() ? "" : "; ") + FullName(device) + " " + reason;
    }
  }
  if (usable.empty()) {
    return Status(StatusCode::kUnavailable,
                  "no OpenCL device: " +
                      (reasons.empty() ? "the loader finds no platform" : reasons) +
                      "; " + std::string(kAdvice));
  }
  const DeviceInfo best = *std::ranges::min_element(usable, {}, Rank);
  std::erase_if(usable, [&](const DeviceInfo& device) {
    return device.platform != best.platform || Rank(device) != Rank(best);
  });
  auto selected = std::make_unique<SelectedDevices>(api);
  for (const DeviceInfo& device : usable) {
    if (selection.sub_devices == 0) {
      selected->devices_.push_back(device);
    } else {
      TENON_RETURN_IF_ERROR(selected->Split(device, selection.sub_devices));
    }
  }
  std::vector<DeviceInfo>& devices = selected->devices_;
  if (std::ssize(devices) < selection.count) {
    return InvalidArgument(
        "create option 'device_count' is " + std::to_string(selection.count) +
        ", but there are " + std::to_string(devices.size()) + " OpenCL devices like " +
        FullName(best) + "; create option 'opencl_sub_devices' splits devices");
  }
  devices.resize(static_cast<size_t>(selection.count));
  return selected;
}

}  // namespace tenon::opencl
