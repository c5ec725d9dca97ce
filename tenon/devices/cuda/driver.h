// The driver API of NVIDIA's GPUs, found in libcuda.so.1 when a client or a topology is
// created. Neither headers nor libraries of CUDA are needed to build or to load the
// plugin. Names and values are those of CUDA's driver API, version 12.
#ifndef TENON_DEVICES_CUDA_DRIVER_H_
#define TENON_DEVICES_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::cuda {

using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st*;
using CUevent = struct CUevent_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUmodule = struct CUmod_st*;
using CUstream = struct CUstream_st*;

// Those that mean something to this code; others are passed through.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
};

struct CUDA_KERNEL_NODE_PARAMS_v2 {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  void* kern;
  CUcontext ctx;
};

// Flags and attributes.
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1,
                          CU_EVENT_DISABLE_TIMING = 2;
inline constexpr unsigned CU_MEMHOSTALLOC_PORTABLE = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2;
inline constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75;
inline constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
inline constexpr int CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0;
inline constexpr int CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
inline constexpr int CU_JIT_ERROR_LOG_BUFFER = 5;
inline constexpr int CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

// A plain table. Tests replace entries by functions that fail.
struct Driver {
#define TENON_CUDA_FUNCTION(member, symbol, parameters) \
  CUresult(*member) parameters = nullptr;
#include "tenon/devices/cuda/functions.inc"
#undef TENON_CUDA_FUNCTION
};

// The functions of the driver at `path`, a file or a name as dlopen takes it, after
// cuInit. The library stays loaded. UNAVAILABLE, with what to install, if it is missing,
// too old, or finds no GPU.
StatusOr<Driver> LoadDriver(const std::string& path);

// Whether `code` ends the context: nothing can be done with it afterwards.
bool LosesContext(CUresult code);
// The error `code` of `what`, such as "the launch of kernel 'k'". Ok for CUDA_SUCCESS.
Status ToStatus(const Driver& driver, CUresult code, std::string_view what);

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_DRIVER_H_
