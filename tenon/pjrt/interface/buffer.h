// An array in a memory space of a device.
//
// A Buffer is live until it is deleted or donated. Both make IsDeleted true at once. The
// storage stays until the executions, copies and external references that use it have
// ended. The owner may destroy a buffer at any time, also with work in flight.
//
// Apart from destruction, any thread may call any method at any time. Only the
// external-reference calls and OpaquePointer may block.
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

// What an implementation may do with the caller's memory in BufferFromHost.
enum class HostBufferSemantics : int {
  // The implementation reads the memory before it returns. The done event is ready then.
  kImmutableOnlyDuringCall = 0,
  // The memory does not change until the done event, which completes after the copy.
  kImmutableUntilTransferCompletes = 1,
  // The memory does not change until the done event, and the buffer may alias it. If it
  // does, the event completes when the buffer and all users of its storage are gone.
  kImmutableZeroCopy = 2,
  // As above, and the buffer may write to the memory.
  kMutableZeroCopy = 3,
};

// The type, sizes and optional device layout of an array. A view of a call's arguments.
struct ArrayShape {
  ElementType type = ElementType::kInvalid;
  std::span<const int64_t> dims;
  // A permutation, or nullopt for the default.
  std::optional<std::span<const int64_t>> minor_to_major;
};

// An array in the caller's memory. Types of less than 8 bits take one byte per element.
struct HostArray {
  const void* data = nullptr;
  ElementType type = ElementType::kInvalid;
  std::span<const int64_t> dims;
  // One per dimension, of any sign and in any order; nullopt means dense row-major.
  std::optional<std::span<const int64_t>> byte_strides;
};

class Buffer {
 public:
  virtual ~Buffer() = default;

  // Valid until destruction, also after deletion or donation.
  virtual ElementType element_type() const = 0;
  virtual std::span<const int64_t> dims() const = 0;
  virtual std::span<const int64_t> minor_to_major() const = 0;
  virtual MemorySpace* memory() const = 0;
  virtual Device* device() const = 0;
  // True if the host can read the storage in place.
  virtual bool is_on_cpu() const = 0;

  virtual StatusOr<size_t> OnDeviceSizeInBytes() const = 0;
  // The size in bytes of a dense copy on the host (one byte per element below 8 bits).
  virtual size_t HostSizeInBytes() const = 0;

  // Completes when the contents are defined, or with the error of the operation that
  // should have produced them. A failed event if the buffer is deleted or donated.
  virtual Event ReadyEvent() = 0;
  // Idempotent; never fails.
  virtual void Delete() = 0;
  virtual bool IsDeleted() const = 0;

  // Writes the contents to `dst` with these strides, or as dense row-major if
  // `byte_strides` is nullopt. `dst` has `dst_size` bytes and must stay valid until the
  // event completes. Invalid arguments are also reported by the event.
  virtual Event ToHost(void* dst, size_t dst_size,
                       std::optional<std::span<const int64_t>> byte_strides) = 0;
  // Copies raw storage bytes [offset, offset + size).
  virtual Event CopyRawToHost(void* dst, int64_t offset, int64_t size) = 0;
  // The same, for a destination that is known later: when `dst` completes, *location is
  // the destination. The implementation keeps `location` until the returned event
  // completes.
  virtual Event CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location,
                                    int64_t offset, int64_t size);

  // Returns a copy in `memory`, of any device of the client. The copy is made when this
  // buffer is ready; the call does not wait for that.
  virtual StatusOr<std::unique_ptr<Buffer>> CopyToMemory(MemorySpace* memory) = 0;
  // Returns a buffer with the same bytes but another shape, and donates this buffer.
  virtual StatusOr<std::unique_ptr<Buffer>> Bitcast(const ArrayShape& shape) {
    (void)shape;
    return Unimplemented("this buffer cannot be seen as another shape");
  }
  // Returns a buffer with this one's storage, and donates this buffer. The new buffer is
  // ready when this one and `dependency` are, and fails if `dependency` fails.
  virtual StatusOr<std::unique_ptr<Buffer>> DonateWithControlDependency(
      Event dependency) {
    (void)dependency;
    return Unimplemented("this buffer cannot take a control dependency");
  }

  // Makes what others put into `stream`, the driver's own object, from now on wait until
  // the contents are defined. May block. The error of the contents, if they have failed.
  virtual Status WaitOnStream(intptr_t stream) {
    (void)stream;
    return Unimplemented("this platform has no streams");
  }

  // While the count is above 0, the storage keeps its address and contents, even after
  // Delete or donation. Decrease returns FAILED_PRECONDITION at 0.
  virtual Status IncreaseExternalReferenceCount() = 0;
  virtual Status DecreaseExternalReferenceCount() = 0;
  // The address of the storage, valid while the external count is above 0. Waits until
  // the contents are defined. UnsafePointer needs no external reference; an
  // implementation may return before the contents are defined.
  virtual StatusOr<void*> OpaquePointer() = 0;
  virtual StatusOr<uintptr_t> UnsafePointer() = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_BUFFER_H_
