// Uploads several buffers in chunks.
//
// Thread-safe. Its owner may destroy it while transfers run; a buffer that never got its
// last chunk then fails with CANCELLED.
#ifndef TENON_PJRT_INTERFACE_TRANSFER_MANAGER_H_
#define TENON_PJRT_INTERFACE_TRANSFER_MANAGER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt {

class Device;

class AsyncHostToDeviceTransferManager {
 public:
  virtual ~AsyncHostToDeviceTransferManager() = default;

  virtual size_t buffer_count() const = 0;
  virtual Device* device() const = 0;
  // Bytes on the device. `index` below buffer_count() here and in what follows: checked
  // by the caller.
  virtual size_t BufferSize(size_t index) const = 0;
  // The buffer, which completes after its last chunk. Once per index, else
  // FAILED_PRECONDITION.
  virtual StatusOr<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) = 0;
  // Copies `size` raw bytes to `offset`. Chunks come in any order; `last` says that none
  // follows. `data` stays until the returned event completes. A range outside of the
  // buffer, or a chunk after the last, is an error here.
  virtual StatusOr<Event> TransferData(size_t index, const void* data, int64_t offset,
                                       int64_t size, bool last) = 0;
  // The whole contents at once, from an array of the buffer's shape.
  virtual StatusOr<Event> TransferLiteral(size_t index, const HostArray& literal) = 0;
  // The buffer fails with `error`; later chunks are ignored. Never fails.
  virtual void SetBufferError(size_t index, Status error) = 0;
  // Notes for profiles; may be ignored. Never fails.
  virtual void AddMetadata(const NamedValueMap& metadata) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_TRANSFER_MANAGER_H_
