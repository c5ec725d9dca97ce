// The raw layer and the extensions on function tables of older plugins.
#include "tenon/pjrt/raw.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tenon/pjrt.hpp"

// What the fake functions below have seen.
struct PJRT_Client {
  int destroyed = 0;
};

namespace pjrt {
namespace {

int errors_alive = 0;

// A table of `size` bytes with errors that say "broken".
PJRT_Api make_table(size_t size = PJRT_Api_STRUCT_SIZE) {
  PJRT_Api table{};
  table.struct_size = size;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = 54;
  table.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* args) {
    delete args->error;
    --errors_alive;
  };
  table.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
    args->message = "broken, not terminated";
    args->message_size = 6;
  };
  table.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args* args) -> PJRT_Error* {
    args->code = PJRT_Error_Code_DATA_LOSS;
    return nullptr;
  };
  table.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* {
    return nullptr;
  };
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args* args) -> PJRT_Error* {
    args->client = new PJRT_Client;
    return nullptr;
  };
  table.PJRT_Client_Destroy = [](PJRT_Client_Destroy_Args* args) -> PJRT_Error* {
    delete args->client;
    return nullptr;
  };
  table.PJRT_Client_PlatformName = [](PJRT_Client_PlatformName_Args*) -> PJRT_Error* {
    ++errors_alive;
    return new PJRT_Error{};
  };
  return table;
}

TEST(RawTest, EveryFunctionHasItsPlaceAndName) {
  EXPECT_EQ(raw::PJRT_Error_Destroy::offset, offsetof(PJRT_Api, PJRT_Error_Destroy));
  EXPECT_STREQ(raw::PJRT_Compile::name, "PJRT_Compile");
  raw::Args<raw::PJRT_Client_Compile> args;
  EXPECT_EQ(args.struct_size, size_t{PJRT_Client_Compile_Args_STRUCT_SIZE});
  EXPECT_EQ(args.client, nullptr);
  // The last row of the table is the last slot: none is missing.
  EXPECT_EQ(raw::PJRT_TopologyDescription_GetMemorySpaceKindIds::offset + sizeof(void*),
            sizeof(PJRT_Api));
}

TEST(RawTest, ErrorsAreDestroyedOnce) {
  PJRT_Api table = make_table();
  raw::Api api(&table);
  {
    raw::Args<raw::PJRT_Client_PlatformName> args;
    raw::Error error = api.call<raw::PJRT_Client_PlatformName>(args);
    ASSERT_TRUE(error);
    EXPECT_EQ(error.code(), PJRT_Error_Code_DATA_LOSS);
    EXPECT_EQ(error.message(), "broken");
    EXPECT_STREQ(error.function(), "PJRT_Client_PlatformName");
    raw::Error moved = std::move(error);
    error = api.call<raw::PJRT_Client_PlatformName>(args);
    error = std::move(moved);
    EXPECT_EQ(errors_alive, 1);
  }
  EXPECT_EQ(errors_alive, 0);
}

TEST(RawTest, FunctionsBeyondTheTableAreErrors) {
  PJRT_Api table = make_table(offsetof(PJRT_Api, PJRT_Client_PlatformName));
  raw::Api api(&table);
  EXPECT_FALSE(api.has<raw::PJRT_Client_PlatformName>());
  raw::Args<raw::PJRT_Client_PlatformName> args;
  raw::Error error = api.call<raw::PJRT_Client_PlatformName>(args);
  EXPECT_TRUE(error.is_missing_function());
  EXPECT_EQ(error.code(), PJRT_Error_Code_UNIMPLEMENTED);
  // A slot of the table may also be null.
  raw::Args<raw::PJRT_Plugin_Attributes> attributes;
  EXPECT_TRUE(api.call<raw::PJRT_Plugin_Attributes>(attributes).is_missing_function());
}

TEST(RawTest, UnusableTablesAreRefused) {
  EXPECT_EQ(Plugin::from_table(nullptr, "x.so").error().code(),
            PJRT_Error_Code_INVALID_ARGUMENT);
  PJRT_Api table = make_table(64);
  EXPECT_FALSE(Plugin::from_table(&table, "x.so"));
  for (int minor : {53, 56}) {
    table = make_table();
    table.pjrt_api_version.minor_version = minor;
    EXPECT_FALSE(Plugin::from_table(&table, "x.so"));
  }
  table = make_table();
  table.pjrt_api_version.major_version = 1;
  Result<Plugin> plugin = Plugin::from_table(&table, "x.so");
  ASSERT_FALSE(plugin);
  EXPECT_STREQ(
      plugin.error().what(),
      "INVALID_ARGUMENT: GetPjrtApi: the plugin cannot be used: its PJRT API has "
      "another major version [x.so]");
}

TEST(RawTest, ErrorsNameFunctionAndPlugin) {
  static PJRT_Api table = make_table();
  Client client = Plugin::from_table(&table, "old.so").value().create_client().value();
  EXPECT_STREQ(client.platform_name().error().what(),
               "DATA_LOSS: PJRT_Client_PlatformName: broken [old.so]");
  EXPECT_EQ(errors_alive, 0);
  Result<Buffer> buffer = client.to_device(std::vector{1.f}, {1});
  EXPECT_STREQ(
      buffer.error().what(),
      "UNIMPLEMENTED: PJRT_Client_AddressableDevices: the plugin, whose PJRT API "
      "is 0.54, does not have this function [old.so]");
#if TENON_PJRT_HAS_EXCEPTIONS
  EXPECT_THROW(buffer.value(), Exception);
  EXPECT_THROW(*buffer, Exception);
#endif
}

// An extension that ends before the member, as that of an older plugin.
TEST(RawTest, MembersBeyondAnExtensionAreErrors) {
  static PJRT_Api table = make_table();
  static PJRT_Layouts_Extension layouts{};
  layouts.base.struct_size =
      offsetof(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Buffer_MemoryLayout);
  layouts.base.type = PJRT_Extension_Type_Layouts;
  layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout =
      [](PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) -> PJRT_Error* {
    EXPECT_GE(args->struct_size,
              size_t{PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE});
    ++errors_alive;
    return new PJRT_Error{};
  };
  // Memory behind the extension that is not a function.
  std::memset(reinterpret_cast<char*>(&layouts) + layouts.base.struct_size, 0x5a,
              sizeof(layouts) - layouts.base.struct_size);
  static PJRT_Extension_Base unknown{sizeof(unknown), PJRT_Extension_Type(99),
                                     &layouts.base};
  table.extension_start = &unknown;
  Plugin plugin = Plugin::from_table(&table, "old.so").value();
  EXPECT_EQ(plugin.extension<PJRT_FFI_Extension>().error().code(),
            PJRT_Error_Code_NOT_FOUND);
  auto extension = plugin.extension<PJRT_Layouts_Extension>().value();
  EXPECT_TRUE(
      extension.has(&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout));
  EXPECT_FALSE(
      extension.has(&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout));
  PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args{};
  Error error =
      extension.call(&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                     "PJRT_Layouts_PJRT_Buffer_MemoryLayout", args);
  EXPECT_EQ(error.code(), PJRT_Error_Code_UNIMPLEMENTED);
  Client client = plugin.create_client().value();
  EXPECT_EQ(default_layout(client, ElementType::f32, {2, 3}).error().code(),
            PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(errors_alive, 0);
}

TEST(RawTest, EndlessListsOfExtensionsEnd) {
  static PJRT_Api table = make_table();
  static PJRT_Extension_Base loop{sizeof(loop), PJRT_Extension_Type_Unknown, &loop};
  table.extension_start = &loop;
  EXPECT_EQ(raw::Api(&table).find_extension(PJRT_Extension_Type_FFI), nullptr);
}

}  // namespace
}  // namespace pjrt
