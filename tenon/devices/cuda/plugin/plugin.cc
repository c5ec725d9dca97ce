// The entry point of the plugin of NVIDIA's GPUs.
#include "tenon/compiler/targets/nvptx/nvptx_architecture.h"
#include "tenon/devices/cuda/cuda_platform.h"
#include "tenon/devices/local_plugin.h"

namespace {

const tenon::pjrt::LocalPlatform& Platform() {
  static const auto platform = [] {
    tenon::compiler::AddNvptxArchitecture();
    return tenon::pjrt::WithCompiler(tenon::cuda::Platform());
  }();
  return platform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return tenon::pjrt::LocalPluginApi<Platform>();
}
