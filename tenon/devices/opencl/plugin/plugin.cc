// The entry point of the plugin of OpenCL devices.
#include "tenon/compiler/targets/spirv/spirv_architecture.h"
#include "tenon/devices/local_plugin.h"
#include "tenon/devices/opencl/opencl_platform.h"

namespace {

const tenon::pjrt::LocalPlatform& Platform() {
  static const auto platform = [] {
    tenon::compiler::AddSpirvArchitecture();
    return tenon::pjrt::WithCompiler(tenon::opencl::Platform());
  }();
  return platform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return tenon::pjrt::LocalPluginApi<Platform>();
}
