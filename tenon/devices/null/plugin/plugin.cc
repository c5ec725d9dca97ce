// 6. The entry point.
#include "tenon/devices/local_plugin.h"
#include "tenon/devices/null/null_device.h"

namespace {

const tenon::pjrt::LocalPlatform& Platform() {
  static const tenon::null::NullPlatform device;
  static const auto platform = tenon::pjrt::WithCompiler(device);
  return platform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return tenon::pjrt::LocalPluginApi<Platform>();
}
