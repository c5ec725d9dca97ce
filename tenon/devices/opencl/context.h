// The OpenCL context of a client's devices, and how they address memory.
//
// Compiled launchers add offsets to addresses of the device. Unified shared memory
// (cl_intel_unified_shared_memory) and coarse-grained shared virtual memory of OpenCL 2
// have addresses. A buffer has none: it gets a range of addresses that nothing else has,
// and kernels get the buffer and an offset (WithPointerOffsets). Thread-safe.
#ifndef TENON_DEVICES_OPENCL_CONTEXT_H_
#define TENON_DEVICES_OPENCL_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/devices/opencl/api.h"
#include "tenon/devices/opencl/selection.h"

namespace tenon::opencl {

// How devices address memory: the choices of create option `opencl_memory`.
enum class Addressing { kUsm, kSvm, kBuffers };

class Context {
 public:
  // `memory` is "usm", "svm", "buffers", or "" for the first of them that the devices
  // have. INVALID_ARGUMENT for another value, UNAVAILABLE if the devices do not have it.
  // The devices must outlive the context.
  static StatusOr<std::unique_ptr<Context>> Create(const Api& api,
                                                   const std::vector<DeviceInfo>& devices,
                                                   const std::string& memory);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Api& api() const { return api_; }
  cl_context get() const { return context_; }
  Addressing addressing() const { return addressing_; }
  // Whether kernels can access memory of AllocateHost. Otherwise there is none.
  bool has_host_memory() const { return addressing_ == Addressing::kUsm; }

  // Each returns a block that the driver has aligned to device::kAlignment at least.
  StatusOr<void*> AllocateOnDevice(cl_device_id device, size_t size) const;
  StatusOr<void*> AllocateHost(size_t size) const;
  void Free(void* block) const;

  // Starts a copy between memory of the devices and the host. The last parameters are as
  // those of OpenCL.
  cl_int EnqueueCopy(cl_command_queue queue, void* to, const void* from, size_t size,
                     cl_uint num_waits, const cl_event* waits, cl_event* end) const;
  // Sets an argument that is an address of the device, or null. `offset_index` is the
  // argument for its offset, which kernels for buffers have.
  cl_int SetAddress(cl_kernel kernel, cl_uint index, cl_uint offset_index,
                    const void* address) const;

 private:
  explicit Context(const Api& api);
  Status FindUsmFunctions(cl_platform_id platform);

  // A place in a buffer. The buffer is null for memory of the host.
  struct Place {
    cl_mem buffer = nullptr;
    size_t offset = 0;
  };
  StatusOr<void*> AllocateBuffer(size_t size) const;
  Place Find(const void* address) const;
  cl_int EnqueueBufferCopy(cl_command_queue queue, void* to, const void* from,
                           size_t size, cl_uint num_waits, const cl_event* waits,
                           cl_event* end) const;

  const Api api_;
  cl_context context_ = nullptr;
  Addressing addressing_ = Addressing::kUsm;
  mutable std::mutex mutex_;
  mutable std::map<uintptr_t, cl_mem> buffers_;  // by address; needs mutex_
  mutable uintptr_t next_address_;               // likewise
  clDeviceMemAllocINTEL_fn device_alloc_ = nullptr;
  clHostMemAllocINTEL_fn host_alloc_ = nullptr;
  clMemFreeINTEL_fn mem_free_ = nullptr;
  clEnqueueMemcpyINTEL_fn memcpy_ = nullptr;
  clSetKernelArgMemPointerINTEL_fn set_pointer_ = nullptr;
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_CONTEXT_H_
