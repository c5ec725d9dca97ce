// The plugin's entry point: the A1 and Tenon's compiler with Acme's extension.
#include "acme_device.h"
#include "tenon/devices/local_plugin.h"

namespace {

const tenon::pjrt::LocalPlatform& Platform() {
  static const acme::Platform device;
  static const auto platform = tenon::pjrt::WithCompiler(device, {&acme::Compiler()});
  return platform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return tenon::pjrt::LocalPluginApi<Platform>();
}
