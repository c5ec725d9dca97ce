// PJRT_AsyncHostToDeviceTransferManager_*.
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"
#include "tenon/pjrt/interface/transfer_manager.h"

namespace tenon::pjrt::c_api {
namespace {

Status CheckIndex(PJRT_AsyncHostToDeviceTransferManager* manager, int index) {
  size_t count = Unwrap(manager)->buffer_count();
  if (index >= 0 && static_cast<size_t>(index) < count) return OkStatus();
  return InvalidArgument("buffer_index is " + std::to_string(index) + " of " +
                         std::to_string(count) + " buffers");
}

}  // namespace

Status AsyncTransferDestroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args) {
  if (args->transfer_manager == nullptr) return OkStatus();
  AsyncHostToDeviceTransferManager* manager = Unwrap(args->transfer_manager);
  PJRT_Client* client = ClientOf(*manager);
  delete manager;
  client->Unref();
  return OkStatus();
}

Status AsyncTransferTransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_RETURN_IF_ERROR(CheckIndex(args->transfer_manager, args->buffer_index));
  if (args->transfer_size > 0) TENON_PJRT_REQUIRE(args, data);
  if (args->transfer_size < 0 || args->offset < 0) {
    return InvalidArgument("a chunk of " + std::to_string(args->transfer_size) +
                           " bytes at offset " + std::to_string(args->offset));
  }
  TENON_ASSIGN_OR_RETURN(Event done,
                         Unwrap(args->transfer_manager)
                             ->TransferData(args->buffer_index, args->data, args->offset,
                                            args->transfer_size, args->is_last_transfer));
  args->done_with_h2d_transfer = Wrap(std::move(done));
  return OkStatus();
}

Status AsyncTransferTransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_RETURN_IF_ERROR(CheckIndex(args->transfer_manager, args->buffer_index));
  ShapeArgument argument;
  TENON_RETURN_IF_ERROR(argument.Read(args->shape_element_type, args->shape_dims,
                                      args->shape_num_dims, args->shape_layout));
  const ArrayShape& shape = argument.shape();
  HostArray literal;
  literal.data = args->data;
  literal.type = shape.type;
  literal.dims = shape.dims;
  std::vector<int64_t> strides;
  if (shape.minor_to_major && !IsRowMajor(*shape.minor_to_major)) {
    strides =
        DenseByteStrides(*shape.minor_to_major, shape.dims, ElementBytes(shape.type));
    literal.byte_strides = strides;
  }
  bool empty = false;
  for (int64_t size : shape.dims) empty |= size == 0;
  if (!empty) TENON_PJRT_REQUIRE(args, data);
  TENON_ASSIGN_OR_RETURN(
      Event done,
      Unwrap(args->transfer_manager)->TransferLiteral(args->buffer_index, literal));
  args->done_with_h2d_transfer = Wrap(std::move(done));
  return OkStatus();
}

Status AsyncTransferRetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_RETURN_IF_ERROR(CheckIndex(args->transfer_manager, args->buffer_index));
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<Buffer> buffer,
      Unwrap(args->transfer_manager)->RetrieveBuffer(args->buffer_index));
  args->buffer_out = Wrap(std::move(buffer));
  return OkStatus();
}

Status AsyncTransferDevice(PJRT_AsyncHostToDeviceTransferManager_Device_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  args->device_out = HandleOf(Unwrap(args->transfer_manager)->device());
  return OkStatus();
}

Status AsyncTransferBufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  args->buffer_count = Unwrap(args->transfer_manager)->buffer_count();
  return OkStatus();
}

Status AsyncTransferBufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_RETURN_IF_ERROR(CheckIndex(args->transfer_manager, args->buffer_index));
  args->buffer_size = Unwrap(args->transfer_manager)->BufferSize(args->buffer_index);
  return OkStatus();
}

Status AsyncTransferSetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_RETURN_IF_ERROR(CheckIndex(args->transfer_manager, args->buffer_index));
  Unwrap(args->transfer_manager)
      ->SetBufferError(args->buffer_index,
                       StatusFromParts(args->error_code, args->error_message,
                                       args->error_message_size));
  return OkStatus();
}

Status AsyncTransferAddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args) {
  TENON_PJRT_REQUIRE(args, transfer_manager);
  TENON_ASSIGN_OR_RETURN(NamedValueMap metadata,
                         ReadNamedValues(args->transfer_metadata, args->num_metadata));
  Unwrap(args->transfer_manager)->AddMetadata(metadata);
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
