// Loading plugins, and what clients and devices say about themselves.
#include "tenon/pjrt/cpp/plugin.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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

// A store of one process.
class Store final : public KeyValueStore {
 public:
  Result<std::string> get(std::string_view key,
                          std::chrono::milliseconds timeout) override {
    std::unique_lock lock(mutex_);
    std::string name(key);
    if (!condition_.wait_for(lock, timeout, [&] { return values_.contains(name); })) {
      return Error(PJRT_Error_Code_DEADLINE_EXCEEDED, "no value for " + name);
    }
    return values_[name];
  }
  Result<std::string> try_get(std::string_view key) override {
    std::lock_guard lock(mutex_);
    auto found = values_.find(std::string(key));
    if (found == values_.end()) return Error(PJRT_Error_Code_NOT_FOUND, "no value");
    return found->second;
  }
  Error put(std::string_view key, std::string_view value) override {
    std::lock_guard lock(mutex_);
    values_[std::string(key)] = value;
    condition_.notify_all();
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::map<std::string, std::string> values_;
};

// Two clients that take each other for processes of one job.
TEST_F(ClientTest, ClientsFindEachOtherThroughAStore) {
  if (!is_tenon()) GTEST_SKIP() << "the options are Tenon's";
  auto store = std::make_shared<Store>();
  auto create = [&](int node) {
    return plugin().create_client(
        {{"num_nodes", 2}, {"node_id", node}, {"collectives", "none"}}, store);
  };
  std::optional<Result<Client>> other;
  std::thread thread([&] { other.emplace(create(1)); });
  Result<Client> first = create(0);
  thread.join();
  ASSERT_TRUE(first) << first.error().what();
  ASSERT_TRUE(*other) << other->error().what();
  EXPECT_EQ(first->devices()->size(), 2u);
  EXPECT_EQ(first->addressable_devices()->size(), 1u);
  EXPECT_EQ(*(*other)->process_index(), 1);
}

class BrokenStore final : public KeyValueStore {
  Result<std::string> get(std::string_view, std::chrono::milliseconds) override {
    return Error(PJRT_Error_Code_UNAVAILABLE, "the store is gone");
  }
  Result<std::string> try_get(std::string_view) override {
    return Error(PJRT_Error_Code_UNAVAILABLE, "the store is gone");
  }
  Error put(std::string_view, std::string_view) override {
    return Error(PJRT_Error_Code_UNAVAILABLE, "the store is gone");
  }
};

TEST_F(ClientTest, ErrorsOfAStoreReachTheCaller) {
  if (!is_tenon()) GTEST_SKIP() << "the options are Tenon's";
  Result<Client> failed = plugin().create_client({{"num_nodes", 2}, {"node_id", 0}},
                                                 std::make_shared<BrokenStore>());
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("the store is gone"), std::string_view::npos)
      << failed.error().what();
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
