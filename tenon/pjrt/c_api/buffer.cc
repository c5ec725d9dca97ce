// PJRT_Buffer_*: properties and lifetime. Copies are in buffer_copies.cc.
#include "tenon/pjrt/interface/buffer.h"

#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"

namespace tenon::pjrt::c_api {

Status BufferDestroy(PJRT_Buffer_Destroy_Args* args) {
  if (args->buffer == nullptr) return OkStatus();
  Buffer* buffer = Unwrap(args->buffer);
  PJRT_Client* client = ClientOf(*buffer);
  delete buffer;
  client->Unref();
  return OkStatus();
}

Status BufferElementType(PJRT_Buffer_ElementType_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->type = ToC(Unwrap(args->buffer)->element_type());
  return OkStatus();
}

Status BufferDimensions(PJRT_Buffer_Dimensions_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  std::span<const int64_t> dims = Unwrap(args->buffer)->dims();
  args->dims = dims.data();
  args->num_dims = dims.size();
  return OkStatus();
}

Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  std::span<const int64_t> dims = Unwrap(args->buffer)->dims();
  args->unpadded_dims = dims.data();
  args->num_dims = dims.size();
  return OkStatus();
}

Status BufferDynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->dynamic_dim_indices = nullptr;  // buffers have no dynamic dimensions
  args->num_dynamic_dims = 0;
  return OkStatus();
}

Status BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  std::span<const int64_t> minor_to_major = Unwrap(args->buffer)->minor_to_major();
  PJRT_Buffer_MemoryLayout& layout = args->layout;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = {};
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return OkStatus();
}

Status BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  TENON_ASSIGN_OR_RETURN(args->on_device_size_in_bytes,
                         Unwrap(args->buffer)->OnDeviceSizeInBytes());
  return OkStatus();
}

Status BufferDevice(PJRT_Buffer_Device_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->device = HandleOf(Unwrap(args->buffer)->device());
  return OkStatus();
}

Status BufferMemory(PJRT_Buffer_Memory_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->memory = HandleOf(Unwrap(args->buffer)->memory());
  return OkStatus();
}

Status BufferDelete(PJRT_Buffer_Delete_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  Unwrap(args->buffer)->Delete();
  return OkStatus();
}

Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->is_deleted = Unwrap(args->buffer)->IsDeleted();
  return OkStatus();
}

Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->is_on_cpu = Unwrap(args->buffer)->is_on_cpu();
  return OkStatus();
}

Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  Event ready = Unwrap(args->buffer)->ReadyEvent();
  ready.MarkAwaited();
  args->event = Wrap(std::move(ready));
  return OkStatus();
}

Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  TENON_ASSIGN_OR_RETURN(args->buffer_pointer, Unwrap(args->buffer)->UnsafePointer());
  return OkStatus();
}

Status BufferIncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  return Unwrap(args->buffer)->IncreaseExternalReferenceCount();
}

Status BufferDecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  return Unwrap(args->buffer)->DecreaseExternalReferenceCount();
}

Status BufferOpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  TENON_ASSIGN_OR_RETURN(args->device_memory_ptr, Unwrap(args->buffer)->OpaquePointer());
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
