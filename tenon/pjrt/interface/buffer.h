// An array in a memory space of a device.
//
// A Buffer is live, then deleted or donated; both make IsDeleted true at once, while its
// storage stays until executions, copies and external references that use it are done.
// Its owner may destroy it at any time, also with work in flight. Everything but
// destruction may be called from any thread at the same time; nothing but the
// external-reference calls and OpaquePointer blocks.
#ifndef TENON_PJRT_INTERFACE_BUFFER_H_
#define TENON_PJRT_INTERFACE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt {

class Device;
class MemorySpace;

// What an implementation may do with the caller's memory in BufferFromHostBuffer.
enum class HostBufferSemantics : int {
  // Read it before returning; the done event is ready on return.
  kImmutableOnlyDuringCall = 0,
  // It stays as it is until the done event, which fires when it has been copied.
  kImmutableUntilTransferCompletes = 1,
  // It stays as it is until the done event; the buffer may alias it. The done event then
  // fires
  // when the buffer and all users of its storage are gone.
  kImmutableZeroCopy = 2,
  // As above, and the buffer may write to it.
  kMutableZeroCopy = 3,
};

// Views of a call's arguments: an array's type, sizes and, if asked for, its device
// layout.
struct ArrayShape {
  ElementType type = ElementType::kInvalid;
  std::span<const int64_t> dims;
  // A permutation, or nullopt for the default.
  std::optional<std::span<const int64_t>> minor_to_major;
};

// An array in the caller's memory. Types below 8 bits take one byte an element.
struct HostArray {
  const void* data = nullptr;
  ElementType type = ElementType::kInvalid;
  std::span<const int64_t> dims;
  // Any sign, any order, one per dimension; nullopt: dense row-major.
  std::optional<std::span<const int64_t>> byte_strides;
};

class Buffer {
 public:
  virtual ~Buffer() = default;

  // These stay valid until destruction, also after deletion or donation.
  virtual ElementType element_type() const = 0;
  virtual std::span<const int64_t> dims() const = 0;
  virtual std::span<const int64_t> minor_to_major() const = 0;
  virtual MemorySpace* memory() const = 0;
  virtual Device* device() const = 0;
  // True if the host can read the storage in place.
  virtual bool is_on_cpu() const = 0;

  virtual StatusOr<size_t> OnDeviceSizeInBytes() const = 0;
  // Bytes that a dense copy on the host takes (one byte an element below 8 bits).
  virtual size_t HostSizeInBytes() const = 0;

  // Completes when the contents are defined, with the error of what should have made
  // them. For a deleted or donated buffer: an event with an error.
  virtual Event ReadyEvent() = 0;
  // Idempotent; never fails.
  virtual void Delete() = 0;
  virtual bool IsDeleted() const = 0;

  // Writes the contents to dst, as dense row-major if `byte_strides` is nullopt, else
  // with those. dst has dst_size bytes and must stay until the event completes. An error
  // in the arguments is the event's error too.
  virtual Event ToHost(void* dst, size_t dst_size,
                       std::optional<std::span<const int64_t>> byte_strides) = 0;
  // Copies raw storage bytes [offset, offset + size).
  virtual Event CopyRawToHost(void* dst, int64_t offset, int64_t size) = 0;
  // The same when the destination is known later: `dst` completes, then *location is
  // read. `location` is kept alive by the implementation until the returned event
  // completes.
  virtual Event CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location,
                                    int64_t offset, int64_t size);

  // A copy in `memory` of any device of the client; waits for this buffer to be ready.
  virtual StatusOr<std::unique_ptr<Buffer>> CopyToMemory(MemorySpace* memory) = 0;
  // The same bytes seen as another shape; donates this buffer.
  virtual StatusOr<std::unique_ptr<Buffer>> Bitcast(const ArrayShape& shape) {
    (void)shape;
    return Unimplemented("this buffer cannot be seen as another shape");
  }
  // A new buffer over this one's storage, ready when this one and `dependency` are; fails
  // if the dependency does. Donates this buffer.
  virtual StatusOr<std::unique_ptr<Buffer>> DonateWithControlDependency(
      Event dependency) {
    (void)dependency;
    return Unimplemented("this buffer cannot take a control dependency");
  }

  // While the count is above 0 the storage stays in place and is not donated in place,
  // even after Delete. Decrease fails with FAILED_PRECONDITION at 0.
  virtual Status IncreaseExternalReferenceCount() = 0;
  virtual Status DecreaseExternalReferenceCount() = 0;
  // The address of the storage, valid while the external count is above 0. Waits until
  // the contents are defined. UnsafePointer is the same without waiting or counting.
  virtual StatusOr<void*> OpaquePointer() = 0;
  virtual StatusOr<uintptr_t> UnsafePointer() = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_BUFFER_H_
