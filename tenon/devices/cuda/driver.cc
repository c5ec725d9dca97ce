#include "tenon/devices/cuda/driver.h"

#include <dlfcn.h>

namespace tenon::cuda {
namespace {

// The first driver that takes PTX 8.0, as cuDriverGetVersion reports it.
constexpr int kOldestDriver = 12000;

std::string Describe(const Driver& driver, CUresult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.GetErrorName(code, &name) != CUDA_SUCCESS || !name) {
    return "CUDA error " + std::to_string(code);
  }
  if (driver.GetErrorString(code, &text) != CUDA_SUCCESS || !text) return name;
  return std::string(name) + " (" + text + ")";
}

}  // namespace

StatusOr<Driver> LoadDriver(const std::string& path) {
  const auto failed = [](const std::string& reason) {
    return Status(StatusCode::kUnavailable, reason);
  };
  const std::string advice = "install NVIDIA's driver, version 525 or newer";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return failed("NVIDIA's driver cannot be loaded: " + std::string(dlerror()) + "; " +
                  advice);
  }
  Driver driver;
#define TENON_CUDA_FUNCTION(member, symbol, parameters)                               \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, #symbol)); \
  if (!driver.member) {                                                               \
    return failed("NVIDIA's driver '" + path + "' has no function " #symbol "; " +    \
                  advice);                                                            \
  }
#define TENON_CUDA_OPTIONAL_FUNCTION(member, symbol, parameters) \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, #symbol));
#include "tenon/devices/cuda/functions.inc"
#undef TENON_CUDA_FUNCTION
#undef TENON_CUDA_OPTIONAL_FUNCTION
  const CUresult code = driver.Init(0);
  if (code == CUDA_ERROR_NO_DEVICE) {
    return failed("no NVIDIA GPU is visible; see CUDA_VISIBLE_DEVICES");
  }
  TENON_RETURN_IF_ERROR(ToStatus(driver, code, "starting NVIDIA's driver"));
  int version = 0;
  TENON_RETURN_IF_ERROR(ToStatus(driver, driver.DriverGetVersion(&version),
                                 "asking for the version of NVIDIA's driver"));
  if (version < kOldestDriver) {
    return failed("NVIDIA's driver is for CUDA " + std::to_string(version / 1000) + "." +
                  std::to_string(version % 1000 / 10) +
                  ", which is too old for PTX 8.0; " + advice);
  }
  return driver;
}

bool LosesContext(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

Status ToStatus(const Driver& driver, CUresult code, std::string_view what) {
  if (code == CUDA_SUCCESS) return OkStatus();
  std::string message = std::string(what) + " failed: " + Describe(driver, code);
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return ResourceExhausted(std::move(message));
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return FailedPrecondition(std::move(message));
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return Status(StatusCode::kUnavailable, std::move(message));
    default:
      return Internal(std::move(message));
  }
}

}  // namespace tenon::cuda
