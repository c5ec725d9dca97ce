// PJRT_Client_*: creating buffers.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"
#include "tenon/pjrt/interface/client.h"

// The handle by which the framework fulfills an alias buffer.
struct PJRT_FulfillAliasBufferCallback {
  std::function<tenon::Status(tenon::StatusOr<tenon::pjrt::Buffer*>)> fulfill;
};

namespace tenon::pjrt::c_api {
namespace {

// The memory space that the caller chose by a memory, a device or both.
StatusOr<MemorySpace*> ReadMemory(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory) return Unwrap(memory);
  if (device == nullptr) return InvalidArgument("device and memory are both null");
  MemorySpace* space = device->device->default_memory();
  if (space == nullptr) {
    return InvalidArgument("device " + std::to_string(device->device->description().id) +
                           " is not addressable by this process");
  }
  return space;
}

}  // namespace

Status ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  HostArray array;
  array.data = args->data;
  TENON_ASSIGN_OR_RETURN(array.type, ReadElementType(args->type));
  TENON_ASSIGN_OR_RETURN(array.dims, ReadDims(args->dims, args->num_dims, array.type));
  if (args->byte_strides && args->num_byte_strides > 0) {
    if (args->num_byte_strides != args->num_dims) {
      return InvalidArgument(std::to_string(args->num_byte_strides) +
                             " byte strides for " + std::to_string(args->num_dims) +
                             " dimensions");
    }
    array.byte_strides = std::span(args->byte_strides, args->num_byte_strides);
  }
  bool empty = array.type == ElementType::kToken;
  for (int64_t size : array.dims) empty |= size == 0;
  if (array.data == nullptr && !empty) return InvalidArgument("data is null");
  int semantics = args->host_buffer_semantics;
  if (semantics < PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
      semantics > PJRT_HostBufferSemantics_kMutableZeroCopy) {
    return InvalidArgument("host_buffer_semantics is " + std::to_string(semantics));
  }
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory, ReadMemory(args->memory, args->device));
  LayoutArgument layout;
  TENON_RETURN_IF_ERROR(layout.Read(args->device_layout, array.dims, array.type));
  TENON_ASSIGN_OR_RETURN(HostTransfer transfer,
                         args->client->client->BufferFromHost(
                             array, static_cast<HostBufferSemantics>(semantics), memory,
                             layout.minor_to_major()));
  args->buffer = Wrap(std::move(transfer.buffer));
  args->done_with_host_buffer = Wrap(std::move(transfer.done));
  return OkStatus();
}

Status ClientCreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  ShapeArgument shape;
  TENON_RETURN_IF_ERROR(shape.Read(args->shape_element_type, args->shape_dims,
                                   args->shape_num_dims, args->shape_layout));
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory, ReadMemory(args->memory, args->device));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<Buffer> buffer,
      args->client->client->CreateUninitializedBuffer(shape.shape(), memory));
  args->buffer = Wrap(std::move(buffer));
  return OkStatus();
}

Status ClientCreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  Status error =
      StatusFromParts(args->error_code, args->error_message, args->error_message_size);
  if (error.ok()) return InvalidArgument("error_code is OK");
  ShapeArgument shape;
  TENON_RETURN_IF_ERROR(shape.Read(args->shape_element_type, args->shape_dims,
                                   args->shape_num_dims, args->shape_layout));
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory, ReadMemory(args->memory, nullptr));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<Buffer> buffer,
      args->client->client->CreateErrorBuffer(std::move(error), shape.shape(), memory));
  args->buffer = Wrap(std::move(buffer));
  return OkStatus();
}

Status ClientCreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  ShapeArgument shape;
  TENON_RETURN_IF_ERROR(shape.Read(args->shape_element_type, args->shape_dims,
                                   args->shape_num_dims, args->shape_layout));
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory, ReadMemory(args->memory, nullptr));
  TENON_ASSIGN_OR_RETURN(AliasBuffer alias,
                         args->client->client->CreateAliasBuffer(shape.shape(), memory));
  args->alias_buffer = Wrap(std::move(alias.buffer));
  args->fulfill_alias_buffer_cb =
      new PJRT_FulfillAliasBufferCallback{std::move(alias.fulfill)};
  return OkStatus();
}

// Consumes the callback. Does not read args->client, which jaxlib leaves uninitialized.
Status ClientFulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, fulfill_alias_buffer_cb);
  const Status error =
      StatusFromParts(args->status_code, args->error_message, args->error_message_size);
  if (error.ok()) TENON_PJRT_REQUIRE(args, buffer);
  std::unique_ptr<PJRT_FulfillAliasBufferCallback> callback(
      args->fulfill_alias_buffer_cb);
  if (!error.ok()) return callback->fulfill(error);
  return callback->fulfill(Unwrap(args->buffer));
}

Status ClientCreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  ShapeArgument shape;
  TENON_RETURN_IF_ERROR(
      shape.Read(args->element_type, args->dims, args->num_dims, args->layout));
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory,
                         ReadMemory(TENON_PJRT_GET(args, memory), args->device));
  std::function<void()> on_delete;
  if (args->on_delete_callback) {
    on_delete = [callback = args->on_delete_callback, data = args->device_buffer_ptr,
                 user_arg = args->on_delete_callback_arg] { callback(data, user_arg); };
  }
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                         args->client->client->CreateViewOfDeviceBuffer(
                             args->device_buffer_ptr, shape.shape(), memory, args->stream,
                             std::move(on_delete)));
  args->buffer = Wrap(std::move(buffer));
  return OkStatus();
}

Status ClientCreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  if (args->num_shape_specs > 0) TENON_PJRT_REQUIRE(args, shape_specs);
  // Layouts must be given for all buffers or for none.
  if (args->device_layouts && args->num_device_layouts > 0 &&
      args->num_device_layouts != args->num_shape_specs) {
    return InvalidArgument(std::to_string(args->num_device_layouts) +
                           " device layouts for " +
                           std::to_string(args->num_shape_specs) + " shapes");
  }
  bool has_layouts = args->device_layouts && args->num_device_layouts > 0;
  std::vector<ShapeArgument> arguments(args->num_shape_specs);
  std::vector<ArrayShape> shapes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const PJRT_ShapeSpec& spec = args->shape_specs[i];
    TENON_RETURN_IF_ERROR(
        arguments[i].Read(spec.element_type, spec.dims, spec.num_dims,
                          has_layouts ? args->device_layouts[i] : nullptr));
    shapes.push_back(arguments[i].shape());
  }
  TENON_ASSIGN_OR_RETURN(MemorySpace * memory, ReadMemory(args->memory, nullptr));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<AsyncHostToDeviceTransferManager> manager,
      args->client->client->CreateBuffersForAsyncHostToDevice(shapes, memory));
  args->transfer_manager = Wrap(std::move(manager));
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
