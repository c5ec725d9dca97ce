#include "tenon/devices/cuda/context.h"

#include <utility>

namespace tenon::cuda {
namespace {

// What to do after a fault of a kernel.
constexpr char kAdvice[] = "start a new process";

}  // namespace

StatusOr<std::vector<DeviceInfo>> ListDevices(const Driver& driver) {
  int count = 0;
  TENON_RETURN_IF_ERROR(
      ToStatus(driver, driver.DeviceGetCount(&count), "counting NVIDIA's GPUs"));
  std::vector<DeviceInfo> devices(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    DeviceInfo& device = devices[static_cast<size_t>(i)];
    device.number = i;
    const std::string what = "asking for the facts of GPU " + std::to_string(i);
    TENON_RETURN_IF_ERROR(ToStatus(driver, driver.DeviceGet(&device.id, i), what));
    char name[256] = {};
    TENON_RETURN_IF_ERROR(
        ToStatus(driver, driver.DeviceGetName(name, sizeof name - 1, device.id), what));
    device.name = name;
    TENON_RETURN_IF_ERROR(
        ToStatus(driver, driver.DeviceTotalMem(&device.memory, device.id), what));
    for (const auto& [attribute, value] :
         {std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &device.major},
          std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &device.minor}}) {
      TENON_RETURN_IF_ERROR(
          ToStatus(driver, driver.DeviceGetAttribute(value, attribute, device.id), what));
    }
  }
  return devices;
}

StatusOr<std::unique_ptr<Context>> Context::Create(const Driver& driver,
                                                   const DeviceInfo& device,
                                                   std::string name) {
  std::unique_ptr<Context> context(new Context(driver, device, std::move(name)));
  const std::string what = "starting " + context->name_;
  CUresult code = driver.DevicePrimaryCtxRetain(&context->context_, device.id);
  if (code == CUDA_SUCCESS) {
    const Current current(*context);
    code = driver.CtxSynchronize();
  }
  // After a kernel's fault the driver refuses this device to the process for good.
  if (LosesContext(code)) {
    return Status(StatusCode::kUnavailable,
                  context->name_ + " is lost (" +
                      std::string(ToStatus(driver, code, "a kernel").message()) + "); " +
                      kAdvice);
  }
  TENON_RETURN_IF_ERROR(ToStatus(driver, code, what));
  return context;
}

Context::Context(const Driver& driver, const DeviceInfo& device, std::string name)
    : driver_(driver), device_(device.id), name_(std::move(name)) {}

Context::~Context() {
  if (!context_) return;
  {
    const Current current(*this);
    for (const auto& [flags, events] : events_) {
      for (CUevent event : events) driver_.EventDestroy(event);
    }
  }
  driver_.DevicePrimaryCtxRelease(device_);
}

Status Context::CheckWait(CUresult code, std::string_view what) const {
  (void)Check(code, what);  // later calls say that the device is lost
  return ToStatus(driver_, code, what);
}

Status Context::Check(CUresult code, std::string_view what) const {
  Status status = ToStatus(driver_, code, what);
  if (!LosesContext(code)) return status;
  std::lock_guard lock(mutex_);
  if (lost_.empty()) {
    lost_ = status.message();
    return status;
  }
  return Status(StatusCode::kUnavailable, name_ + " is lost (" + lost_ + "); " + kAdvice);
}

StatusOr<void*> Context::Allocate(size_t size) const {
  const Current current(*this);
  CUdeviceptr address = 0;
  TENON_RETURN_IF_ERROR(
      Check(driver_.MemAlloc(&address, size), "the driver's allocation"));
  return reinterpret_cast<void*>(address);
}

void Context::Free(void* block) const {
  const Current current(*this);
  driver_.MemFree(reinterpret_cast<CUdeviceptr>(block));
}

StatusOr<void*> Context::AllocateHost(size_t size) const {
  const Current current(*this);
  void* block = nullptr;
  TENON_RETURN_IF_ERROR(
      Check(driver_.MemHostAlloc(&block, size,
                                 CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
            "the driver's allocation"));
  return block;
}

void Context::FreeHost(void* block) const {
  const Current current(*this);
  driver_.MemFreeHost(block);
}

StatusOr<CUevent> Context::TakeEvent(unsigned flags) const {
  {
    std::lock_guard lock(mutex_);
    std::vector<CUevent>& kept = events_[flags];
    if (!kept.empty()) {
      CUevent event = kept.back();
      kept.pop_back();
      return event;
    }
  }
  const Current current(*this);
  CUevent event = nullptr;
  TENON_RETURN_IF_ERROR(Check(driver_.EventCreate(&event, flags), "creating an event"));
  return event;
}

void Context::GiveBack(CUevent event, unsigned flags) const {
  std::lock_guard lock(mutex_);
  events_[flags].push_back(event);
}

}  // namespace tenon::cuda
