// OpenCL's functions, found in the ICD loader of the system when a client is created.
// Nothing of OpenCL is needed to build or to load the plugin but its headers.
#ifndef TENON_DEVICES_OPENCL_API_H_
#define TENON_DEVICES_OPENCL_API_H_

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <string_view>
#include <utility>

#include "tenon/base/status.h"

namespace tenon::opencl {

// A plain table. Tests replace entries by functions that fail.
struct Api {
#define TENON_OPENCL_FUNCTION(name) decltype(&::cl##name) name = nullptr;
#include "tenon/devices/opencl/functions.inc"
#undef TENON_OPENCL_FUNCTION
};

// The functions of the ICD loader at `path`, a file or a name as dlopen takes it. The
// library stays loaded, because drivers do not support being unloaded. UNAVAILABLE, with
// what to install, if it is missing or lacks a function.
StatusOr<Api> LoadApi(const std::string& path);

// What to install, for errors about missing devices.
inline constexpr std::string_view kAdvice =
    "install an OpenCL loader (Debian: ocl-icd-libopencl1) and a driver that takes "
    "SPIR-V 1.2, for example Intel's for GPUs (Debian: intel-opencl-icd) or for CPUs "
    "(scripts/install_opencl.sh)";

// "CL_OUT_OF_RESOURCES", or the number of an unknown code.
std::string ErrorName(cl_int code);
// The error `code` of `what`, such as "the launch of kernel 'k'": RESOURCE_EXHAUSTED if
// memory is short, UNAVAILABLE for a lost device, otherwise INTERNAL. Ok for CL_SUCCESS.
Status ToStatus(cl_int code, std::string_view what);

// A reference to an event; may be null. May outlive the table of functions.
class EventRef {
 public:
  EventRef() = default;
  // Takes over the reference of a function that returns the event.
  EventRef(const Api& api, cl_event event)
      : retain_(api.RetainEvent), release_(api.ReleaseEvent), event_(event) {}
  EventRef(const EventRef& other)
      : retain_(other.retain_), release_(other.release_), event_(other.event_) {
    if (event_) retain_(event_);
  }
  EventRef(EventRef&& other) noexcept
      : retain_(other.retain_),
        release_(other.release_),
        event_(std::exchange(other.event_, nullptr)) {}
  EventRef& operator=(EventRef other) noexcept {
    std::swap(retain_, other.retain_);
    std::swap(release_, other.release_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~EventRef() {
    if (event_) release_(event_);
  }
  cl_event get() const { return event_; }
  explicit operator bool() const { return event_ != nullptr; }

 private:
  decltype(Api::RetainEvent) retain_ = nullptr;
  decltype(Api::ReleaseEvent) release_ = nullptr;
  cl_event event_ = nullptr;
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_API_H_
