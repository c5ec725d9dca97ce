#include "tenon/devices/opencl/program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tenon/devices/cpu/host_machine.h"

namespace tenon::opencl {
namespace {

constexpr char kFormat[] = "spirv";
constexpr size_t kMaxLog = 4000;  // bytes of a driver's log in an error

StatusOr<DeviceCode> FindKernels(const Image& image) {
  for (const CodeObject& object : image.code_objects) {
    if (object.kind != kDeviceCode) continue;
    TENON_ASSIGN_OR_RETURN(DeviceCode code, DeviceCode::Deserialize(object.bytes));
    if (code.format == kFormat) return code;
  }
  return FailedPrecondition("executable '" + image.info.name +
                            "' has no SPIR-V code for an OpenCL device; compile it for "
                            "target spirv64");
}

// Whether the module is a sequence of whole instructions. Drivers may end the process if
// it is not.
bool IsWhole(const std::string& module) {
  constexpr uint32_t kMagic = 0x07230203;
  constexpr size_t kHeaderWords = 5;
  const size_t num_words = module.size() / sizeof(uint32_t);
  const auto word = [&](size_t i) {
    uint32_t value = 0;
    std::memcpy(&value, module.data() + i * sizeof value, sizeof value);
    return value;
  };
  if (module.size() % sizeof(uint32_t) || num_words <= kHeaderWords ||
      word(0) != kMagic) {
    return false;
  }
  size_t at = kHeaderWords;
  while (at < num_words) {
    const size_t length = word(at) >> 16;
    if (length == 0 || length > num_words - at) return false;
    at += length;
  }
  return true;
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

}  // namespace

const Machine& LauncherMachine() {
  static const Machine& machine = *[] {
    auto* launcher = new Machine(cpu::HostMachine());
    launcher->code_kind = kLauncherCode;
    return launcher;
  }();
  return machine;
}

StatusOr<std::shared_ptr<const Program>> Program::Load(
    std::shared_ptr<const Image> image, const Context& context,
    const std::vector<DeviceInfo>& devices, const device::LoadOptions& options) {
  std::shared_ptr<Program> program(new Program(context));
  TENON_ASSIGN_OR_RETURN(program->launcher_,
                         runtime::Program::Load(image, LauncherMachine(), options));
  TENON_ASSIGN_OR_RETURN(program->code_, FindKernels(*image));
  for (size_t d = 0; d < devices.size(); ++d) {
    program->on_.push_back(std::make_unique<OnDevice>());
    program->on_.back()->kernels.resize(program->code_.kernels.size());
  }
  // A program that only copies has no module.
  if (!program->code_.kernels.empty()) {
    TENON_RETURN_IF_ERROR(program->Build(devices));
    TENON_RETURN_IF_ERROR(program->CheckKernels(devices));
  }
  return std::shared_ptr<const Program>(std::move(program));
}

Program::~Program() {
  for (const auto& on : on_) {
    for (cl_kernel kernel : on->kernels) {
      if (kernel) context_.api().ReleaseKernel(kernel);
    }
    if (on->memory) {
      on->memory->Free(on->constants, launcher_->image()->code().constants_size);
    }
  }
  if (program_) context_.api().ReleaseProgram(program_);
}

std::string Program::KernelName(size_t kernel) const {
  return "kernel '" + code_.kernels[kernel].name + "' of program '" + name() + "'";
}

Status Program::Build(const std::vector<DeviceInfo>& devices) {
  if (!IsWhole(code_.module)) {
    return DataLoss("the SPIR-V module of program '" + name() +
                    "' is truncated or damaged");
  }
  const Api& api = context_.api();
  const std::string what = "building the kernels of program '" + name() +
                           "' for OpenCL device '" + devices[0].name + "'";
  cl_int code = CL_SUCCESS;
  program_ = api.CreateProgramWithIL(context_.get(), code_.module.data(),
                                     code_.module.size(), &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, what));
  std::vector<cl_device_id> ids;
  for (const DeviceInfo& device : devices) ids.push_back(device.id);
  const std::string options =
      BuildOptions(api, devices, launcher_->info().ieee_denormals);
  code = api.BuildProgram(program_, static_cast<cl_uint>(ids.size()), ids.data(),
                          options.c_str(), nullptr, nullptr);
  Status status = ToStatus(code, what);
  if (status.ok()) return status;
  std::string log = BuildLog(devices[0].id);
  if (log.empty()) return status;
  return Status(status.code(),
                std::string(status.message()) + "; the driver's log: " + std::move(log));
}

std::string Program::BuildLog(cl_device_id device) const {
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

Status Program::CheckKernels(const std::vector<DeviceInfo>& devices) const {
  const Api& api = context_.api();
  OnDevice& on = *on_[0];
  std::lock_guard lock(on.mutex);
  for (size_t k = 0; k < code_.kernels.size(); ++k) {
    const DeviceKernel& kernel = code_.kernels[k];
    TENON_ASSIGN_OR_RETURN(const cl_kernel object, KernelOn(on, k));
    cl_uint num_arguments = 0;
    api.GetKernelInfo(object, CL_KERNEL_NUM_ARGS, sizeof num_arguments, &num_arguments,
                      nullptr);
    if (num_arguments != kernel.arguments.size()) {
      return DataLoss(KernelName(k) + " takes " + std::to_string(num_arguments) +
                      " arguments, but is listed with " +
                      std::to_string(kernel.arguments.size()));
    }
    for (const DeviceInfo& device : devices) {
      size_t largest = device.max_group_size;
      api.GetKernelWorkGroupInfo(object, device.id, CL_KERNEL_WORK_GROUP_SIZE,
                                 sizeof largest, &largest, nullptr);
      if (kernel.group_size > largest) {
        return FailedPrecondition(KernelName(k) + " needs groups of " +
                                  std::to_string(kernel.group_size) +
                                  " work items, but OpenCL device '" + device.name +
                                  "' runs it with at most " + std::to_string(largest));
      }
      if (kernel.subgroup_size != 0 &&
          std::ranges::find(device.subgroup_sizes, kernel.subgroup_size) ==
              device.subgroup_sizes.end()) {
        return FailedPrecondition(KernelName(k) + " needs subgroups of " +
                                  std::to_string(kernel.subgroup_size) +
                                  " work items, which OpenCL device '" + device.name +
                                  "' does not have");
      }
    }
  }
  return OkStatus();
}

StatusOr<cl_kernel> Program::KernelOn(OnDevice& on, size_t kernel) const {
  cl_kernel& object = on.kernels[kernel];
  if (object) return object;
  cl_int code = CL_SUCCESS;
  cl_kernel made =
      context_.api().CreateKernel(program_, code_.kernels[kernel].name.c_str(), &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, "creating " + KernelName(kernel)));
  return object = made;
}

StatusOr<const void*> Program::ConstantsOn(size_t device, cl_command_queue queue,
                                           Memory& memory) const {
  const size_t size = launcher_->image()->code().constants_size;
  if (size == 0) return static_cast<const void*>(nullptr);
  OnDevice& on = *on_[device];
  std::lock_guard lock(on.mutex);
  if (on.memory) return static_cast<const void*>(on.constants);
  TENON_ASSIGN_OR_RETURN(void* block, memory.Allocate(size));
  Status status =
      context_.EnqueueCopy(queue, /*blocking=*/true, block,
                           launcher_->image()->constants(), size, {}, nullptr);
  if (!status.ok()) {
    memory.Free(block, size);
    return status.WithPrefix("copying the constants of program '" + name() +
                             "' to the device");
  }
  on.memory = &memory;
  on.constants = block;
  return static_cast<const void*>(block);
}

Status Program::Enqueue(size_t device, cl_command_queue queue, size_t kernel,
                        const uint64_t* arguments, size_t num_groups,
                        EventRef* event) const {
  const Api& api = context_.api();
  const DeviceKernel& facts = code_.kernels[kernel];
  const size_t local = facts.group_size, global = num_groups * local;
  cl_event made = nullptr;
  cl_int code = CL_SUCCESS;
  OnDevice& on = *on_[device];
  {
    std::lock_guard lock(on.mutex);
    TENON_ASSIGN_OR_RETURN(const cl_kernel object, KernelOn(on, kernel));
    for (size_t i = 0; i < facts.arguments.size() && code == CL_SUCCESS; ++i) {
      const auto index = static_cast<cl_uint>(i);
      code = facts.arguments[i]
                 ? api.SetKernelArg(object, index, facts.arguments[i], &arguments[i])
                 : context_.SetAddress(object, index,
                                       reinterpret_cast<const void*>(arguments[i]));
    }
    if (code == CL_SUCCESS) {
      code = api.EnqueueNDRangeKernel(queue, object, 1, nullptr, &global, &local, 0,
                                      nullptr, &made);
    }
  }
  if (code == CL_SUCCESS) *event = EventRef(api, made);
  return code == CL_SUCCESS
             ? OkStatus()
             : ToStatus(code, "the launch of " + KernelName(kernel) + " with " +
                                  std::to_string(num_groups) + " groups of " +
                                  std::to_string(local) + " work items");
}

}  // namespace tenon::opencl
