// Uploads several buffers in chunks.
//
// Thread-safe. The owner may destroy it while transfers are in flight. A buffer whose
// last chunk has not been sent by then fails with CANCELLED.
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
  // In all following methods the caller has checked that `index` is below buffer_count().
  //
  // The size on the device, in bytes.
  virtual size_t BufferSize(size_t index) const = 0;
  // Returns the buffer, which is ready after its last chunk. FAILED_PRECONDITION for the
  // second call with the same index.
  virtual StatusOr<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) = 0;
  // Copies `size` raw bytes to `offset`. Chunks may come in any order; `last` says that
  // no further call follows. `data` must stay valid until the returned event completes.
  // Returns an error for a range outside of the buffer, and for a chunk after the last.
  virtual StatusOr<Event> TransferData(size_t index, const void* data, int64_t offset,
                                       int64_t size, bool last) = 0;
  // Transfers the whole contents from an array of the buffer's shape.
  virtual StatusOr<Event> TransferLiteral(size_t index, const HostArray& literal) = 0;
  // Fails the buffer with `error`. Later chunks are ignored. Never fails.
  virtual void SetBufferError(size_t index, Status error) = 0;
  // Metadata for profiles, which may be ignored. Never fails.
  virtual void AddMetadata(const NamedValueMap& metadata) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_TRANSFER_MANAGER_H_
