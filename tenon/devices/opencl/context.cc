#include "tenon/devices/opencl/context.h"

#include <algorithm>
#include <iterator>

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
  if (memory != "" && memory != "usm" && memory != "svm" && memory != "buffers") {
    return InvalidArgument("create option 'opencl_memory' is '" + memory +
                           "', but must be usm, svm or buffers, or empty for what the "
                           "device has");
  }
  if (usm && (memory == "" || memory == "usm")) return Addressing::kUsm;
  if (svm && (memory == "" || memory == "svm")) return Addressing::kSvm;
  if (memory == "" || memory == "buffers") return Addressing::kBuffers;
  return Status(
      StatusCode::kUnavailable,
      "OpenCL device '" + devices[0].name + "' has no " +
          (memory == "usm" ? "unified shared memory (cl_intel_unified_shared_memory)"
                           : "shared virtual memory"));
}

// Addresses of buffers are beyond those of processes.
constexpr uintptr_t kFirstAddress = uintptr_t{1} << 60;
constexpr size_t kAddressUnit = 4096;

}  // namespace

Context::Context(const Api& api) : api_(api), next_address_(kFirstAddress) {}

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
  } else if (addressing_ == Addressing::kBuffers) {
    return AllocateBuffer(size);
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
  } else if (addressing_ == Addressing::kBuffers) {
    std::lock_guard lock(mutex_);
    const auto buffer = buffers_.find(reinterpret_cast<uintptr_t>(block));
    api_.ReleaseMemObject(buffer->second);
    buffers_.erase(buffer);
  } else {
    api_.SVMFree(context_, block);
  }
}

StatusOr<void*> Context::AllocateBuffer(size_t size) const {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer =
      api_.CreateBuffer(context_, CL_MEM_READ_WRITE, size, nullptr, &code);
  TENON_RETURN_IF_ERROR(ToStatus(code, "the driver's allocation"));
  std::lock_guard lock(mutex_);
  const uintptr_t address = next_address_;
  // An unused unit follows, so that the address behind a buffer is in no other one.
  next_address_ += (size / kAddressUnit + 2) * kAddressUnit;
  buffers_[address] = buffer;
  return reinterpret_cast<void*>(address);
}

Context::Place Context::Find(const void* address) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number < kFirstAddress) return {};
  std::lock_guard lock(mutex_);
  const auto after = buffers_.upper_bound(number);
  if (after == buffers_.begin()) return {};
  const auto& [begin, buffer] = *std::prev(after);
  return {buffer, number - begin};
}

cl_int Context::EnqueueBufferCopy(cl_command_queue queue, void* to, const void* from,
                                  size_t size, cl_uint num_waits, const cl_event* waits,
                                  cl_event* end) const {
  const Place target = Find(to), source = Find(from);
  if (!source.buffer) {
    return api_.EnqueueWriteBuffer(queue, target.buffer, CL_FALSE, target.offset, size,
                                   from, num_waits, waits, end);
  }
  if (!target.buffer) {
    return api_.EnqueueReadBuffer(queue, source.buffer, CL_FALSE, source.offset, size, to,
                                  num_waits, waits, end);
  }
  return api_.EnqueueCopyBuffer(queue, source.buffer, target.buffer, source.offset,
                                target.offset, size, num_waits, waits, end);
}

cl_int Context::EnqueueCopy(cl_command_queue queue, void* to, const void* from,
                            size_t size, cl_uint num_waits, const cl_event* waits,
                            cl_event* end) const {
  if (addressing_ == Addressing::kBuffers)
    return EnqueueBufferCopy(queue, to, from, size, num_waits, waits, end);
  const auto function = addressing_ == Addressing::kUsm ? memcpy_ : api_.EnqueueSVMMemcpy;
  return function(queue, /*blocking=*/CL_FALSE, to, from, size, num_waits, waits, end);
}

cl_int Context::SetAddress(cl_kernel kernel, cl_uint index, cl_uint offset_index,
                           const void* address) const {
  if (addressing_ == Addressing::kBuffers) {
    const Place place = Find(address);
    const cl_ulong offset = place.offset;
    const cl_int code =
        api_.SetKernelArg(kernel, index, sizeof place.buffer, &place.buffer);
    if (code != CL_SUCCESS) return code;
    return api_.SetKernelArg(kernel, offset_index, sizeof offset, &offset);
  }
  return addressing_ == Addressing::kUsm
             ? set_pointer_(kernel, index, address)
             : api_.SetKernelArgSVMPointer(kernel, index, address);
}

}  // namespace tenon::opencl
