#include "tenon/devices/opencl/context.h"

#include <algorithm>

#include "tenon/device/memory_space.h"

namespace tenon::opencl {
namespace {

bool HasUsm(const DeviceInfo& device) {
  return device.HasExtension("cl_intel_unified_shared_memory");
}

bool HasSvm(const DeviceInfo& device) {
  return device.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
}

StatusOr<Addressing> Choose(const std::vector<DeviceInfo>& devices,
                            const std::string& memory) {
  const bool usm = std::ranges::all_of(devices, HasUsm);
  const bool svm = std::ranges::all_of(devices, HasSvm);
  if (memory != "" && memory != "usm" && memory != "svm") {
    return InvalidArgument("create option 'opencl_memory' is '" + memory +
                           "', but must be usm or svm, or empty for what the device has");
  }
  if (usm && memory != "svm") return Addressing::kUsm;
  if (svm && memory != "usm") return Addressing::kSvm;
  return Status(
      StatusCode::kUnavailable,
      "OpenCL device '" + devices[0].name + "' has " +
          (memory.empty()    ? "neither unified shared memory nor shared virtual "
                               "memory; its driver may be too old"
           : memory == "usm" ? "no unified shared memory (cl_intel_unified_shared_memory)"
                             : "no shared virtual memory"));
}

}  // namespace

StatusOr<std::unique_ptr<Context>> Context::Create(const Api& api,
                                                   const std::vector<DeviceInfo>& devices,
                                                   const std::string& memory) {
  TENON_ASSIGN_OR_RETURN(const Addressing addressing, Choose(devices, memory));
  std::unique_ptr<Context> context(new Context(api));
  context->addressing_ = addressing;
  if (addressing == Addressing::kUsm) {
    TENON_RETURN_IF_ERROR(context->FindUsmFunctions(devices[0].platform));
  }
  std::vector<cl_device_id> ids;
  for (const DeviceInfo& device : devices) ids.push_back(device.id);
  cl_int code = CL_SUCCESS;
  context->context_ = api.CreateContext(nullptr, static_cast<cl_uint>(ids.size()),
                                        ids.data(), nullptr, nullptr, &code);
  TENON_RETURN_IF_ERROR(
      ToStatus(code, "creating an OpenCL context for '" + devices[0].name + "'"));
  return context;
}

Context::~Context() {
  if (context_) api_.ReleaseContext(context_);
}

Status Context::FindUsmFunctions(cl_platform_id platform) {
  bool found = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        api_.GetExtensionFunctionAddressForPlatform(platform, name));
    found &= function != nullptr;
  };
  find("clDeviceMemAllocINTEL", device_alloc_);
  find("clHostMemAllocINTEL", host_alloc_);
  find("clMemFreeINTEL", mem_free_);
  find("clEnqueueMemcpyINTEL", memcpy_);
  find("clSetKernelArgMemPointerINTEL", set_pointer_);
  if (found) return OkStatus();
  return Status(StatusCode::kUnavailable,
                "the OpenCL driver names cl_intel_unified_shared_memory, but lacks its "
                "functions; update the driver, or set create option 'opencl_memory' to "
                "svm");
}

StatusOr<void*> Context::AllocateOnDevice(cl_device_id device, size_t size) const {
  cl_int code = CL_SUCCESS;
  void* block = nullptr;
  if (addressing_ == Addressing::kUsm) {
    block = device_alloc_(context_, device, nullptr, size, device::kAlignment, &code);
  } else {
    block = api_.SVMAlloc(context_, CL_MEM_READ_WRITE, size, device::kAlignment);
    if (!block) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  }
  TENON_RETURN_IF_ERROR(ToStatus(code, "the driver's allocation"));
  return block;
}

StatusOr<void*> Context::AllocateHost(size_t size) const {
  cl_int code = CL_SUCCESS;
  void* block = host_alloc_(context_, nullptr, size, device::kAlignment, &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, "the driver's allocation"));
  return block;
}

void Context::Free(void* block) const {
  if (addressing_ == Addressing::kUsm) {
    mem_free_(context_, block);
  } else {
    api_.SVMFree(context_, block);
  }
}

cl_int Context::EnqueueCopy(cl_command_queue queue, void* to, const void* from,
                            size_t size, cl_uint num_waits, const cl_event* waits,
                            cl_event* end) const {
  const auto function = addressing_ == Addressing::kUsm ? memcpy_ : api_.EnqueueSVMMemcpy;
  return function(queue, /*blocking=*/CL_FALSE, to, from, size, num_waits, waits, end);
}

cl_int Context::SetAddress(cl_kernel kernel, cl_uint index, const void* address) const {
  return addressing_ == Addressing::kUsm
             ? set_pointer_(kernel, index, address)
             : api_.SetKernelArgSVMPointer(kernel, index, address);
}

}  // namespace tenon::opencl
