// Tests buffers and transfers through the C function table.
#include "tenon/pjrt/interface/buffer.h"

#include <string>
#include <vector>

#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

TEST_F(ApiTest, BufferGetters) {
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(type, PJRT_Buffer_ElementType_Args);
  type.buffer = buffer;
  CALL(PJRT_Buffer_ElementType, type);
  EXPECT_EQ(type.type, PJRT_Buffer_Type_F32);
  MAKE_ARGS(dims, PJRT_Buffer_Dimensions_Args);
  dims.buffer = buffer;
  CALL(PJRT_Buffer_Dimensions, dims);
  ASSERT_EQ(dims.num_dims, 2u);
  EXPECT_EQ(dims.dims[1], 3);
  MAKE_ARGS(device, PJRT_Buffer_Device_Args);
  device.buffer = buffer;
  CALL(PJRT_Buffer_Device, device);
  EXPECT_EQ(device.device, device_);
  MAKE_ARGS(memory, PJRT_Buffer_Memory_Args);
  memory.buffer = buffer;
  CALL(PJRT_Buffer_Memory, memory);
  EXPECT_EQ(memory.memory, memory_);
  MAKE_ARGS(layout, PJRT_Buffer_GetMemoryLayout_Args);
  layout.buffer = buffer;
  CALL(PJRT_Buffer_GetMemoryLayout, layout);
  ASSERT_EQ(layout.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(layout.layout.tiled.minor_to_major[0], 1);
  MAKE_ARGS(pointer, PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args);
  pointer.buffer = buffer;
  CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  EXPECT_EQ(static_cast<float*>(pointer.device_memory_ptr)[5], 5.0f);
  Destroy(buffer);
}

TEST_F(ApiTest, DeleteAndReadyEvent) {
  PJRT_Buffer* buffer = Upload();
  EXPECT_FALSE(IsDeleted(buffer));
  MAKE_ARGS(remove, PJRT_Buffer_Delete_Args);
  remove.buffer = buffer;
  CALL(PJRT_Buffer_Delete, remove);
  EXPECT_TRUE(IsDeleted(buffer));
  MAKE_ARGS(ready, PJRT_Buffer_ReadyEvent_Args);
  ready.buffer = buffer;
  CALL(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_EQ(AwaitAndDestroy(ready.event), "FAILED_PRECONDITION: buffer is deleted");
  Destroy(buffer);
}

TEST_F(ApiTest, ExternalReferenceCount) {
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(up, PJRT_Buffer_IncreaseExternalReferenceCount_Args);
  up.buffer = buffer;
  CALL(PJRT_Buffer_IncreaseExternalReferenceCount, up);
  MAKE_ARGS(down, PJRT_Buffer_DecreaseExternalReferenceCount_Args);
  down.buffer = buffer;
  CALL(PJRT_Buffer_DecreaseExternalReferenceCount, down);
  EXPECT_EQ(Take(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&down)),
            "FAILED_PRECONDITION: external reference count is 0");
  Destroy(buffer);
}

TEST_F(ApiTest, ToHostInAnyLayout) {
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(args, PJRT_Buffer_ToHostBuffer_Args);
  args.src = buffer;
  CALL(PJRT_Buffer_ToHostBuffer, args);  // asks for the size
  EXPECT_EQ(args.dst_size, 24u);
  EXPECT_EQ(args.event, nullptr);

  std::vector<float> values(6);
  args.dst = values.data();
  int64_t column_major[2] = {0, 1};
  PJRT_Buffer_MemoryLayout layout;
  std::memset(&layout, 0xee, sizeof(layout));  // some clients leave members uninitialized
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  layout.tiled.num_tiles = 0;
  args.host_layout = &layout;
  CALL(PJRT_Buffer_ToHostBuffer, args);
  EXPECT_EQ(AwaitAndDestroy(args.event), "");
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));

  int64_t strides[2] = {4, 8};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.byte_strides = strides;
  layout.strides.num_byte_strides = 2;
  CALL(PJRT_Buffer_ToHostBuffer, args);
  EXPECT_EQ(AwaitAndDestroy(args.event), "");
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  strides[0] = 8;  // the last element would end at byte 28
  EXPECT_NE(Take(Api().PJRT_Buffer_ToHostBuffer(&args)), "");
  strides[0] = -4;
  EXPECT_NE(Take(Api().PJRT_Buffer_ToHostBuffer(&args)), "");
  column_major[1] = 0;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  layout.tiled.num_tiles = 0;
  EXPECT_EQ(Take(Api().PJRT_Buffer_ToHostBuffer(&args)),
            "INVALID_ARGUMENT: minor_to_major [0, 0] is not a permutation of 2 "
            "dimensions");
  args.host_layout = nullptr;
  args.dst_size = 23;
  EXPECT_NE(Take(Api().PJRT_Buffer_ToHostBuffer(&args)), "");
  Destroy(buffer);
}

TEST_F(ApiTest, FromHostChecksItsArguments) {
  float values[6] = {};
  int64_t dims[2] = {2, 3};
  MAKE_ARGS(args, PJRT_Client_BufferFromHostBuffer_Args);
  args.client = client_;
  args.data = values;
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = 2;
  auto error = [&] { return Take(Api().PJRT_Client_BufferFromHostBuffer(&args)); };
  EXPECT_EQ(error(), "INVALID_ARGUMENT: device and memory are both null");
  args.device = device_;  // clients without memory spaces pass only the device
  int64_t reversed[2] = {-12, 4};
  args.byte_strides = reversed;
  args.num_byte_strides = 2;
  args.data = values + 3;
  CALL(PJRT_Client_BufferFromHostBuffer, args);
  EXPECT_EQ(AwaitAndDestroy(args.done_with_host_buffer), "");
  Destroy(args.buffer);
  args.num_byte_strides = 1;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: 1 byte strides for 2 dimensions");
  args.num_byte_strides = 0;
  args.type = static_cast<PJRT_Buffer_Type>(99);
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: element type 99 is not a PJRT_Buffer_Type of an array");
  args.type = PJRT_Buffer_Type_S1;
  EXPECT_EQ(error(), "UNIMPLEMENTED: element type s1 is not supported");
  args.type = PJRT_Buffer_Type_F32;
  dims[0] = -1;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: dims [-1, 3] has a negative size");
  dims[0] = INT64_MAX / 2;
  EXPECT_NE(error(), "");
  dims[0] = 2;
  args.data = nullptr;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: data is null");
  args.data = values;
  args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(4);
  EXPECT_EQ(error(), "INVALID_ARGUMENT: host_buffer_semantics is 4");
}

TEST_F(ApiTest, CopiesAndRawBytes) {
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(memories, PJRT_Client_AddressableMemories_Args);
  memories.client = client_;
  CALL(PJRT_Client_AddressableMemories, memories);
  MAKE_ARGS(copy, PJRT_Buffer_CopyToMemory_Args);
  copy.buffer = buffer;
  copy.dst_memory = memories.addressable_memories[3];
  CALL(PJRT_Buffer_CopyToMemory, copy);
  EXPECT_EQ(Download(copy.dst_buffer), Download(buffer));
  Destroy(copy.dst_buffer);
  MAKE_ARGS(move, PJRT_Buffer_CopyToDevice_Args);
  move.buffer = buffer;
  move.dst_device = device_;
  CALL(PJRT_Buffer_CopyToDevice, move);
  Destroy(move.dst_buffer);

  float two[2] = {};
  MAKE_ARGS(raw, PJRT_Buffer_CopyRawToHost_Args);
  raw.buffer = buffer;
  raw.dst = two;
  raw.offset = 16;
  raw.transfer_size = 8;
  CALL(PJRT_Buffer_CopyRawToHost, raw);
  EXPECT_EQ(AwaitAndDestroy(raw.event), "");
  EXPECT_EQ(two[0], 4.0f);
  raw.offset = 17;
  EXPECT_EQ(Take(Api().PJRT_Buffer_CopyRawToHost(&raw)),
            "INVALID_ARGUMENT: a copy of 8 bytes at offset 17 of a buffer of 24 bytes");

  MAKE_ARGS(later, PJRT_Buffer_CopyRawToHostFuture_Args);
  later.buffer = buffer;
  later.offset = 4;
  later.transfer_size = 8;
  CALL(PJRT_Buffer_CopyRawToHostFuture, later);
  Destroy(buffer);
  MAKE_ARGS(known, PJRT_Buffer_CopyRawToHostFuture_Callback_Args);
  known.callback_data = later.callback_data;
  known.dst = two;
  later.future_ready_callback(&known);
  EXPECT_EQ(AwaitAndDestroy(later.event), "");
  EXPECT_EQ(two[0], 1.0f);
}

TEST_F(ApiTest, DonateWithControlDependency) {
  PJRT_Buffer* buffer = Upload();
  MAKE_ARGS(donate, PJRT_Buffer_DonateWithControlDependency_Args);
  donate.buffer = buffer;
  CALL(PJRT_Buffer_DonateWithControlDependency, donate);
  EXPECT_TRUE(IsDeleted(buffer));
  MAKE_ARGS(ready, PJRT_Buffer_ReadyEvent_Args);
  ready.buffer = donate.out_buffer;
  CALL(PJRT_Buffer_ReadyEvent, ready);
  MAKE_ARGS(is_ready, PJRT_Event_IsReady_Args);
  is_ready.event = ready.event;
  CALL(PJRT_Event_IsReady, is_ready);
  EXPECT_FALSE(is_ready.is_ready);
  MAKE_ARGS(met, PJRT_Buffer_DonateWithControlDependency_Callback_Args);
  met.callback_data = donate.callback_data;
  met.error_code = PJRT_Error_Code_ABORTED;
  met.error_message = "stop";
  met.error_message_size = 4;
  donate.dependency_ready_callback(&met);
  EXPECT_EQ(AwaitAndDestroy(ready.event), "ABORTED: stop");
  Destroy(buffer);
  Destroy(donate.out_buffer);
}

TEST_F(ApiTest, ViewsOfForeignMemory) {
  float values[6] = {9, 8, 7, 6, 5, 4};
  int64_t dims[2] = {2, 3};
  int deleted = 0;
  // Clients of API 0.83 pass no memory.
  auto args = Make<PJRT_Client_CreateViewOfDeviceBuffer_Args>(104);
  args.client = client_;
  args.device_buffer_ptr = values;
  args.dims = dims;
  args.num_dims = 2;
  args.element_type = PJRT_Buffer_Type_F32;
  args.device = device_;
  args.on_delete_callback_arg = &deleted;
  args.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); };
  args.memory = reinterpret_cast<PJRT_Memory*>(0x10);  // beyond struct_size
  CALL(PJRT_Client_CreateViewOfDeviceBuffer, args);
  EXPECT_EQ(Download(args.buffer)[0], 9.0f);
  EXPECT_EQ(deleted, 0);
  Destroy(args.buffer);
  EXPECT_EQ(deleted, 1);
}

TEST_F(ApiTest, ErrorAndUninitializedBuffers) {
  int64_t dims[1] = {4};
  MAKE_ARGS(failed, PJRT_Client_CreateErrorBuffer_Args);
  failed.client = client_;
  failed.error_code = PJRT_Error_Code_DATA_LOSS;
  failed.error_message = "lost";
  failed.error_message_size = 4;
  failed.shape_dims = dims;
  failed.shape_num_dims = 1;
  failed.shape_element_type = PJRT_Buffer_Type_S4;
  failed.memory = memory_;
  CALL(PJRT_Client_CreateErrorBuffer, failed);
  MAKE_ARGS(ready, PJRT_Buffer_ReadyEvent_Args);
  ready.buffer = failed.buffer;
  CALL(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_EQ(AwaitAndDestroy(ready.event), "DATA_LOSS: lost");
  Destroy(failed.buffer);

  MAKE_ARGS(blank, PJRT_Client_CreateUninitializedBuffer_Args);
  blank.client = client_;
  blank.shape_dims = dims;
  blank.shape_num_dims = 1;
  blank.shape_element_type = PJRT_Buffer_Type_C128;
  blank.device = device_;
  CALL(PJRT_Client_CreateUninitializedBuffer, blank);
  MAKE_ARGS(size, PJRT_Buffer_OnDeviceSizeInBytes_Args);
  size.buffer = blank.buffer;
  CALL(PJRT_Buffer_OnDeviceSizeInBytes, size);
  EXPECT_EQ(size.on_device_size_in_bytes, 64u);
  Destroy(blank.buffer);
}

TEST_F(ApiTest, UploadInChunks) {
  int64_t dims[2] = {2, 3};
  PJRT_ShapeSpec specs[2];
  for (PJRT_ShapeSpec& spec : specs) {
    spec = Make<PJRT_ShapeSpec>(PJRT_ShapeSpec_STRUCT_SIZE);
    spec.dims = dims;
    spec.num_dims = 2;
    spec.element_type = PJRT_Buffer_Type_F32;
  }
  PJRT_Buffer_MemoryLayout* layouts[2] = {nullptr, nullptr};
  MAKE_ARGS(create, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args);
  create.client = client_;
  create.shape_specs = specs;
  create.num_shape_specs = 2;
  create.device_layouts = layouts;
  create.num_device_layouts = 2;
  create.memory = memory_;
  CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  auto* manager = create.transfer_manager;

  PJRT_Buffer* buffers[2];
  for (int i = 0; i < 2; ++i) {
    MAKE_ARGS(get, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args);
    get.transfer_manager = manager;
    get.buffer_index = i;
    CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, get);
    buffers[i] = get.buffer_out;
    EXPECT_NE(Take(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&get)), "");
  }
  float values[6] = {5, 4, 3, 2, 1, 0};
  MAKE_ARGS(send, PJRT_AsyncHostToDeviceTransferManager_TransferData_Args);
  send.transfer_manager = manager;
  send.buffer_index = 0;
  for (int half : {1, 0}) {
    send.data = values + 3 * half;
    send.offset = 12 * half;
    send.transfer_size = 12;
    send.is_last_transfer = half == 0;
    CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, send);
    EXPECT_EQ(AwaitAndDestroy(send.done_with_h2d_transfer), "");
  }
  EXPECT_EQ(Download(buffers[0])[0], 5.0f);
  send.buffer_index = 2;
  EXPECT_EQ(Take(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&send)),
            "INVALID_ARGUMENT: buffer_index is 2 of 2 buffers");

  int64_t column_major[2] = {0, 1};
  PJRT_Buffer_MemoryLayout layout{};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  MAKE_ARGS(literal, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args);
  literal.transfer_manager = manager;
  literal.buffer_index = 1;
  literal.data = values;
  literal.shape_dims = dims;
  literal.shape_num_dims = 2;
  literal.shape_element_type = PJRT_Buffer_Type_F32;
  literal.shape_layout = &layout;
  CALL(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, literal);
  EXPECT_EQ(AwaitAndDestroy(literal.done_with_h2d_transfer), "");
  EXPECT_EQ(Download(buffers[1]), (std::vector<float>{5, 3, 1, 4, 2, 0}));

  MAKE_ARGS(size, PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args);
  size.transfer_manager = manager;
  CALL(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
  EXPECT_EQ(size.buffer_size, 24u);
  MAKE_ARGS(destroy, PJRT_AsyncHostToDeviceTransferManager_Destroy_Args);
  destroy.transfer_manager = manager;
  CALL(PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy);
  Destroy(buffers[0]);
  Destroy(buffers[1]);
}

}  // namespace
}  // namespace tenon::pjrt::testing
