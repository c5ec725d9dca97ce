// Builds the kernels of programs for the OpenCL devices of a client. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_KERNELS_H_
#define TENON_DEVICES_OPENCL_KERNELS_H_

#include <memory>
#include <string>
#include <utility>

#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/selection.h"
#include "tenon/devices/streams/stream.h"

namespace tenon::opencl {

class KernelLoader final : public streams::KernelLoader {
 public:
  KernelLoader(std::unique_ptr<SelectedDevices> selected,
               std::unique_ptr<Context> context)
      : selected_(std::move(selected)), context_(std::move(context)) {}

  const std::vector<DeviceInfo>& devices() const { return selected_->devices(); }
  const Context& context() const { return *context_; }
  std::string format() const override { return "spirv"; }
  std::string missing() const override {
    return "SPIR-V code for an OpenCL device; compile it for target spirv64";
  }
  // FAILED_PRECONDITION if the kernels need larger groups or other subgroups than the
  // devices have. INTERNAL, with the driver's log, if it refuses the module.
  StatusOr<std::unique_ptr<streams::Kernels>> Load(
      const streams::KernelSource& source) const override;

 private:
  // In this order, because the context is of the devices.
  const std::unique_ptr<SelectedDevices> selected_;
  const std::unique_ptr<Context> context_;
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_KERNELS_H_
