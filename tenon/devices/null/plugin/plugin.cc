// 6. The entry point.
#include "tenon/pjrt/c_api/plugin.h"

#include "tenon/devices/null/null_device.h"
#include "tenon/devices/plugin_description.h"
#include "tenon/pjrt/extensions/standard_extensions.h"

namespace tenon::pjrt {
namespace {

const LocalPlatform& Platform() {
  static const null::NullPlatform device;
  static const LocalPlatform platform{
      .device = device,
#ifdef TENON_HAS_COMPILER
      .compile = compiler::Compile,
      .check_config = compiler::CheckConfig,
#endif
  };
  return platform;
}

const PluginDescription& Description() {
  static const PluginDescription& description =
      *new PluginDescription(DescribeLocalPlugin<Platform>());
  return description;
}

}  // namespace
}  // namespace tenon::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = tenon::pjrt::c_api::MakeApi<tenon::pjrt::Description>(
      tenon::pjrt::StandardExtensions<tenon::pjrt::Description>());
  return &api;
}
