// How one run of a launcher (kLauncherCode) reaches its device: the functions of
// RuntimeTable that launch kernels and copy. A device implements it.
//
// Used by one thread at a time. Operations take effect in the order of the calls.
// Addresses of the device are opaque.
#ifndef TENON_RUNTIME_KERNEL_STREAM_H_
#define TENON_RUNTIME_KERNEL_STREAM_H_

#include <cstddef>
#include <cstdint>

#include "tenon/base/status.h"

namespace tenon::runtime {

class KernelStream {
 public:
  virtual ~KernelStream() = default;

  // The constants of the code object, in the memory of the device.
  virtual const void* constants() const = 0;
  // Starts `num_groups` groups of a kernel. `arguments` need not outlive the call.
  virtual Status Launch(int64_t kernel, const uint64_t* arguments,
                        int64_t num_groups) = 0;
  virtual Status Copy(void* to, const void* from, size_t bytes) = 0;
  // Copies to the host, after all operations before it. Waits.
  virtual Status Read(const void* from, void* to_host, size_t bytes) = 0;
  // Copies to the device. `from_host` need not outlive the call.
  virtual Status Write(void* to, const void* from_host, size_t bytes) = 0;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_KERNEL_STREAM_H_
