// Tests the behaviour that all functions share: sizes of args, null args, stubs, errors,
// exceptions.
#include "tenon/pjrt/c_api/dispatch.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

TEST(DispatchTest, TableIsComplete) {
  const PJRT_Api& api = Api();
  EXPECT_EQ(api.struct_size, 1144u);
  EXPECT_EQ(api.pjrt_api_version.major_version, 0);
  EXPECT_EQ(api.pjrt_api_version.minor_version, 112);
  auto* slots = reinterpret_cast<void* const*>(&api.PJRT_Error_Destroy);
  for (int i = 0; i < 138; ++i) EXPECT_NE(slots[i], nullptr) << "slot " << i;
}

// No function crashes on null args, args of size 0, or null handles.
TEST(DispatchTest, MisuseOfEveryFunctionIsAnError) {
  using AnyFunction = PJRT_Error* (*)(void*);
  auto* slots = reinterpret_cast<const AnyFunction*>(&Api().PJRT_Error_Destroy);
  for (int i = 2; i < 138; ++i) {
    EXPECT_NE(Take(slots[i](nullptr)), "") << "slot " << i;
    alignas(8) char args[256] = {};
    EXPECT_NE(Take(slots[i](args)), "") << "slot " << i;
    std::memset(args, 0, sizeof(args));
    *reinterpret_cast<size_t*>(args) = sizeof(args);
    const PJRT_Api& api = Api();
    const void* makers[] = {reinterpret_cast<void*>(api.PJRT_Client_Create),
                            reinterpret_cast<void*>(api.PJRT_Event_Create),
                            reinterpret_cast<void*>(api.PJRT_ExecuteContext_Create),
                            reinterpret_cast<void*>(api.PJRT_TopologyDescription_Create)};
    // These functions need no handle, so they would succeed.
    if (std::find(std::begin(makers), std::end(makers),
                  reinterpret_cast<void*>(slots[i])) != std::end(makers)) {
      continue;
    }
    Take(slots[i](args));  // may succeed, e.g. destroying null
  }
}

TEST(DispatchTest, StubsNameTheFunction) {
  MAKE_ARGS(args, PJRT_CopyToDeviceStream_AddChunk_Args);
  EXPECT_EQ(Take(Api().PJRT_CopyToDeviceStream_AddChunk(&args)),
            "UNIMPLEMENTED: PJRT_CopyToDeviceStream_AddChunk is not implemented");
}

TEST(DispatchTest, ShortArgsAreNamed) {
  auto args = Make<PJRT_Client_Devices_Args>(24);
  EXPECT_EQ(Take(Api().PJRT_Client_Devices(&args)),
            "INVALID_ARGUMENT: PJRT_Client_Devices: args.struct_size is 24, at least 40 "
            "is needed");
}

TEST(DispatchTest, NullErrorIsLegal) {
  MAKE_ARGS(destroy, PJRT_Error_Destroy_Args);
  Api().PJRT_Error_Destroy(&destroy);
  MAKE_ARGS(code, PJRT_Error_GetCode_Args);
  EXPECT_EQ(Api().PJRT_Error_GetCode(&code), nullptr);
  EXPECT_EQ(code.code, PJRT_Error_Code_OK);
  MAKE_ARGS(message, PJRT_Error_Message_Args);
  Api().PJRT_Error_Message(&message);
  EXPECT_EQ(message.message_size, 0u);
}

TEST(DispatchTest, ErrorsCarryTheirFunctions) {
  PJRT_Error* error = c_api::CallbackError(PJRT_Error_Code_NOT_FOUND, "no key", 6);
  EXPECT_EQ(error->vtable->get_code(error), PJRT_Error_Code_NOT_FOUND);
  int visited = 0;
  MAKE_ARGS(payloads, PJRT_Error_ForEachPayload_Args);
  payloads.error = error;
  payloads.visitor = [](const char*, size_t, const char*, size_t, void* count) {
    ++*static_cast<int*>(count);
  };
  payloads.user_arg = &visited;
  EXPECT_EQ(Api().PJRT_Error_ForEachPayload(&payloads), nullptr);
  EXPECT_EQ(visited, 0);
  Status status = c_api::TakeError(error);
  EXPECT_EQ(status.ToString(), "NOT_FOUND: no key");
}

TEST(DispatchTest, UnknownErrorCodes) {
  EXPECT_EQ(c_api::StatusFromParts(static_cast<PJRT_Error_Code>(77), nullptr, 0).code(),
            StatusCode::kUnknown);
}

TEST(DispatchTest, PluginAttributesOutliveTheCallAndServeOldClients) {
  // Up to API 0.5x the size did not cover the last member.
  auto args = Make<PJRT_Plugin_Attributes_Args>(24);
  CALL(PJRT_Plugin_Attributes, args);
  ASSERT_EQ(args.num_attributes, 2u);
  EXPECT_EQ(std::string(args.attributes[0].name, args.attributes[0].name_size),
            "stablehlo_current_version");
  ASSERT_EQ(args.attributes[0].type, PJRT_NamedValue_kInt64List);
  EXPECT_EQ(args.attributes[0].value_size, 3u);
  EXPECT_EQ(args.attributes[0].int64_array_value[1], 13);
  EXPECT_EQ(args.attributes[1].int64_value, 2);
  MAKE_ARGS(again, PJRT_Plugin_Attributes_Args);
  CALL(PJRT_Plugin_Attributes, again);
  EXPECT_EQ(again.attributes, args.attributes);
}

TEST_F(ApiTest, ExceptionsStopAtTheBoundary) {
  PJRT_LoadedExecutable* executable = nullptr;
  EXPECT_EQ(Compile("throw", &executable),
            "RESOURCE_EXHAUSTED: PJRT_Client_Compile: out of host memory");
}

}  // namespace
}  // namespace tenon::pjrt::testing
