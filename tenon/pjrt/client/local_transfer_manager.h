// Chunked uploads into buffers of a local client. Thread-safe.
#ifndef TENON_PJRT_CLIENT_LOCAL_TRANSFER_MANAGER_H_
#define TENON_PJRT_CLIENT_LOCAL_TRANSFER_MANAGER_H_

#include <memory>
#include <mutex>
#include <vector>

#include "tenon/pjrt/client/local_buffer.h"
#include "tenon/pjrt/interface/transfer_manager.h"

namespace tenon::pjrt {

class LocalTransferManager final : public AsyncHostToDeviceTransferManager {
 public:
  static StatusOr<std::unique_ptr<LocalTransferManager>> Create(
      std::span<const ArrayShape> shapes, LocalMemory* memory, ClientContext& context);
  ~LocalTransferManager() override;

  size_t buffer_count() const override { return slots_.size(); }
  Device* device() const override { return memory_->local_device(); }
  size_t BufferSize(size_t index) const override {
    return slots_[index]->shape.byte_size();
  }
  StatusOr<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) override;
  StatusOr<Event> TransferData(size_t index, const void* data, int64_t offset,
                               int64_t size, bool last) override;
  StatusOr<Event> TransferLiteral(size_t index, const HostArray& literal) override;
  void SetBufferError(size_t index, Status error) override;
  void AddMetadata(const NamedValueMap&) override {}

 private:
  // The transfer of one buffer. Chunks in flight keep it alive.
  struct Slot {
    explicit Slot(const TensorShape& shape) : shape(shape) {}
    const TensorShape shape;
    StorageRef storage;
    const Event ready = Event::Pending();
    std::mutex mutex;
    bool retrieved = false;
    bool last_given = false;
    int64_t chunks_in_flight = 0;

    void ChunkDone(const Status& status);
  };

  LocalTransferManager(LocalMemory* memory, ClientContext& context)
      : memory_(memory), context_(context) {}
  // Sends one chunk: `write` writes `bytes` bytes of the slot from `offset`.
  StatusOr<Event> Transfer(size_t index, size_t offset, size_t bytes, bool last,
                           std::function<void(void*)> write);

  LocalMemory* const memory_;
  ClientContext& context_;
  std::vector<std::shared_ptr<Slot>> slots_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_TRANSFER_MANAGER_H_
