#include "tenon/devices/opencl/kernels.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/devices/opencl/bitcode.h"
#include "tenon/devices/opencl/spirv_module.h"
#include "tenon/devices/opencl/stream.h"
#include "tenon/devices/streams/program.h"

namespace tenon::opencl {
namespace {

constexpr size_t kMaxLog = 4000;  // bytes of a driver's log in an error

// What of a module's needs, by the capabilities that it declares, the device lacks; null
// if nothing.
const char* MissingCapability(const std::string& module, const DeviceInfo& device) {
  struct Capability {
    uint32_t number;  // specification of SPIR-V 1.2, section 3.31
    const char* extension;
    const char* name;
  };
  static constexpr Capability kCapabilities[] = {
      {9, "cl_khr_fp16", "16-bit floating-point numbers (cl_khr_fp16)"},
      {10, "cl_khr_fp64", "64-bit floating-point numbers (cl_khr_fp64)"},
      {12, "cl_khr_int64_base_atomics",
       "64-bit atomic operations (cl_khr_int64_base_atomics)"},
  };
  for (uint32_t number : CapabilitiesOf(module)) {
    for (const Capability& capability : kCapabilities) {
      if (number == capability.number && !device.HasExtension(capability.extension))
        return capability.name;
    }
  }
  return nullptr;
}

// Build options that the devices support.
std::string BuildOptions(const Api& api, const std::vector<DeviceInfo>& devices,
                         bool ieee_denormals) {
  std::string options;
  if (!ieee_denormals) options += "-cl-denorms-are-zero ";
  // Otherwise division of f32 has errors of up to 2.5 ulp.
  const bool rounds = std::ranges::all_of(devices, [&](const DeviceInfo& device) {
    cl_device_fp_config config = 0;
    api.GetDeviceInfo(device.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config,
                      nullptr);
    return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  });
  if (rounds) options += "-cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

class Kernels final : public streams::Kernels {
 public:
  Kernels(const streams::KernelSource& source, const Context& context,
          const std::vector<DeviceInfo>& devices)
      : source_(source), context_(context), devices_(devices) {
    for (size_t d = 0; d < devices.size(); ++d) {
      on_.push_back(std::make_unique<OnDevice>());
      on_.back()->kernels.resize(source.code.kernels.size());
    }
  }
  ~Kernels() override {
    for (const auto& on : on_) {
      for (cl_kernel kernel : on->kernels) {
        if (kernel) context_.api().ReleaseKernel(kernel);
      }
    }
    if (program_) context_.api().ReleaseProgram(program_);
  }

  Status Build();
  Status Check() const;
  StatusOr<std::shared_ptr<streams::Mark>> Launch(size_t device, streams::Stream& stream,
                                                  size_t kernel,
                                                  const uint64_t* arguments,
                                                  uint64_t num_groups) const override;

 private:
  // What one device has of the program.
  struct OnDevice {
    // A kernel object keeps its arguments, so setting them and starting it is one step.
    std::mutex mutex;
    std::vector<cl_kernel> kernels;  // null before the first use
  };

  // What the driver generates from SPIR-V is kept: building is most of the time of a
  // first run. Neither function needs to succeed.
  std::string StoreKey(const std::string& options) const;
  bool BuildFromStore(const std::string& key, const std::string& options);
  void PutIntoStore(const std::string& key) const;
  // Creates the program from a binary for each device.
  cl_int SetBinaries(const std::vector<std::string_view>& binaries);
  cl_int BuildProgram(const std::string& options);

  // Whether the kernels have arguments for offsets.
  bool has_offsets() const { return context_.addressing() == Addressing::kBuffers; }
  StatusOr<cl_kernel> KernelOn(OnDevice& on, size_t kernel) const;  // needs the mutex
  std::string BuildLog(cl_device_id device) const;

  const streams::KernelSource source_;
  const Context& context_;
  const std::vector<DeviceInfo>& devices_;
  cl_program program_ = nullptr;
  std::vector<std::unique_ptr<OnDevice>> on_;  // by device
};

Status Kernels::Build() {
  if (!IsWhole(source_.code.module)) {
    return DataLoss("the SPIR-V module of program '" + source_.program +
                    "' is truncated or damaged");
  }
  if (const char* missing = MissingCapability(source_.code.module, devices_[0])) {
    return FailedPrecondition("program '" + source_.program + "' needs " + missing +
                              ", which OpenCL device '" + devices_[0].name +
                              "' does not have");
  }
  const Api& api = context_.api();
  const std::string options = BuildOptions(api, devices_, source_.ieee_denormals);
  const std::string key = source_.store ? StoreKey(options) : "";
  if (source_.store && BuildFromStore(key, options)) return OkStatus();
  const std::string what = "building the kernels of program '" + source_.program +
                           "' for OpenCL device '" + devices_[0].name + "'";
  cl_int code = CL_SUCCESS;
  const std::string module =
      has_offsets() ? WithPointerOffsets(source_.code.module) : source_.code.module;
  if (devices_[0].translator.empty()) {
    program_ =
        api.CreateProgramWithIL(context_.get(), module.data(), module.size(), &code);
  } else {
    auto bitcode = TranslateToBitcode(module, devices_[0].translator);
    if (!bitcode.ok()) {
      return Internal(what + " failed: " + std::string(bitcode.status().message()));
    }
    code = SetBinaries(std::vector(devices_.size(), std::string_view(*bitcode)));
  }
  TENON_RETURN_IF_ERROR(ToStatus(code, what));
  code = BuildProgram(options);
  if (code == CL_SUCCESS && source_.store) PutIntoStore(key);
  Status status = ToStatus(code, what);
  if (status.ok()) return status;
  std::string log = BuildLog(devices_[0].id);
  if (log.empty()) return status;
  return Status(status.code(),
                std::string(status.message()) + "; the driver's log: " + std::move(log));
}

cl_int Kernels::SetBinaries(const std::vector<std::string_view>& binaries) {
  std::vector<cl_device_id> ids;
  for (const DeviceInfo& device : devices_) ids.push_back(device.id);
  std::vector<size_t> sizes;
  std::vector<const unsigned char*> bytes;
  for (std::string_view binary : binaries) {
    sizes.push_back(binary.size());
    bytes.push_back(reinterpret_cast<const unsigned char*>(binary.data()));
  }
  cl_int code = CL_SUCCESS;
  program_ = context_.api().CreateProgramWithBinary(
      context_.get(), static_cast<cl_uint>(ids.size()), ids.data(), sizes.data(),
      bytes.data(), nullptr, &code);
  return code;
}

cl_int Kernels::BuildProgram(const std::string& options) {
  std::vector<cl_device_id> ids;
  for (const DeviceInfo& device : devices_) ids.push_back(device.id);
  return context_.api().BuildProgram(program_, static_cast<cl_uint>(ids.size()),
                                     ids.data(), options.c_str(), nullptr, nullptr);
}

std::string Kernels::StoreKey(const std::string& options) const {
  constexpr char kVersion[] = "opencl 1";  // of the value
  std::string key = kVersion;
  for (const DeviceInfo& device : devices_) {
    for (const std::string* text :
         {&device.platform_name, &device.vendor, &device.name, &device.driver}) {
      key += "\n" + *text;
    }
  }
  // Names of processors, as "AMD EPYC", may leave out what instructions they have.
  for (const std::string& feature : streams::LauncherMachine().features) {
    key += "," + feature;
  }
  if (has_offsets()) key += "\noffsets";
  return key + "\n" + options + "\n" + source_.code.module;
}

bool Kernels::BuildFromStore(const std::string& key, const std::string& options) {
  const std::optional<std::string> stored = source_.store->Load(key);
  if (!stored) return false;
  // The sizes of the binaries by device, and then the binaries.
  std::vector<size_t> sizes(devices_.size());
  size_t at = sizes.size() * sizeof(size_t);
  if (stored->size() < at) return false;
  std::memcpy(sizes.data(), stored->data(), at);
  std::vector<std::string_view> binaries;
  for (size_t size : sizes) {
    if (size == 0 || size > stored->size() - at) return false;
    binaries.push_back(std::string_view(*stored).substr(at, size));
    at += size;
  }
  cl_int code = SetBinaries(binaries);
  if (code == CL_SUCCESS) code = BuildProgram(options);
  if (code == CL_SUCCESS) return true;
  if (program_) context_.api().ReleaseProgram(program_);
  program_ = nullptr;
  return false;
}

void Kernels::PutIntoStore(const std::string& key) const {
  const Api& api = context_.api();
  std::vector<size_t> sizes(devices_.size());
  const size_t bytes = sizes.size() * sizeof(size_t);
  if (api.GetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, bytes, sizes.data(),
                         nullptr) != CL_SUCCESS ||
      std::ranges::find(sizes, size_t{0}) != sizes.end()) {
    return;
  }
  std::string value(reinterpret_cast<const char*>(sizes.data()), bytes);
  std::vector<size_t> offsets;
  for (size_t size : sizes) {
    offsets.push_back(value.size());
    value.resize(value.size() + size);
  }
  std::vector<char*> binaries;
  for (size_t offset : offsets) binaries.push_back(value.data() + offset);
  if (api.GetProgramInfo(program_, CL_PROGRAM_BINARIES,
                         binaries.size() * sizeof binaries[0], binaries.data(),
                         nullptr) == CL_SUCCESS) {
    source_.store->Store(key, value);
  }
}

std::string Kernels::BuildLog(cl_device_id device) const {
  const Api& api = context_.api();
  size_t size = 0;
  if (api.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                              &size) != CL_SUCCESS) {
    return "";
  }
  std::string log(size, '\0');
  api.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                          nullptr);
  log.resize(std::min({log.find('\0'), log.size(), kMaxLog}));
  return log;
}

Status Kernels::Check() const {
  const Api& api = context_.api();
  OnDevice& on = *on_[0];
  std::lock_guard lock(on.mutex);
  for (size_t k = 0; k < source_.code.kernels.size(); ++k) {
    const DeviceKernel& kernel = source_.code.kernels[k];
    TENON_ASSIGN_OR_RETURN(const cl_kernel object, KernelOn(on, k));
    cl_uint num_arguments = 0;
    api.GetKernelInfo(object, CL_KERNEL_NUM_ARGS, sizeof num_arguments, &num_arguments,
                      nullptr);
    if (has_offsets()) {
      num_arguments -= std::min(num_arguments, static_cast<cl_uint>(std::ranges::count(
                                                   kernel.arguments, uint8_t{0})));
    }
    if (num_arguments != kernel.arguments.size()) {
      return DataLoss(source_.NameOf(k) + " takes " + std::to_string(num_arguments) +
                      " arguments, but is listed with " +
                      std::to_string(kernel.arguments.size()));
    }
    for (const DeviceInfo& device : devices_) {
      size_t largest = device.max_group_size;
      api.GetKernelWorkGroupInfo(object, device.id, CL_KERNEL_WORK_GROUP_SIZE,
                                 sizeof largest, &largest, nullptr);
      if (kernel.group_size > largest) {
        return FailedPrecondition(source_.NameOf(k) + " needs groups of " +
                                  std::to_string(kernel.group_size) +
                                  " work items, but OpenCL device '" + device.name +
                                  "' runs it with at most " + std::to_string(largest));
      }
      if (kernel.subgroup_size != 0 &&
          std::ranges::find(device.subgroup_sizes, kernel.subgroup_size) ==
              device.subgroup_sizes.end()) {
        return FailedPrecondition(source_.NameOf(k) + " needs subgroups of " +
                                  std::to_string(kernel.subgroup_size) +
                                  " work items, which OpenCL device '" + device.name +
                                  "' does not have");
      }
    }
  }
  return OkStatus();
}

StatusOr<cl_kernel> Kernels::KernelOn(OnDevice& on, size_t kernel) const {
  cl_kernel& object = on.kernels[kernel];
  if (object) return object;
  cl_int code = CL_SUCCESS;
  cl_kernel made = context_.api().CreateKernel(
      program_, source_.code.kernels[kernel].name.c_str(), &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, "creating " + source_.NameOf(kernel)));
  return object = made;
}

StatusOr<std::shared_ptr<streams::Mark>> Kernels::Launch(size_t device,
                                                         streams::Stream& stream,
                                                         size_t kernel,
                                                         const uint64_t* arguments,
                                                         uint64_t num_groups) const {
  const DeviceKernel& facts = source_.code.kernels[kernel];
  std::shared_ptr<streams::Mark> end;
  cl_int code = CL_SUCCESS;
  OnDevice& on = *on_[device];
  {
    std::lock_guard lock(on.mutex);
    TENON_ASSIGN_OR_RETURN(const cl_kernel object, KernelOn(on, kernel));
    auto offset_index = static_cast<cl_uint>(facts.arguments.size());
    for (size_t i = 0; i < facts.arguments.size() && code == CL_SUCCESS; ++i) {
      const auto index = static_cast<cl_uint>(i);
      code = facts.arguments[i]
                 ? context_.api().SetKernelArg(object, index, facts.arguments[i],
                                               &arguments[i])
                 : context_.SetAddress(object, index, offset_index++,
                                       reinterpret_cast<const void*>(arguments[i]));
    }
    if (code == CL_SUCCESS) {
      code = static_cast<Stream&>(stream).Launch(object, num_groups * facts.group_size,
                                                 facts.group_size, &end);
    }
  }
  if (code == CL_SUCCESS) return end;
  return ToStatus(code, "the launch of " + source_.NameOf(kernel) + " with " +
                            std::to_string(num_groups) + " groups of " +
                            std::to_string(facts.group_size) + " work items");
}

}  // namespace

StatusOr<std::unique_ptr<streams::Kernels>> KernelLoader::Load(
    const streams::KernelSource& source) const {
  auto kernels = std::make_unique<Kernels>(source, *context_, devices());
  TENON_RETURN_IF_ERROR(kernels->Build());
  TENON_RETURN_IF_ERROR(kernels->Check());
  return std::unique_ptr<streams::Kernels>(std::move(kernels));
}

}  // namespace tenon::opencl
