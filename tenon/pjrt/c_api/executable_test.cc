// Tests compiling, querying and running programs through the C function table.
#include "tenon/pjrt/interface/executable.h"

#include <string>
#include <vector>

#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

// Runs a program of one argument and one result.
struct Launch {
  explicit Launch(PJRT_LoadedExecutable* executable, PJRT_Buffer* argument)
      : argument_list{argument},
        options(Make<PJRT_ExecuteOptions>(PJRT_ExecuteOptions_STRUCT_SIZE)),
        args(Make<PJRT_LoadedExecutable_Execute_Args>(
            PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE)) {
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &argument_lists;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &output_lists;
    args.device_complete_events = &done;
  }
  std::string operator()() { return Take(Api().PJRT_LoadedExecutable_Execute(&args)); }

  PJRT_Buffer* argument_list[1];
  PJRT_Buffer* const* argument_lists = argument_list;
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** output_lists = &output;
  PJRT_Event* done = nullptr;
  PJRT_ExecuteOptions options;
  PJRT_LoadedExecutable_Execute_Args args;
};

FakeLoadedExecutable* Fake(PJRT_LoadedExecutable* executable) {
  return static_cast<FakeLoadedExecutable*>(executable->executable.get());
}

TEST_F(ApiTest, CompileErrors) {
  PJRT_LoadedExecutable* executable = nullptr;
  EXPECT_EQ(Compile("add_one", &executable, "hlo"),
            "INVALID_ARGUMENT: program format 'hlo' is not mlir");
  EXPECT_EQ(Compile("add_one", &executable, "mlir", "bad"),
            "INVALID_ARGUMENT: malformed options");
  MAKE_ARGS(args, PJRT_Client_Compile_Args);
  args.client = client_;
  EXPECT_EQ(Take(Api().PJRT_Client_Compile(&args)), "INVALID_ARGUMENT: program is null");
}

TEST_F(ApiTest, Execute) {
  PJRT_LoadedExecutable* executable = nullptr;
  ASSERT_EQ(Compile("add_one donate", &executable), "");
  PJRT_Buffer* argument = Upload();
  Launch run(executable, argument);
  int64_t keep[1] = {0};
  run.options.non_donatable_input_indices = keep;
  run.options.num_non_donatable_input_indices = 1;
  run.options.launch_id = 5;
  run.options.call_location = "train.py:7";
  ASSERT_EQ(run(), "");
  EXPECT_EQ(AwaitAndDestroy(run.done), "");
  EXPECT_EQ(Download(run.output), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(IsDeleted(argument));
  EXPECT_EQ(Fake(executable)->last_options.launch_id, 5);
  EXPECT_EQ(Fake(executable)->last_location, "train.py:7");
  Destroy(run.output);

  // In API 0.54 the options ended after launch_id and the donation list.
  run.options.struct_size = 72;
  run.options.num_non_donatable_input_indices = 0;
  run.options.context = reinterpret_cast<PJRT_ExecuteContext*>(0x10);
  run.options.call_location = reinterpret_cast<const char*>(0x10);
  run.options.num_hlo_output_callbacks = 3;
  run.args.device_complete_events = nullptr;
  ASSERT_EQ(run(), "");
  EXPECT_TRUE(IsDeleted(argument));
  Destroy(run.output);
  EXPECT_EQ(run(), "INVALID_ARGUMENT: argument 0 is deleted");

  Destroy(argument);
  Destroy(executable);
}

TEST_F(ApiTest, ExecuteChecksItsArguments) {
  PJRT_LoadedExecutable* executable = nullptr;
  ASSERT_EQ(Compile("add_one", &executable), "");
  PJRT_Buffer* argument = Upload();
  Launch run(executable, argument);
  run.args.num_args = 2;
  EXPECT_EQ(
      run(),
      "INVALID_ARGUMENT: Execution supplied 2 buffers but compiled program expected "
      "1 buffers");
  run.args.num_args = 1;
  run.args.num_devices = 2;
  EXPECT_EQ(run(),
            "INVALID_ARGUMENT: Execution got lists for 2 devices but compiled program "
            "expected 1");
  run.args.num_devices = 1;
  run.argument_list[0] = nullptr;
  EXPECT_EQ(run(), "INVALID_ARGUMENT: argument 0 is null");
  run.argument_list[0] = argument;
  run.options.num_send_ops = 1;
  EXPECT_EQ(run(), "UNIMPLEMENTED: host send and receive callbacks are not supported");
  run.options.num_send_ops = 0;
  run.args.options = nullptr;
  ASSERT_EQ(run(), "");
  EXPECT_EQ(AwaitAndDestroy(run.done), "");
  Destroy(run.output);
  Destroy(argument);
  Destroy(executable);
}

TEST_F(ApiTest, ErrorsOfARunPoisonOutputsAndEvent) {
  PJRT_LoadedExecutable* executable = nullptr;
  ASSERT_EQ(Compile("fail", &executable), "");
  PJRT_Buffer* argument = Upload();
  Launch run(executable, argument);
  ASSERT_EQ(run(), "");
  EXPECT_EQ(AwaitAndDestroy(run.done), "INTERNAL: the program failed");
  MAKE_ARGS(ready, PJRT_Buffer_ReadyEvent_Args);
  ready.buffer = run.output;
  CALL(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_EQ(AwaitAndDestroy(ready.event), "INTERNAL: the program failed");
  Destroy(run.output);
  Destroy(argument);
  Destroy(executable);
}

TEST_F(ApiTest, ExecuteContextOutlivesItsHandle) {
  PJRT_LoadedExecutable* executable = nullptr;
  ASSERT_EQ(Compile("add_one", &executable), "");
  PJRT_Buffer* argument = Upload();
  MAKE_ARGS(create, PJRT_ExecuteContext_Create_Args);
  CALL(PJRT_ExecuteContext_Create, create);
  int data = 0;
  EXPECT_TRUE(create.context->context->AddUserData(3, &data).ok());
  EXPECT_FALSE(create.context->context->AddUserData(3, &data).ok());
  Launch run(executable, argument);
  run.options.context = create.context;
  ASSERT_EQ(run(), "");
  MAKE_ARGS(destroy, PJRT_ExecuteContext_Destroy_Args);
  destroy.context = create.context;
  CALL(PJRT_ExecuteContext_Destroy, destroy);
  EXPECT_EQ(Fake(executable)->last_options.context->Lookup(3), &data);
  AwaitAndDestroy(run.done);
  Destroy(run.output);
  Destroy(argument);
  Destroy(executable);
}

TEST_F(ApiTest, ExecutableGetters) {
  PJRT_LoadedExecutable* loaded = nullptr;
  ASSERT_EQ(Compile("add_one", &loaded, "mlir", "opts"), "");
  MAKE_ARGS(get, PJRT_LoadedExecutable_GetExecutable_Args);
  get.loaded_executable = loaded;
  CALL(PJRT_LoadedExecutable_GetExecutable, get);
  MAKE_ARGS(assignment, PJRT_LoadedExecutable_GetDeviceAssignment_Args);
  assignment.executable = loaded;
  CALL(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  EXPECT_EQ(std::string(assignment.serialized_bytes, assignment.serialized_bytes_size),
            std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01\x00", 9));
  assignment.serialized_device_assignment_deleter(
      assignment.serialized_device_assignment);
  MAKE_ARGS(ids, PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args);
  ids.executable = loaded;
  CALL(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  EXPECT_EQ(ids.num_addressable_device_logical_ids, 1u);
  Destroy(loaded);  // the executable stays valid

  PJRT_Executable* executable = get.executable;
  MAKE_ARGS(outputs, PJRT_Executable_NumOutputs_Args);
  outputs.executable = executable;
  CALL(PJRT_Executable_NumOutputs, outputs);
  EXPECT_EQ(outputs.num_outputs, 1u);
  MAKE_ARGS(dims, PJRT_Executable_OutputDimensions_Args);
  dims.executable = executable;
  CALL(PJRT_Executable_OutputDimensions, dims);
  EXPECT_EQ(dims.num_outputs, 1u);
  EXPECT_EQ(dims.dim_sizes[0], 2u);
  EXPECT_EQ(dims.dims[1], 3);
  MAKE_ARGS(kinds, PJRT_Executable_OutputMemoryKinds_Args);
  kinds.executable = executable;
  CALL(PJRT_Executable_OutputMemoryKinds, kinds);
  EXPECT_EQ(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]), "device");
  MAKE_ARGS(print, PJRT_Executable_Fingerprint_Args);
  print.executable = executable;
  CALL(PJRT_Executable_Fingerprint, print);
  EXPECT_EQ(std::string(print.executable_fingerprint, print.executable_fingerprint_size),
            "print of add_one");
  MAKE_ARGS(costs, PJRT_Executable_GetCostAnalysis_Args);
  costs.executable = executable;
  CALL(PJRT_Executable_GetCostAnalysis, costs);
  ASSERT_EQ(costs.num_properties, 1u);
  EXPECT_EQ(costs.properties[0].float_value, 6.0f);
  MAKE_ARGS(options, PJRT_Executable_GetCompileOptions_Args);
  options.executable = executable;
  CALL(PJRT_Executable_GetCompileOptions, options);
  EXPECT_EQ(std::string(options.serialized_bytes, options.serialized_bytes_size), "opts");
  options.serialized_compile_options_deleter(options.serialized_compile_options);

  // The sizes of API 0.54, 0.83, 0.90 and 0.112.
  for (size_t size : {104, 112, 120, 144}) {
    auto stats = Make<PJRT_Executable_GetCompiledMemoryStats_Args>(size);
    stats.executable = executable;
    stats.peak_memory_in_bytes = -1;
    stats.peak_unpadded_heap_bytes = -1;
    CALL(PJRT_Executable_GetCompiledMemoryStats, stats);
    EXPECT_EQ(stats.argument_size_in_bytes, 24);
    EXPECT_EQ(stats.peak_memory_in_bytes, size >= 112 ? 48 : -1);
    EXPECT_EQ(stats.peak_unpadded_heap_bytes, size >= 144 ? 50 : -1);
  }

  MAKE_ARGS(program, PJRT_Program);
  MAKE_ARGS(optimized, PJRT_Executable_OptimizedProgram_Args);
  optimized.executable = executable;
  optimized.program = &program;
  CALL(PJRT_Executable_OptimizedProgram, optimized);
  std::string text(program.code_size, '\0');
  program.code = text.data();
  CALL(PJRT_Executable_OptimizedProgram, optimized);
  EXPECT_EQ(text, "module of add_one");
  EXPECT_EQ(std::string(program.format, program.format_size), "mlir");
  program.code_size = 3;
  EXPECT_NE(Take(Api().PJRT_Executable_OptimizedProgram(&optimized)), "");

  MAKE_ARGS(destroy, PJRT_Executable_Destroy_Args);
  destroy.executable = executable;
  CALL(PJRT_Executable_Destroy, destroy);
}

TEST_F(ApiTest, SerializeAndLoadAgain) {
  PJRT_LoadedExecutable* first = nullptr;
  ASSERT_EQ(Compile("add_one", &first), "");
  MAKE_ARGS(get, PJRT_LoadedExecutable_GetExecutable_Args);
  get.loaded_executable = first;
  CALL(PJRT_LoadedExecutable_GetExecutable, get);
  MAKE_ARGS(serialize, PJRT_Executable_Serialize_Args);
  serialize.executable = get.executable;
  CALL(PJRT_Executable_Serialize, serialize);
  // The sizes of API 0.54, 0.83 and 0.112. The first one has no options.
  for (size_t size : {48, 64, 72}) {
    auto load = Make<PJRT_Executable_DeserializeAndLoad_Args>(size);
    load.client = client_;
    load.serialized_executable = serialize.serialized_bytes;
    load.serialized_executable_size = serialize.serialized_bytes_size;
    if (size < 72) load.load_options = reinterpret_cast<PJRT_LoadOptions*>(0x10);
    load.overridden_serialized_compile_options = "bad";
    load.overridden_serialized_compile_options_size = 3;
    std::string error = Take(Api().PJRT_Executable_DeserializeAndLoad(&load));
    if (size == 48) {
      EXPECT_EQ(error, "");
      Destroy(load.loaded_executable);
    } else {
      EXPECT_EQ(error, "INVALID_ARGUMENT: malformed options");
    }
  }
  MAKE_ARGS(load, PJRT_Client_Load_Args);
  load.client = client_;
  load.executable = get.executable;
  CALL(PJRT_Client_Load, load);
  Destroy(load.loaded_executable);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  MAKE_ARGS(destroy, PJRT_Executable_Destroy_Args);
  destroy.executable = get.executable;
  CALL(PJRT_Executable_Destroy, destroy);
  Destroy(first);
}

}  // namespace
}  // namespace tenon::pjrt::testing
