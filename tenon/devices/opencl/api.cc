#include "tenon/devices/opencl/api.h"

#include <dlfcn.h>

namespace tenon::opencl {
namespace {

struct NamedCode {
  cl_int code;
  const char* name;
};

#define TENON_NAMED_CODE(name) {name, #name}
constexpr NamedCode kCodes[] = {
    TENON_NAMED_CODE(CL_DEVICE_NOT_FOUND),
    TENON_NAMED_CODE(CL_DEVICE_NOT_AVAILABLE),
    TENON_NAMED_CODE(CL_COMPILER_NOT_AVAILABLE),
    TENON_NAMED_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    TENON_NAMED_CODE(CL_OUT_OF_RESOURCES),
    TENON_NAMED_CODE(CL_OUT_OF_HOST_MEMORY),
    TENON_NAMED_CODE(CL_MEM_COPY_OVERLAP),
    TENON_NAMED_CODE(CL_BUILD_PROGRAM_FAILURE),
    TENON_NAMED_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    TENON_NAMED_CODE(CL_DEVICE_PARTITION_FAILED),
    TENON_NAMED_CODE(CL_INVALID_VALUE),
    TENON_NAMED_CODE(CL_INVALID_PLATFORM),
    TENON_NAMED_CODE(CL_INVALID_DEVICE),
    TENON_NAMED_CODE(CL_INVALID_CONTEXT),
    TENON_NAMED_CODE(CL_INVALID_QUEUE_PROPERTIES),
    TENON_NAMED_CODE(CL_INVALID_COMMAND_QUEUE),
    TENON_NAMED_CODE(CL_INVALID_MEM_OBJECT),
    TENON_NAMED_CODE(CL_INVALID_BINARY),
    TENON_NAMED_CODE(CL_INVALID_BUILD_OPTIONS),
    TENON_NAMED_CODE(CL_INVALID_PROGRAM),
    TENON_NAMED_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    TENON_NAMED_CODE(CL_INVALID_KERNEL_NAME),
    TENON_NAMED_CODE(CL_INVALID_KERNEL_DEFINITION),
    TENON_NAMED_CODE(CL_INVALID_KERNEL),
    TENON_NAMED_CODE(CL_INVALID_ARG_INDEX),
    TENON_NAMED_CODE(CL_INVALID_ARG_VALUE),
    TENON_NAMED_CODE(CL_INVALID_ARG_SIZE),
    TENON_NAMED_CODE(CL_INVALID_KERNEL_ARGS),
    TENON_NAMED_CODE(CL_INVALID_WORK_GROUP_SIZE),
    TENON_NAMED_CODE(CL_INVALID_WORK_ITEM_SIZE),
    TENON_NAMED_CODE(CL_INVALID_EVENT_WAIT_LIST),
    TENON_NAMED_CODE(CL_INVALID_EVENT),
    TENON_NAMED_CODE(CL_INVALID_OPERATION),
    TENON_NAMED_CODE(CL_INVALID_BUFFER_SIZE),
    TENON_NAMED_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    TENON_NAMED_CODE(CL_INVALID_PROPERTY),
    TENON_NAMED_CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
};
#undef TENON_NAMED_CODE

}  // namespace

StatusOr<Api> LoadApi(const std::string& path) {
  const auto failed = [&](const std::string& reason) {
    return Status(StatusCode::kUnavailable, "the OpenCL loader '" + path +
                                                "' cannot be used: " + reason + "; " +
                                                std::string(kAdvice));
  };
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return failed(dlerror());
  Api api;
#define TENON_OPENCL_FUNCTION(name)                                            \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "cl" #name)); \
  if (!api.name) return failed("it has no function cl" #name);
#include "tenon/devices/opencl/functions.inc"
#undef TENON_OPENCL_FUNCTION
  return api;
}

std::string ErrorName(cl_int code) {
  for (const NamedCode& known : kCodes) {
    if (known.code == code) return known.name;
  }
  return "OpenCL error " + std::to_string(code);
}

Status ToStatus(cl_int code, std::string_view what) {
  if (code == CL_SUCCESS) return OkStatus();
  std::string message = std::string(what) + " failed: " + ErrorName(code);
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
      return ResourceExhausted(std::move(message));
    case CL_DEVICE_NOT_AVAILABLE:
      return Status(StatusCode::kUnavailable, std::move(message));
    default:
      return Internal(std::move(message));
  }
}

}  // namespace tenon::opencl
