// The plugin's entry point: the A1 and Tenon's compiler with Acme's extension.
#include "acme_device.h"
#include "tenon/devices/plugin_description.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/extensions/standard_extensions.h"

namespace acme {
namespace {

const tenon::pjrt::LocalPlatform& Local() {
  static const Platform device;
  static const tenon::pjrt::LocalPlatform platform{
      .device = device,
      .compile = tenon::compiler::Compile,
      .check_config = tenon::compiler::CheckConfig,
      .extensions = {&Compiler()},
  };
  return platform;
}

const tenon::pjrt::PluginDescription& Description() {
  static const auto description = tenon::pjrt::DescribeLocalPlugin<Local>();
  return description;
}

}  // namespace
}  // namespace acme

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = tenon::pjrt::c_api::MakeApi<acme::Description>(
      tenon::pjrt::StandardExtensions<acme::Description>());
  return &api;
}
