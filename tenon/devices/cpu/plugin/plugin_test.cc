// Tests the shared object as a framework loads it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tenon/pjrt/abi/pjrt_c_api.h"

namespace {

const PJRT_Api* Load() {
  static const PJRT_Api* const api = [] {
    void* library = dlopen(TENON_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    auto* get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
    EXPECT_EQ(get(), get());
    return get();
  }();
  return api;
}

std::string Message(PJRT_Error* error) {
  PJRT_Error_Message_Args message = {};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  Load()->PJRT_Error_Message(&message);
  std::string text(message.message, message.message_size);
  PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  Load()->PJRT_Error_Destroy(&destroy);
  return text;
}

PJRT_NamedValue Option(const std::string& name, int64_t value) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = name.data();
  option.name_size = name.size();
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

PJRT_Error* Create(const PJRT_NamedValue& option, PJRT_Client** client) {
  PJRT_Client_Create_Args create = {};
  create.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE;
  create.create_options = &option;
  create.num_options = 1;
  PJRT_Error* error = Load()->PJRT_Client_Create(&create);
  *client = create.client;
  return error;
}

TEST(PluginTest, ExportsOnlyTheEntryPoint) {
  std::FILE* pipe = popen("nm -D --defined-only " TENON_PLUGIN, "r");
  ASSERT_NE(pipe, nullptr);
  std::vector<std::string> symbols;
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    std::string text(line);
    text.pop_back();
    symbols.push_back(text.substr(text.rfind(' ') + 1));
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(symbols, std::vector<std::string>{"GetPjrtApi"});
}

TEST(PluginTest, AttributesListVersions) {
  PJRT_Plugin_Attributes_Args attributes = {};
  attributes.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE;
  ASSERT_EQ(Load()->PJRT_Plugin_Attributes(&attributes), nullptr);
  std::vector<std::string> names;
  for (size_t i = 0; i < attributes.num_attributes; ++i) {
    names.emplace_back(attributes.attributes[i].name, attributes.attributes[i].name_size);
  }
  EXPECT_TRUE(std::ranges::count(names, "stablehlo_current_version"));
  EXPECT_TRUE(std::ranges::count(names, "stablehlo_minimum_version"));
}

TEST(PluginTest, CreatesTheRequestedNumberOfDevices) {
  PJRT_Client* client = nullptr;
  ASSERT_EQ(Create(Option("device_count", 3), &client), nullptr);
  PJRT_Client_Devices_Args devices = {};
  devices.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE;
  devices.client = client;
  ASSERT_EQ(Load()->PJRT_Client_Devices(&devices), nullptr);
  EXPECT_EQ(devices.num_devices, 3u);
  PJRT_Client_Destroy_Args destroy = {PJRT_Client_Destroy_Args_STRUCT_SIZE, nullptr,
                                      client};
  EXPECT_EQ(Load()->PJRT_Client_Destroy(&destroy), nullptr);
}

TEST(PluginTest, UnknownOptionsListTheValidOnes) {
  PJRT_Client* client = nullptr;
  PJRT_Error* error = Create(Option("device_number", 3), &client);
  ASSERT_NE(error, nullptr);
  const std::string text = Message(error);
  EXPECT_NE(text.find("'device_number'"), std::string::npos) << text;
  EXPECT_NE(text.find("device_count"), std::string::npos) << text;
}

}  // namespace
