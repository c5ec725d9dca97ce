// Loads a PJRT plugin and doubles an array on it, using only the ABI header.
//
//   c_client <plugin.so>     prints "result: 2 4 6"; exit status 0 if the result is
//   correct
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tenon/pjrt/abi/pjrt_c_api.h"

static const char kProgram[] =
    "module @twice {\n"
    "  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "    %two = stablehlo.constant dense<2.0> : tensor<3xf32>\n"
    "    %y = stablehlo.multiply %x, %two : tensor<3xf32>\n"
    "    return %y : tensor<3xf32>\n"
    "  }\n"
    "}\n";

// A CompileOptionsProto: executable_build_options {num_replicas: 1 num_partitions: 1}.
static const char kOptions[] = {0x1a, 4, 0x20, 1, 0x28, 1};

static const PJRT_Api* api;

// Exits with the message of an error, if there is one.
static void Check(const char* what, PJRT_Error* error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%s: %.*s\n", what, (int)message.message_size, message.message);
  exit(1);
}

#define CALL(function, args) Check(#function, api->function(&(args)))

// Waits for an event and destroys it.
static void Await(PJRT_Event* event) {
  PJRT_Event_Await_Args await = {.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE,
                                 .event = event};
  CALL(PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args destroy = {.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE,
                                     .event = event};
  CALL(PJRT_Event_Destroy, destroy);
}

static void DestroyBuffer(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args args = {.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE,
                                   .buffer = buffer};
  CALL(PJRT_Buffer_Destroy, args);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s <plugin.so>\n", argv[0]);
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  PJRT_GetApi get_api;
  *(void**)&get_api = dlsym(library, "GetPjrtApi");
  if (get_api == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = get_api();

  PJRT_Plugin_Initialize_Args initialize = {.struct_size =
                                                PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
  CALL(PJRT_Plugin_Initialize, initialize);
  PJRT_Client_Create_Args create = {.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE};
  CALL(PJRT_Client_Create, create);
  PJRT_Client* client = create.client;
  PJRT_Client_AddressableDevices_Args devices = {
      .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = client};
  CALL(PJRT_Client_AddressableDevices, devices);

  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                          .code = (char*)kProgram,
                          .code_size = sizeof(kProgram) - 1,
                          .format = "mlir",
                          .format_size = 4};
  PJRT_Client_Compile_Args compile = {.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
                                      .client = client,
                                      .program = &program,
                                      .compile_options = kOptions,
                                      .compile_options_size = sizeof(kOptions)};
  CALL(PJRT_Client_Compile, compile);

  float values[3] = {1, 2, 3};
  int64_t dims[1] = {3};
  PJRT_Client_BufferFromHostBuffer_Args upload = {
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client,
      .data = values,
      .type = PJRT_Buffer_Type_F32,
      .dims = dims,
      .num_dims = 1,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
      .device = devices.addressable_devices[0]};
  CALL(PJRT_Client_BufferFromHostBuffer, upload);
  Await(upload.done_with_host_buffer);

  PJRT_Buffer* arguments[1] = {upload.buffer};
  PJRT_Buffer* const* argument_lists[1] = {arguments};
  PJRT_Buffer* results[1] = {NULL};
  PJRT_Buffer** result_lists[1] = {results};
  PJRT_Event* done[1] = {NULL};
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args execute = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = compile.executable,
      .options = &options,
      .argument_lists = argument_lists,
      .num_devices = 1,
      .num_args = 1,
      .output_lists = result_lists,
      .device_complete_events = done};
  CALL(PJRT_LoadedExecutable_Execute, execute);
  Await(done[0]);

  float got[3] = {0};
  PJRT_Buffer_ToHostBuffer_Args download = {
      .struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
      .src = results[0],
      .dst = got,
      .dst_size = sizeof(got)};
  CALL(PJRT_Buffer_ToHostBuffer, download);
  Await(download.event);
  printf("result: %g %g %g\n", got[0], got[1], got[2]);

  DestroyBuffer(results[0]);
  DestroyBuffer(upload.buffer);
  PJRT_LoadedExecutable_Destroy_Args unload = {
      .struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
      .executable = compile.executable};
  CALL(PJRT_LoadedExecutable_Destroy, unload);
  PJRT_Client_Destroy_Args destroy = {.struct_size = PJRT_Client_Destroy_Args_STRUCT_SIZE,
                                      .client = client};
  CALL(PJRT_Client_Destroy, destroy);
  return got[0] == 2 && got[1] == 4 && got[2] == 6 ? 0 : 1;
}
