// The launches of device kernels by which the host runs a tenon.kernel. Plain values.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_DEVICE_LAUNCH_H_
#define TENON_COMPILER_CODEGEN_KERNEL_DEVICE_LAUNCH_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/StringMap.h"

namespace tenon::codegen {

struct DeviceLaunch {
  int64_t kernel = 0;  // in DeviceCode::kernels
  int64_t groups = 0;
  // If not negative, the kernel runs several phases, and this number is its last
  // argument.
  int64_t phase = -1;
};

// By the symbol of the tenon.kernel.
using DeviceLaunches = llvm::StringMap<std::vector<DeviceLaunch>>;

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_DEVICE_LAUNCH_H_
