#include "tenon/pjrt/extensions/standard_extensions.h"

#include <map>
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

class FakeRegistry final : public FfiRegistry {
 public:
  Status RegisterHandler(std::string_view target, std::string_view platform,
                         const FfiHandlers& handlers) override {
    if (!this->handlers.emplace(std::string(target), handlers).second) {
      return AlreadyExists("handler " + std::string(target) + " is registered");
    }
    this->platform = platform;
    return OkStatus();
  }
  StatusOr<int64_t> RegisterType(std::string_view, int64_t id,
                                 const FfiTypeInfo&) override {
    return id ? id : next_id++;
  }

  std::map<std::string, FfiHandlers> handlers;
  std::string platform;
  int64_t next_id = 100;
};

FakeRegistry& Registry() {
  static FakeRegistry registry;
  return registry;
}

class FakeProfiler final : public Profiler {
 public:
  Status Start() override {
    if (running) return FailedPrecondition("already");
    running = true;
    return OkStatus();
  }
  std::vector<TracePlane> Stop() override {
    running = false;
    return {{"plane", {{5, "line", {{"span", 100, 20, {{"n", 7}, {"s", "text"}}}}}}}};
  }

  bool running = false;
};

FakeProfiler& TestProfiler() {
  static FakeProfiler profiler;
  return profiler;
}

const PluginDescription& PluginWithFfi() {
  static const PluginDescription description = [] {
    PluginDescription with = FakePlugin();
    with.ffi_registry = &Registry();
    with.profiler = &TestProfiler();
    with.abi = {2, 4};
    return with;
  }();
  return description;
}

const PJRT_Extension_Base* Chain() {
  static PJRT_Extension_Base* const chain = StandardExtensions<PluginWithFfi>();
  return chain;
}

template <typename Extension>
const Extension& Find(PJRT_Extension_Type type) {
  for (const PJRT_Extension_Base* node = Chain(); node; node = node->next) {
    if (node->type == type) return *reinterpret_cast<const Extension*>(node);
  }
  ADD_FAILURE() << "no extension of type " << type;
  std::abort();
}

TEST(StandardExtensionsTest, ChainHasEachTypeOnce) {
  std::map<int, int> count;
  for (const PJRT_Extension_Base* node = Chain(); node; node = node->next) {
    ++count[node->type];
  }
  EXPECT_EQ(count, (std::map<int, int>{{PJRT_Extension_Type_Layouts, 1},
                                       {PJRT_Extension_Type_FFI, 1},
                                       {PJRT_Extension_Type_Gpu_Custom_Call, 1},
                                       {PJRT_Extension_Type_Profiler, 1},
                                       {PJRT_Extension_Type_AbiVersion, 1},
                                       {PJRT_Extension_Type_MemoryDescriptions, 1},
                                       {PJRT_Extension_Type_Stream, 1},
                                       {PJRT_Extension_Type_Shardings, 1}}));
  // A plugin without a registry has no FFI extension, and one without a profiler has no
  // Profiler extension.
  for (auto* node = StandardExtensions<FakePlugin>(); node; node = node->next) {
    EXPECT_NE(node->type, PJRT_Extension_Type_FFI);
    EXPECT_NE(node->type, PJRT_Extension_Type_Profiler);
    EXPECT_NE(node->type, PJRT_Extension_Type_AbiVersion);
  }
}

TEST_F(ApiTest, AbiVersions) {
  const auto& abi = Find<PJRT_AbiVersion_Extension>(PJRT_Extension_Type_AbiVersion);
  MAKE_ARGS(get, PJRT_Client_RuntimeAbiVersion_Args);
  get.client = client_;
  ASSERT_EQ(Take(abi.client_runtime_abi_version(&get)), "");
  MAKE_ARGS(id, PJRT_RuntimeAbiVersion_PlatformId_Args);
  id.abi_version = get.abi_version;
  EXPECT_EQ(Take(abi.runtime_abi_version_platform_id(&id)), "");
  EXPECT_NE(id.platform_id, 0u);
  MAKE_ARGS(write, PJRT_RuntimeAbiVersion_ToProto_Args);
  write.abi_version = get.abi_version;
  ASSERT_EQ(Take(abi.runtime_abi_version_to_proto(&write)), "");
  std::string proto(write.serialized_proto, write.serialized_proto_size);
  write.serialized_proto_deleter(write.serialized_proto_holder);

  const auto check = [&](const std::string& executable) -> std::string {
    MAKE_ARGS(read, PJRT_ExecutableAbiVersion_FromProto_Args);
    read.serialized_proto = executable.data();
    read.serialized_proto_size = executable.size();
    if (const std::string error = Take(abi.executable_abi_version_from_proto(&read));
        !error.empty())
      return error;
    MAKE_ARGS(is, PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args);
    is.abi_version = get.abi_version;
    is.executable_abi_version = read.abi_version;
    const std::string error =
        Take(abi.runtime_abi_version_is_compatible_with_executable(&is));
    MAKE_ARGS(destroy, PJRT_ExecutableAbiVersion_Destroy_Args);
    destroy.abi_version = read.abi_version;
    EXPECT_EQ(Take(abi.executable_abi_version_destroy(&destroy)), "");
    return error;
  };
  EXPECT_EQ(check(proto), "");
  // The proto ends in the newest and the oldest number, each with its field's number.
  ASSERT_EQ(proto.substr(proto.size() - 4), "\x10\x04\x18\x02");
  proto.replace(proto.size() - 4, 4, "\x10\x05\x18\x05");
  EXPECT_NE(check(proto).find("runs executables of ABI 2 to 4, but this one has ABI 5"),
            std::string::npos);
  EXPECT_NE(check(proto.substr(0, proto.size() - 1)).find("malformed"),
            std::string::npos);
  EXPECT_NE(check("").find("another platform"), std::string::npos);

  MAKE_ARGS(same, PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args);
  same.abi_version = same.other_abi_version = get.abi_version;
  EXPECT_EQ(Take(abi.runtime_abi_version_is_compatible_with_runtime(&same)), "");
  MAKE_ARGS(destroy, PJRT_RuntimeAbiVersion_Destroy_Args);
  destroy.abi_version = get.abi_version;
  EXPECT_EQ(Take(abi.runtime_abi_version_destroy(&destroy)), "");
}

std::string Text(const PJRT_Layouts_Extension& layouts,
                 PJRT_Layouts_MemoryLayout* layout) {
  MAKE_ARGS(args, PJRT_Layouts_MemoryLayout_Serialize_Args);
  args.layout = layout;
  EXPECT_EQ(Take(layouts.PJRT_Layouts_MemoryLayout_Serialize(&args)), "");
  std::string text(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_layout_deleter(args.serialized_layout);
  return text;
}

void DestroyLayout(const PJRT_Layouts_Extension& layouts,
                   PJRT_Layouts_MemoryLayout* layout) {
  MAKE_ARGS(args, PJRT_Layouts_MemoryLayout_Destroy_Args);
  args.layout = layout;
  EXPECT_EQ(Take(layouts.PJRT_Layouts_MemoryLayout_Destroy(&args)), "");
}

TEST_F(ApiTest, Layouts) {
  const auto& layouts = Find<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  int64_t dims[3] = {2, 3, 4};
  for (size_t rank : {0, 3}) {
    MAKE_ARGS(args, PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args);
    args.client = client_;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = rank;
    EXPECT_EQ(Take(layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout(&args)), "");
    EXPECT_EQ(Text(layouts, args.layout), rank ? "{2,1,0}" : "{}");
    DestroyLayout(layouts, args.layout);
  }
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(of_buffer, PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args);
  of_buffer.buffer = buffer;
  EXPECT_EQ(Take(layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout(&of_buffer)), "");
  Destroy(buffer);
  EXPECT_EQ(Text(layouts, of_buffer.layout), "{1,0}");
  DestroyLayout(layouts, of_buffer.layout);
}

TEST_F(ApiTest, LayoutsAndShardingsOfExecutables) {
  const auto& layouts = Find<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  const auto& shardings = Find<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings);
  PJRT_LoadedExecutable* loaded = nullptr;
  ASSERT_EQ(Compile("add_one", &loaded), "");
  MAKE_ARGS(get, PJRT_LoadedExecutable_GetExecutable_Args);
  get.loaded_executable = loaded;
  CALL(PJRT_LoadedExecutable_GetExecutable, get);
  MAKE_ARGS(outputs, PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args);
  outputs.executable = get.executable;
  EXPECT_EQ(Take(layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts(&outputs)), "");
  ASSERT_EQ(outputs.num_outputs, 1u);
  EXPECT_EQ(Text(layouts, outputs.layouts[0]), "{1,0}");
  MAKE_ARGS(parameters, PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args);
  parameters.executable = get.executable;
  EXPECT_EQ(Take(layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts(&parameters)),
            "");
  EXPECT_EQ(parameters.num_parameters, 1u);
  MAKE_ARGS(sharded, PJRT_Shardings_PJRT_Executable_OutputShardings_Args);
  sharded.executable = get.executable;
  EXPECT_EQ(Take(shardings.PJRT_Shardings_PJRT_Executable_OutputShardings(&sharded)), "");
  ASSERT_EQ(sharded.num_outputs, 1u);
  EXPECT_EQ(sharded.sharding_sizes[0], 0u);  // the empty proto: replicated
  EXPECT_NE(sharded.shardings[0], nullptr);
  MAKE_ARGS(destroy, PJRT_Executable_Destroy_Args);
  destroy.executable = get.executable;
  CALL(PJRT_Executable_Destroy, destroy);
  Destroy(loaded);
}

TEST_F(ApiTest, MemoryDescriptions) {
  const auto& extension =
      Find<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions);
  MAKE_ARGS(get, PJRT_Device_GetDescription_Args);
  get.device = device_;
  CALL(PJRT_Device_GetDescription, get);
  MAKE_ARGS(list, PJRT_DeviceDescription_MemoryDescriptions_Args);
  list.device_description = get.device_description;
  EXPECT_EQ(Take(extension.PJRT_DeviceDescription_MemoryDescriptions(&list)), "");
  ASSERT_EQ(list.num_memory_descriptions, 2u);
  EXPECT_EQ(list.default_memory_index, 0u);
  MAKE_ARGS(kind, PJRT_MemoryDescription_Kind_Args);
  kind.memory_description = list.memory_descriptions[1];
  EXPECT_EQ(Take(extension.PJRT_MemoryDescription_Kind(&kind)), "");
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "pinned_host");
  EXPECT_EQ(kind.kind_id, 1);
}

TEST_F(ApiTest, PlatformsWithoutStreamsSaySo) {
  const auto& extension = Find<PJRT_Stream_Extension>(PJRT_Extension_Type_Stream);
  MAKE_ARGS(get, PJRT_Get_Stream_For_External_Ready_Events_Args);
  get.device = device_;
  EXPECT_EQ(Take(extension.get_stream(&get)),
            "UNIMPLEMENTED: this platform has no streams");
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(wait, PJRT_Wait_Until_Buffer_Ready_On_Stream_Args);
  wait.buffer = buffer;
  EXPECT_EQ(Take(extension.wait_stream(&wait)),
            "UNIMPLEMENTED: this platform has no streams");
  Destroy(buffer);
}

TEST_F(ApiTest, CustomCallsWithAllStages) {
  const auto& extension = Find<PJRT_Gpu_Custom_Call>(PJRT_Extension_Type_Gpu_Custom_Call);
  int stages[4] = {};
  MAKE_ARGS(handler, PJRT_Gpu_Register_Custom_Call_Args);
  handler.function_name = "staged_";
  handler.function_name_size = 6;
  handler.handler_instantiate = &stages[0];
  handler.handler_prepare = &stages[1];
  handler.handler_initialize = &stages[2];
  EXPECT_EQ(Take(extension.custom_call(&handler)),
            "INVALID_ARGUMENT: RegisterCustomCall: handler_execute is null");
  handler.handler_execute = &stages[3];
  EXPECT_EQ(Take(extension.custom_call(&handler)),
            "UNIMPLEMENTED: custom call 'staged' has a handler of API version 0: only "
            "handlers of the typed FFI (version 1) can be called");
  handler.api_version = 1;
  EXPECT_EQ(Take(extension.custom_call(&handler)), "");
  const FfiHandlers& handlers = Registry().handlers.at("staged");
  EXPECT_EQ(handlers.instantiate, &stages[0]);
  EXPECT_EQ(handlers.prepare, &stages[1]);
  EXPECT_EQ(handlers.initialize, &stages[2]);
  EXPECT_EQ(handlers.execute, &stages[3]);
  EXPECT_EQ(Registry().platform, "cpu");
}

std::string TakeMessage(const PLUGIN_Profiler_Api& api, PLUGIN_Profiler_Error* error) {
  if (!error) return "";
  MAKE_ARGS(message, PLUGIN_Profiler_Error_Message_Args);
  message.error = error;
  api.error_message(&message);
  MAKE_ARGS(code, PLUGIN_Profiler_Error_GetCode_Args);
  code.error = error;
  EXPECT_EQ(api.error_get_code(&code), nullptr);
  std::string text = std::to_string(code.code) + " " +
                     std::string(message.message, message.message_size);
  MAKE_ARGS(destroy, PLUGIN_Profiler_Error_Destroy_Args);
  destroy.error = error;
  api.error_destroy(&destroy);
  return text;
}

TEST(StandardExtensionsTest, ProfilerStartsStopsAndCollects) {
  const auto& extension = Find<PJRT_Profiler_Extension>(PJRT_Extension_Type_Profiler);
  const PLUGIN_Profiler_Api& api = *extension.profiler_api;
  MAKE_ARGS(create, PLUGIN_Profiler_Create_Args);
  ASSERT_EQ(TakeMessage(api, api.create(&create)), "");
  MAKE_ARGS(start, PLUGIN_Profiler_Start_Args);
  start.profiler = create.profiler;
  TestProfiler().running = true;
  EXPECT_EQ(TakeMessage(api, api.start(&start)), "9 already");
  TestProfiler().running = false;
  EXPECT_EQ(TakeMessage(api, api.start(&start)), "");
  EXPECT_TRUE(TestProfiler().running);
  MAKE_ARGS(stop, PLUGIN_Profiler_Stop_Args);
  stop.profiler = create.profiler;
  EXPECT_EQ(TakeMessage(api, api.stop(&stop)), "");
  EXPECT_FALSE(TestProfiler().running);
  MAKE_ARGS(collect, PLUGIN_Profiler_CollectData_Args);
  collect.profiler = create.profiler;
  EXPECT_EQ(TakeMessage(api, api.collect_data(&collect)), "");
  ASSERT_NE(collect.buffer, nullptr);
  const std::string own(reinterpret_cast<const char*>(collect.buffer),
                        collect.buffer_size_in_bytes);
  std::string trace(collect.buffer_size_in_bytes, '\0');
  collect.buffer = reinterpret_cast<uint8_t*>(trace.data());
  EXPECT_EQ(TakeMessage(api, api.collect_data(&collect)), "");
  EXPECT_EQ(trace, own);
  for (const char* text : {"plane", "line", "span", "text"}) {
    EXPECT_NE(trace.find(text), trace.npos) << text;
  }
  MAKE_ARGS(destroy, PLUGIN_Profiler_Destroy_Args);
  destroy.profiler = create.profiler;
  EXPECT_EQ(TakeMessage(api, api.destroy(&destroy)), "");
}

TEST_F(ApiTest, FfiRegistersAndAddsUserData) {
  const auto& ffi = Find<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI);
  MAKE_ARGS(handler, PJRT_FFI_Register_Handler_Args);
  handler.target_name = "lapack_x";
  handler.target_name_size = 7;
  handler.platform_name = "cpu";
  handler.platform_name_size = 3;
  EXPECT_EQ(Take(ffi.register_handler(&handler)),
            "INVALID_ARGUMENT: FfiRegisterHandler: handler is null");
  int function = 0;
  handler.handler = &function;
  handler.traits = PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
  EXPECT_EQ(Take(ffi.register_handler(&handler)), "");
  EXPECT_EQ(Registry().handlers.at("lapack_").execute, &function);
  EXPECT_EQ(Registry().handlers.at("lapack_").traits, 1u);
  EXPECT_EQ(Registry().platform, "cpu");
  EXPECT_EQ(Take(ffi.register_handler(&handler)),
            "ALREADY_EXISTS: handler lapack_ is registered");

  MAKE_ARGS(type, PJRT_FFI_Type_Register_Args);
  type.type_name = "T";
  type.type_name_size = 1;
  EXPECT_EQ(Take(ffi.type_register(&type)), "");
  EXPECT_EQ(type.type_id, 100);

  MAKE_ARGS(create, PJRT_ExecuteContext_Create_Args);
  CALL(PJRT_ExecuteContext_Create, create);
  MAKE_ARGS(add, PJRT_FFI_UserData_Add_Args);
  add.context = create.context;
  add.user_data = {100, &function};
  EXPECT_EQ(Take(ffi.user_data_add(&add)), "");
  EXPECT_EQ(Take(ffi.user_data_add(&add)),
            "ALREADY_EXISTS: user data of type id 100 is already in the execute context");
  MAKE_ARGS(destroy, PJRT_ExecuteContext_Destroy_Args);
  destroy.context = create.context;
  CALL(PJRT_ExecuteContext_Destroy, destroy);
}

}  // namespace
}  // namespace tenon::pjrt::testing
