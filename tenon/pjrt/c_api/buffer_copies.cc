// PJRT_Buffer_*: copies, bitcasts and donation.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"
#include "tenon/pjrt/interface/buffer.h"

namespace tenon::pjrt::c_api {
namespace {

// Whether an array with these strides, starting at byte 0, lies within `size` bytes.
bool StridesFit(std::span<const int64_t> strides, std::span<const int64_t> dims,
                int64_t element_bytes, size_t size) {
  int64_t last = element_bytes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return true;
    int64_t extent = 0;
    if (strides[i] < 0 || __builtin_mul_overflow(strides[i], dims[i] - 1, &extent) ||
        __builtin_add_overflow(last, extent, &last)) {
      return false;
    }
  }
  return static_cast<uint64_t>(last) <= size;
}

Status CheckRange(const Buffer& buffer, int64_t offset, int64_t size) {
  TENON_ASSIGN_OR_RETURN(size_t bytes, buffer.OnDeviceSizeInBytes());
  if (offset >= 0 && size >= 0 && static_cast<uint64_t>(offset) <= bytes &&
      static_cast<uint64_t>(size) <= bytes - static_cast<uint64_t>(offset)) {
    return OkStatus();
  }
  return InvalidArgument("a copy of " + std::to_string(size) + " bytes at offset " +
                         std::to_string(offset) + " of a buffer of " +
                         std::to_string(bytes) + " bytes");
}

}  // namespace

Status BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  TENON_PJRT_REQUIRE(args, src);
  Buffer* buffer = Unwrap(args->src);
  if (args->dst == nullptr) {
    args->dst_size = buffer->HostSizeInBytes();
    args->event = nullptr;
    return OkStatus();
  }
  std::span<const int64_t> dims = buffer->dims();
  int64_t element_bytes = ElementBytes(buffer->element_type());
  std::vector<int64_t> dense;
  std::optional<std::span<const int64_t>> strides;
  if (args->host_layout &&
      args->host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides& given = args->host_layout->strides;
    if (given.num_byte_strides != dims.size() ||
        (given.byte_strides == nullptr && !dims.empty())) {
      return InvalidArgument(
          "a host layout has " + std::to_string(given.num_byte_strides) +
          " byte strides for " + std::to_string(dims.size()) + " dimensions");
    }
    strides = std::span(given.byte_strides, given.num_byte_strides);
  } else {
    // Without a host layout the copy has the buffer's layout.
    LayoutArgument layout;
    TENON_RETURN_IF_ERROR(layout.Read(args->host_layout, dims, buffer->element_type()));
    std::span<const int64_t> minor_to_major =
        layout.minor_to_major().value_or(buffer->minor_to_major());
    if (!IsRowMajor(minor_to_major)) {
      dense = DenseByteStrides(minor_to_major, dims, element_bytes);
      strides = dense;
    }
  }
  bool fits = strides ? StridesFit(*strides, dims, element_bytes, args->dst_size)
                      : args->dst_size >= buffer->HostSizeInBytes();
  if (!fits) {
    return InvalidArgument("the array does not fit the " +
                           std::to_string(args->dst_size) + " bytes of dst");
  }
  args->event = Wrap(buffer->ToHost(args->dst, args->dst_size, strides));
  return OkStatus();
}

Status BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  Buffer* buffer = Unwrap(args->buffer);
  TENON_RETURN_IF_ERROR(CheckRange(*buffer, args->offset, args->transfer_size));
  if (args->transfer_size > 0) TENON_PJRT_REQUIRE(args, dst);
  args->event = Wrap(buffer->CopyRawToHost(args->dst, args->offset, args->transfer_size));
  return OkStatus();
}

Status BufferCopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  Buffer* buffer = Unwrap(args->buffer);
  TENON_RETURN_IF_ERROR(CheckRange(*buffer, args->offset, args->transfer_size));
  struct Promise {
    Event known = Event::Pending();
    std::shared_ptr<void*> location = std::make_shared<void*>(nullptr);
  };
  auto promise = std::make_unique<Promise>();
  args->event = Wrap(buffer->CopyRawToHostFuture(promise->known, promise->location,
                                                 args->offset, args->transfer_size));
  args->callback_data = promise.release();
  // The framework calls this once, when it knows the destination.
  args->future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* a) {
    std::unique_ptr<Promise> kept(static_cast<Promise*>(a->callback_data));
    *kept->location = a->dst;
    kept->known.Set(
        StatusFromParts(a->error_code, a->error_message, a->error_message_size));
  };
  return OkStatus();
}

Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  TENON_PJRT_REQUIRE(args, dst_device);
  MemorySpace* memory = args->dst_device->device->default_memory();
  if (memory == nullptr) return InvalidArgument("dst_device is not addressable");
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> copy,
                         Unwrap(args->buffer)->CopyToMemory(memory));
  args->dst_buffer = Wrap(std::move(copy));
  return OkStatus();
}

Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  TENON_PJRT_REQUIRE(args, dst_memory);
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> copy,
                         Unwrap(args->buffer)->CopyToMemory(Unwrap(args->dst_memory)));
  args->dst_buffer = Wrap(std::move(copy));
  return OkStatus();
}

Status BufferBitcast(PJRT_Buffer_Bitcast_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  ShapeArgument shape;
  TENON_RETURN_IF_ERROR(
      shape.Read(args->element_type, args->dims, args->num_dims, args->device_layout));
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> cast,
                         Unwrap(args->buffer)->Bitcast(shape.shape()));
  args->out_buffer = Wrap(std::move(cast));
  return OkStatus();
}

Status BufferDonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  Event dependency = Event::Pending();
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> donated,
                         Unwrap(args->buffer)->DonateWithControlDependency(dependency));
  args->out_buffer = Wrap(std::move(donated));
  args->callback_data = std::move(dependency).Release();
  // The framework calls this once, when the dependency is met.
  args->dependency_ready_callback =
      [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* a) {
        Event::Adopt(a->callback_data)
            .Set(StatusFromParts(a->error_code, a->error_message, a->error_message_size));
      };
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
