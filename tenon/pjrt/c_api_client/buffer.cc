#include "tenon/pjrt/c_api_client/buffer.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt::c_api_client {

StatusOr<std::unique_ptr<Buffer>> CApiBuffer::Make(const CallTable& table,
                                                   const Handles& handles,
                                                   PJRT_Buffer* buffer) {
  if (buffer == nullptr) return Internal("the plugin returned no buffer and no error");
  std::unique_ptr<CApiBuffer> result(new CApiBuffer(table, handles, buffer));
  TENON_RETURN_IF_ERROR(result->Read());
  return std::unique_ptr<Buffer>(std::move(result));
}

CApiBuffer::~CApiBuffer() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_Destroy);
  args.buffer = buffer_;
  (void)TENON_PJRT_CALL(table_, PJRT_Buffer_Destroy, args);
}

Status CApiBuffer::Read() {
  TENON_PJRT_ARGS(type, PJRT_Buffer_ElementType);
  type.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_ElementType, type));
  element_type_ = FromC(type.type);
  TENON_PJRT_ARGS(dims, PJRT_Buffer_Dimensions);
  dims.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_Dimensions, dims));
  dims_.assign(dims.dims, dims.dims + dims.num_dims);
  TENON_RETURN_IF_ERROR(ReadLayout());
  TENON_PJRT_ARGS(device, PJRT_Buffer_Device);
  device.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_Device, device));
  CApiDevice* owner = handles_.Find(device.device);
  if (owner == nullptr) {
    return Internal("the plugin's buffer is on a device that its client does not have");
  }
  device_ = owner;
  TENON_PJRT_ARGS(memory, PJRT_Buffer_Memory);
  memory.buffer = buffer_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_Memory, memory);
  if (status.ok()) {
    memory_ = handles_.Find(memory.memory);
  } else if (status.code() == StatusCode::kUnimplemented) {
    memory_ = owner->default_memory();  // the plugin has no memory spaces
  } else {
    return status;
  }
  TENON_PJRT_ARGS(on_cpu, PJRT_Buffer_IsOnCpu);
  on_cpu.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_IsOnCpu, on_cpu));
  is_on_cpu_ = on_cpu.is_on_cpu;
  return OkStatus();
}

Status CApiBuffer::ReadLayout() {
  minor_to_major_ = RowMajorLayout(dims_.size());
  TENON_PJRT_ARGS(args, PJRT_Buffer_GetMemoryLayout);
  args.buffer = buffer_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_GetMemoryLayout, args);
  // A plugin without layouts uses the default one.
  if (status.code() == StatusCode::kUnimplemented) return OkStatus();
  TENON_RETURN_IF_ERROR(status);
  if (args.layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = args.layout.tiled;
    if (tiled.minor_to_major_size == dims_.size() && tiled.minor_to_major) {
      minor_to_major_.assign(tiled.minor_to_major, tiled.minor_to_major + dims_.size());
    }
  } else if (args.layout.strides.num_byte_strides == dims_.size() &&
             args.layout.strides.byte_strides) {
    const int64_t* strides = args.layout.strides.byte_strides;
    std::sort(minor_to_major_.begin(), minor_to_major_.end(), [&](int64_t a, int64_t b) {
      return strides[a] != strides[b] ? strides[a] < strides[b] : a > b;
    });
  }
  return OkStatus();
}

StatusOr<size_t> CApiBuffer::OnDeviceSizeInBytes() const {
  TENON_PJRT_ARGS(args, PJRT_Buffer_OnDeviceSizeInBytes);
  args.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_OnDeviceSizeInBytes, args));
  return args.on_device_size_in_bytes;
}

size_t CApiBuffer::HostSizeInBytes() const {
  return std::accumulate(dims_.begin(), dims_.end(),
                         static_cast<size_t>(ElementBytes(element_type_)),
                         [](size_t bytes, int64_t size) { return bytes * size; });
}

Event CApiBuffer::ReadyEvent() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_ReadyEvent);
  args.buffer = buffer_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_ReadyEvent, args);
  return status.ok() ? table_.TakeEvent(args.event) : Event::Failed(std::move(status));
}

void CApiBuffer::Delete() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_Delete);
  args.buffer = buffer_;
  (void)TENON_PJRT_CALL(table_, PJRT_Buffer_Delete, args);
}

bool CApiBuffer::IsDeleted() const {
  TENON_PJRT_ARGS(args, PJRT_Buffer_IsDeleted);
  args.buffer = buffer_;
  return !TENON_PJRT_CALL(table_, PJRT_Buffer_IsDeleted, args).ok() || args.is_deleted;
}

Event CApiBuffer::ToHost(void* dst, size_t dst_size,
                         std::optional<std::span<const int64_t>> byte_strides) {
  // Without a host layout the plugin would use the buffer's own layout.
  std::vector<int64_t> row_major = RowMajorLayout(dims_.size());
  PJRT_Buffer_MemoryLayout layout =
      byte_strides ? StridedLayout(*byte_strides) : TiledLayout(row_major);
  TENON_PJRT_ARGS(args, PJRT_Buffer_ToHostBuffer);
  args.src = buffer_;
  args.host_layout = byte_strides || minor_to_major_ != row_major ? &layout : nullptr;
  args.dst = dst;
  args.dst_size = dst_size;
  // A null dst would only ask for the size, but an empty array may have a null dst.
  char nothing;
  if (dst == nullptr) args.dst = &nothing;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_ToHostBuffer, args);
  return status.ok() ? table_.TakeEvent(args.event) : Event::Failed(std::move(status));
}

Event CApiBuffer::CopyRawToHost(void* dst, int64_t offset, int64_t size) {
  TENON_PJRT_ARGS(args, PJRT_Buffer_CopyRawToHost);
  args.buffer = buffer_;
  args.dst = dst;
  args.offset = offset;
  args.transfer_size = size;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_CopyRawToHost, args);
  return status.ok() ? table_.TakeEvent(args.event) : Event::Failed(std::move(status));
}

Event CApiBuffer::CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location,
                                      int64_t offset, int64_t size) {
  TENON_PJRT_ARGS(args, PJRT_Buffer_CopyRawToHostFuture);
  args.buffer = buffer_;
  args.offset = offset;
  args.transfer_size = size;
  Status status = TENON_PJRT_CALL(table_, PJRT_Buffer_CopyRawToHostFuture, args);
  if (!status.ok()) return Event::Failed(std::move(status));
  Event done = table_.TakeEvent(args.event);
  dst.OnReady([location, data = args.callback_data,
               callback = args.future_ready_callback](const Status& ready) {
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args to{};
    to.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
    to.callback_data = data;
    to.error_code = static_cast<PJRT_Error_Code>(ready.code());
    to.error_message = ready.message().data();
    to.error_message_size = ready.message().size();
    to.dst = ready.ok() ? *location : nullptr;
    callback(&to);
  });
  return done;
}

StatusOr<std::unique_ptr<Buffer>> CApiBuffer::CopyToMemory(MemorySpace* memory) {
  TENON_PJRT_ARGS(args, PJRT_Buffer_CopyToMemory);
  args.buffer = buffer_;
  args.dst_memory = static_cast<CApiMemory*>(memory)->c_memory();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_CopyToMemory, args));
  return Make(table_, handles_, args.dst_buffer);
}

StatusOr<std::unique_ptr<Buffer>> CApiBuffer::Bitcast(const ArrayShape& shape) {
  PJRT_Buffer_MemoryLayout layout{};
  TENON_PJRT_ARGS(args, PJRT_Buffer_Bitcast);
  args.buffer = buffer_;
  args.element_type = ToC(shape.type);
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
  if (shape.minor_to_major) {
    layout = TiledLayout(*shape.minor_to_major);
    args.device_layout = &layout;
  }
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_Bitcast, args));
  return Make(table_, handles_, args.out_buffer);
}

StatusOr<std::unique_ptr<Buffer>> CApiBuffer::DonateWithControlDependency(
    Event dependency) {
  TENON_PJRT_ARGS(args, PJRT_Buffer_DonateWithControlDependency);
  args.buffer = buffer_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Buffer_DonateWithControlDependency, args));
  dependency.OnReady([data = args.callback_data,
                      callback = args.dependency_ready_callback](const Status& ready) {
    PJRT_Buffer_DonateWithControlDependency_Callback_Args to{};
    to.struct_size = PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE;
    to.callback_data = data;
    to.error_code = static_cast<PJRT_Error_Code>(ready.code());
    to.error_message = ready.message().data();
    to.error_message_size = ready.message().size();
    callback(&to);
  });
  return Make(table_, handles_, args.out_buffer);
}

Status CApiBuffer::IncreaseExternalReferenceCount() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_IncreaseExternalReferenceCount);
  args.buffer = buffer_;
  return TENON_PJRT_CALL(table_, PJRT_Buffer_IncreaseExternalReferenceCount, args);
}

Status CApiBuffer::DecreaseExternalReferenceCount() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_DecreaseExternalReferenceCount);
  args.buffer = buffer_;
  return TENON_PJRT_CALL(table_, PJRT_Buffer_DecreaseExternalReferenceCount, args);
}

StatusOr<void*> CApiBuffer::OpaquePointer() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
  args.buffer = buffer_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args));
  return args.device_memory_ptr;
}

StatusOr<uintptr_t> CApiBuffer::UnsafePointer() {
  TENON_PJRT_ARGS(args, PJRT_Buffer_UnsafePointer);
  args.buffer = buffer_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Buffer_UnsafePointer, args));
  return args.buffer_pointer;
}

}  // namespace tenon::pjrt::c_api_client
