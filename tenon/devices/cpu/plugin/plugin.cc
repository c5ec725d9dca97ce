// The CPU plugin's entry point.
#include "tenon/devices/cpu/cpu_platform.h"
#include "tenon/devices/local_plugin.h"

namespace {

const tenon::pjrt::LocalPlatform& Platform() {
  static const auto platform = tenon::pjrt::WithCompiler(tenon::cpu::HostPlatform());
  return platform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return tenon::pjrt::LocalPluginApi<Platform>();
}
