// LocalClient: creating buffers from host memory, and views of the caller's memory.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "tenon/pjrt/client/local_client.h"
#include "tenon/types/canonical_bytes.h"
#include "tenon/types/shape.h"
#include "tenon/types/strided_copy.h"

namespace tenon::pjrt {
namespace {

// Smaller arrays are copied even if they could be aliased. That releases the caller's
// memory at once, and costs no more.
constexpr size_t kAliasFromBytes = 4096;
// Copies up to this size happen on the caller's thread.
constexpr size_t kInlineCopyBytes = size_t{1} << 20;

bool Aligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % device::kAlignment == 0;
}

// Whether these strides are the dense strides of the shape's layout.
bool IsDense(const TensorShape& shape,
             const std::optional<std::span<const int64_t>>& strides) {
  if (!strides) return shape.is_row_major();
  int64_t dense = ElementBytes(shape.type());
  for (int64_t d : shape.minor_to_major()) {
    const int64_t size = shape.dims()[static_cast<size_t>(d)];
    if (size != 1 && (*strides)[static_cast<size_t>(d)] != dense) return false;
    dense *= size;
  }
  return true;
}

// A copy of a host array that another thread may run later.
struct HostCopy {
  TensorShape shape;
  const void* data;
  bool dense;
  std::vector<int64_t> strides;  // empty if dense

  HostCopy(const TensorShape& to, const HostArray& from)
      : shape(to), data(from.data), dense(IsDense(to, from.byte_strides)) {
    if (dense) return;
    if (from.byte_strides) {
      strides.assign(from.byte_strides->begin(), from.byte_strides->end());
    } else {
      strides = TensorShape(from.type, from.dims).ByteStrides();
    }
  }

  void Run(void* dst) const {
    if (shape.byte_size() == 0) return;
    if (dense) {
      std::memcpy(dst, data, shape.byte_size());
    } else {
      CopyStrided(dst, shape.ByteStrides(), data, strides, shape.dims(),
                  ElementBytes(shape.type()));
    }
    MakeBytesCanonical(shape.type(), dst, shape.byte_size());
  }
};

}  // namespace

StatusOr<HostTransfer> LocalClient::BufferFromHost(
    const HostArray& array, HostBufferSemantics semantics, MemorySpace* memory,
    std::optional<std::span<const int64_t>> minor_to_major) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(array.type, array.dims, minor_to_major));
  if (array.byte_strides && array.byte_strides->size() != array.dims.size()) {
    return InvalidArgument("an array " + ShapeString(array.type, array.dims) + " has " +
                           std::to_string(array.byte_strides->size()) + " strides");
  }
  const TensorShape shape(array.type, array.dims, minor_to_major);
  const size_t bytes = shape.byte_size();
  if (!array.data && bytes) {
    return InvalidArgument("the host data of " + ShapeString(array.type, array.dims) +
                           " is null");
  }
  HostCopy copy(shape, array);
  const bool may_alias = semantics == HostBufferSemantics::kImmutableZeroCopy ||
                         semantics == HostBufferSemantics::kMutableZeroCopy;
  device::MemorySpace& space = static_cast<LocalMemory*>(memory)->space();
  if (may_alias && space.host_addressable() && copy.dense && bytes >= kAliasFromBytes &&
      Aligned(array.data) && HasCanonicalBytes(shape.type(), array.data, bytes)) {
    Event done = Event::Pending();
    StorageRef storage = Storage::View(space, const_cast<void*>(array.data), bytes,
                                       [done] { done.Set(); });
    return HostTransfer{MakeBuffer(shape, memory, std::move(storage), Event::Ready()),
                        std::move(done)};
  }
  TENON_ASSIGN_OR_RETURN(StorageRef storage, Storage::Owned(space, bytes));
  const bool now = bytes <= kInlineCopyBytes ||
                   semantics == HostBufferSemantics::kImmutableOnlyDuringCall;
  if (now && space.host_addressable()) {
    copy.Run(storage->host_data());
    return HostTransfer{MakeBuffer(shape, memory, std::move(storage), Event::Ready()),
                        Event::Ready()};
  }
  Event ready = Event::Pending(), done = Event::Pending();
  WriteStorage(
      context_, static_cast<LocalMemory*>(memory)->local_device()->device(), storage,
      /*offset=*/0, bytes, now, [copy = std::move(copy)](void* to) { copy.Run(to); },
      [done] { done.Set(); }, [ready](const Status& status) { ready.Set(status); });
  return HostTransfer{MakeBuffer(shape, memory, std::move(storage), ready), done};
}

StatusOr<std::unique_ptr<Buffer>> LocalClient::CreateViewOfDeviceBuffer(
    void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
    std::function<void()> on_delete) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
  const TensorShape tensor(shape.type, shape.dims, shape.minor_to_major);
  const size_t bytes = tensor.byte_size();
  if (!data && bytes) {
    return InvalidArgument("the memory of " + ShapeString(shape.type, shape.dims) +
                           " is null");
  }
  if (!Aligned(data) && bytes) {
    // Frameworks match the text "is not aligned to"; they copy the memory then.
    char text[100];
    std::snprintf(text, sizeof(text),
                  "a view of unaligned memory: ptr: %p is not aligned to %d bytes.", data,
                  static_cast<int>(device::kAlignment));
    return InvalidArgument(text);
  }
  device::MemorySpace& space = static_cast<LocalMemory*>(memory)->space();
  Event ready = Event::Ready();
  if (stream) {
    device::Device& device = static_cast<LocalMemory*>(memory)->local_device()->device();
    TENON_ASSIGN_OR_RETURN(ready, device.EventOfStream(stream));
    // The host reads the elements next.
    if (space.host_addressable()) TENON_RETURN_IF_ERROR(ready.Await());
  }
  if (!space.host_addressable() || HasCanonicalBytes(tensor.type(), data, bytes)) {
    return MakeBuffer(tensor, memory,
                      Storage::View(space, data, bytes, std::move(on_delete)), ready);
  }
  TENON_ASSIGN_OR_RETURN(StorageRef storage, Storage::Owned(space, bytes));
  if (bytes) std::memcpy(storage->host_data(), data, bytes);
  MakeBytesCanonical(tensor.type(), storage->host_data(), bytes);
  if (on_delete) on_delete();
  return MakeBuffer(tensor, memory, std::move(storage), Event::Ready());
}

}  // namespace tenon::pjrt
