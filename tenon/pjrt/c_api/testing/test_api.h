// The function table over the fake client, and helpers to call it in tests.
#ifndef TENON_PJRT_C_API_TESTING_TEST_API_H_
#define TENON_PJRT_C_API_TESTING_TEST_API_H_

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/c_api/testing/fake_client.h"

namespace tenon::pjrt::testing {

inline const PluginDescription& FakePlugin() {
  static const PluginDescription description{
      .attributes = {{"stablehlo_current_version", std::vector<int64_t>{1, 13, 7}},
                     {"xla_version", int64_t{2}}},
      .create_client = CreateFakeClient,
      .create_topology = [](std::string_view,
                            const NamedValueMap&) -> StatusOr<std::unique_ptr<Topology>> {
        return std::unique_ptr<Topology>(std::make_unique<FakeTopology>(3));
      },
      .deserialize_topology =
          [](std::string_view bytes) -> StatusOr<std::unique_ptr<Topology>> {
        return std::unique_ptr<Topology>(
            std::make_unique<FakeTopology>(std::stoi(std::string(bytes))));
      },
      .ffi_registry = nullptr,
  };
  return description;
}

inline const PJRT_Api& Api() {
  static const PJRT_Api api = c_api::MakeApi<FakePlugin>(nullptr);
  return api;
}

// Zeroed args, with the struct_size of the header in this tree.
template <typename Args>
Args Make(size_t struct_size) {
  Args args;
  std::memset(&args, 0, sizeof(args));
  args.struct_size = struct_size;
  return args;
}
#define MAKE_ARGS(name, type) auto name = Make<type>(type##_STRUCT_SIZE)

// "" or "<CODE>: <message>"; destroys the error.
inline std::string Take(PJRT_Error* error) {
  if (error == nullptr) return "";
  MAKE_ARGS(code, PJRT_Error_GetCode_Args);
  code.error = error;
  EXPECT_EQ(Api().PJRT_Error_GetCode(&code), nullptr);
  MAKE_ARGS(message, PJRT_Error_Message_Args);
  message.error = error;
  Api().PJRT_Error_Message(&message);
  std::string text = std::string(StatusCodeName(static_cast<StatusCode>(code.code))) +
                     ": " + std::string(message.message, message.message_size);
  MAKE_ARGS(destroy, PJRT_Error_Destroy_Args);
  destroy.error = error;
  Api().PJRT_Error_Destroy(&destroy);
  return text;
}

// CALL(PJRT_Client_Devices, args) calls the function and expects success.
#define CALL(function, args) ASSERT_EQ(Take(Api().function(&(args))), "")

inline std::string AwaitAndDestroy(PJRT_Event* event) {
  MAKE_ARGS(await, PJRT_Event_Await_Args);
  await.event = event;
  std::string text = Take(Api().PJRT_Event_Await(&await));
  MAKE_ARGS(destroy, PJRT_Event_Destroy_Args);
  destroy.event = event;
  EXPECT_EQ(Take(Api().PJRT_Event_Destroy(&destroy)), "");
  return text;
}

// Creates a client for each test.
class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MAKE_ARGS(create, PJRT_Client_Create_Args);
    CALL(PJRT_Client_Create, create);
    client_ = create.client;
    MAKE_ARGS(devices, PJRT_Client_Devices_Args);
    devices.client = client_;
    CALL(PJRT_Client_Devices, devices);
    ASSERT_EQ(devices.num_devices, 2u);
    device_ = devices.devices[0];
    MAKE_ARGS(memory, PJRT_Device_DefaultMemory_Args);
    memory.device = device_;
    CALL(PJRT_Device_DefaultMemory, memory);
    memory_ = memory.memory;
  }

  void TearDown() override {
    MAKE_ARGS(destroy, PJRT_Client_Destroy_Args);
    destroy.client = client_;
    CALL(PJRT_Client_Destroy, destroy);
  }

  // An f32[2,3] buffer of 0, 1, ... 5.
  PJRT_Buffer* Upload() {
    static const float values[6] = {0, 1, 2, 3, 4, 5};
    static const int64_t dims[2] = {2, 3};
    MAKE_ARGS(args, PJRT_Client_BufferFromHostBuffer_Args);
    args.client = client_;
    args.data = values;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 2;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.memory = memory_;
    EXPECT_EQ(Take(Api().PJRT_Client_BufferFromHostBuffer(&args)), "");
    EXPECT_EQ(AwaitAndDestroy(args.done_with_host_buffer), "");
    return args.buffer;
  }

  std::vector<float> Download(PJRT_Buffer* buffer) {
    std::vector<float> values(6);
    MAKE_ARGS(args, PJRT_Buffer_ToHostBuffer_Args);
    args.src = buffer;
    args.dst = values.data();
    args.dst_size = values.size() * sizeof(float);
    EXPECT_EQ(Take(Api().PJRT_Buffer_ToHostBuffer(&args)), "");
    EXPECT_EQ(AwaitAndDestroy(args.event), "");
    return values;
  }

  void Destroy(PJRT_Buffer* buffer) {
    MAKE_ARGS(args, PJRT_Buffer_Destroy_Args);
    args.buffer = buffer;
    CALL(PJRT_Buffer_Destroy, args);
  }

  bool IsDeleted(PJRT_Buffer* buffer) {
    MAKE_ARGS(args, PJRT_Buffer_IsDeleted_Args);
    args.buffer = buffer;
    EXPECT_EQ(Take(Api().PJRT_Buffer_IsDeleted(&args)), "");
    return args.is_deleted;
  }

  // The error text, or "" and *executable.
  std::string Compile(std::string code, PJRT_LoadedExecutable** executable,
                      std::string format = "mlir", std::string options = "") {
    MAKE_ARGS(program, PJRT_Program);
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    MAKE_ARGS(args, PJRT_Client_Compile_Args);
    args.client = client_;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    std::string error = Take(Api().PJRT_Client_Compile(&args));
    *executable = args.executable;
    return error;
  }

  void Destroy(PJRT_LoadedExecutable* executable) {
    MAKE_ARGS(args, PJRT_LoadedExecutable_Destroy_Args);
    args.executable = executable;
    CALL(PJRT_LoadedExecutable_Destroy, args);
  }

  PJRT_Client* client_ = nullptr;
  PJRT_Device* device_ = nullptr;
  PJRT_Memory* memory_ = nullptr;
};

}  // namespace tenon::pjrt::testing

#endif  // TENON_PJRT_C_API_TESTING_TEST_API_H_
