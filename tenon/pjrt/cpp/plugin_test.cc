// Loading plugins, and what clients and devices say about themselves.
#include "tenon/pjrt/cpp/plugin.hpp"

#include <cstdio>

#include "tenon/pjrt/cpp/testing.h"

namespace pjrt::testing {
namespace {

TEST(LoadTest, WhatIsNoPluginIsAnError) {
  Result<Plugin> missing = Plugin::load("/no/such/plugin.so");
  EXPECT_EQ(missing.error().code(), PJRT_Error_Code_NOT_FOUND);
  EXPECT_EQ(missing.error().plugin(), "/no/such/plugin.so");
  Result<Plugin> library = Plugin::load("libm.so.6");
  EXPECT_EQ(library.error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
}

class ClientTest : public PluginTest {};

TEST_F(ClientTest, PluginIsLoadedOnce) {
  EXPECT_EQ(plugin().api().table(), plugin().api().table());
  EXPECT_GE(plugin().api_minor_version(), 54);
  EXPECT_EQ(plugin().path(), plugin_path());
  Result<NamedValues> attributes = plugin().attributes();
  ASSERT_TRUE(attributes) << attributes.error().what();
  EXPECT_NE(find(*attributes, "stablehlo_current_version"), nullptr);
}

TEST_F(ClientTest, ClientAndDevices) {
  EXPECT_FALSE(client().platform_name()->empty());
  EXPECT_FALSE(client().platform_version()->empty());
  EXPECT_EQ(*client().process_index(), 0);
  std::vector<Device> devices = client().devices().value();
  ASSERT_FALSE(devices.empty());
  Device device = client().addressable_devices().value()[0];
  EXPECT_EQ(device, *client().lookup_device(*device.id()));
  EXPECT_FALSE(client().lookup_device(12345));
  EXPECT_TRUE(*device.is_addressable());
  EXPECT_EQ(*device.process_index(), 0);
  EXPECT_FALSE(device.kind()->empty());
  EXPECT_FALSE(device.to_string()->empty());
  EXPECT_TRUE(device.attributes());
  EXPECT_TRUE(device.local_hardware_id());
  if (Result<DeviceMemoryUsage> usage = device.memory_usage()) {
    EXPECT_GE(usage->bytes_in_use, 0);
  } else {
    EXPECT_EQ(usage.error().code(), PJRT_Error_Code_UNIMPLEMENTED);
  }
  std::vector<Memory> memories = device.memories().value();
  ASSERT_FALSE(memories.empty());
  Memory memory = device.default_memory().value();
  EXPECT_FALSE(memory.kind()->empty());
  EXPECT_FALSE(memory.to_string()->empty());
  EXPECT_TRUE(memory.id());
  EXPECT_EQ(memory.devices()->front(), device);
  EXPECT_FALSE(client().memories()->empty());
}

TEST_F(ClientTest, OptionsReachThePlugin) {
  if (!is_tenon()) GTEST_SKIP() << "other plugins accept unknown options";
  EXPECT_TRUE(plugin().create_client({{"threads", 1}, {"huge_pages", false}}));
  Result<Client> refused = plugin().create_client({{"no_such_option", 1}});
  EXPECT_EQ(refused.error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(refused.error().message().find("no_such_option"), std::string_view::npos);
}

TEST_F(ClientTest, Extensions) {
  Result<std::string> layout = default_layout(client(), ElementType::f32, {2, 3});
  if (layout) {
    EXPECT_EQ(layout->substr(0, 5), "{1,0}");
  } else {
    EXPECT_EQ(layout.error().code(), PJRT_Error_Code_NOT_FOUND);
  }
  // Every member of the newest version is either there or an error.
  auto layouts = plugin().extension<PJRT_Layouts_Extension>();
  if (!layouts) GTEST_SKIP() << "the plugin has no Layouts extension";
  constexpr auto kNewest =
      &PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetParameterLayouts;
  if (layouts->has(kNewest)) return;
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args args{};
  EXPECT_EQ(layouts->call(kNewest, "GetParameterLayouts", args).code(),
            PJRT_Error_Code_UNIMPLEMENTED);
}

}  // namespace
}  // namespace pjrt::testing
