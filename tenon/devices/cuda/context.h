// One GPU: its primary context, which it shares with other libraries of the process.
// Thread-safe.
#ifndef TENON_DEVICES_CUDA_CONTEXT_H_
#define TENON_DEVICES_CUDA_CONTEXT_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/devices/cuda/driver.h"

namespace tenon::cuda {

// What a device says about itself. A plain value.
struct DeviceInfo {
  CUdevice id = 0;
  int number = 0;  // among those that the driver lists
  std::string name;
  int major = 0, minor = 0;  // compute capability
  size_t memory = 0;         // bytes
};

// UNAVAILABLE if the driver does not answer.
StatusOr<std::vector<DeviceInfo>> ListDevices(const Driver& driver);

class Context {
 public:
  // `name` describes the device, for errors. UNAVAILABLE if a kernel of this process has
  // lost the device: as seen on an H100, the driver gives no other context to it.
  static StatusOr<std::unique_ptr<Context>> Create(const Driver& driver,
                                                   const DeviceInfo& device,
                                                   std::string name);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Driver& driver() const { return driver_; }
  const std::string& name() const { return name_; }
  // Makes the context current on this thread for as long as it lives. Every call that
  // needs the context is made then. The thread's own current context, which other users
  // of the driver have set or not, is current again afterwards.
  class [[nodiscard]] Current {
   public:
    explicit Current(const Context& context)
        : driver_(context.driver_), context_(context.context_) {
      driver_.CtxGetCurrent(&before_);
      if (before_ != context_) driver_.CtxSetCurrent(context_);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() {
      if (before_ != context_) driver_.CtxSetCurrent(before_);
    }

   private:
    const Driver& driver_;
    const CUcontext context_;
    CUcontext before_ = nullptr;
  };
  // The status of a call, as ToStatus. An error that ends the context is INTERNAL the
  // first time, and UNAVAILABLE with the first error's text from then on.
  Status Check(CUresult code, std::string_view what) const;
  // The same for waiting: the error is that of what was waited for, so it stays INTERNAL.
  Status CheckWait(CUresult code, std::string_view what) const;

  StatusOr<void*> Allocate(size_t size) const;
  void Free(void* block) const;
  // Host memory that every device can access at the same address.
  StatusOr<void*> AllocateHost(size_t size) const;
  void FreeHost(void* block) const;

  // Events are kept and used again, by their flags.
  StatusOr<CUevent> TakeEvent(unsigned flags) const;
  void GiveBack(CUevent event, unsigned flags) const;

 private:
  Context(const Driver& driver, const DeviceInfo& device, std::string name);

  const Driver driver_;
  const CUdevice device_;
  const std::string name_;
  CUcontext context_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::map<unsigned, std::vector<CUevent>> events_;  // not in use, by flags
  mutable std::string lost_;  // the error that ended the context
};

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_CONTEXT_H_
