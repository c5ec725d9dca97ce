// A buffer in a memory space of a device. Thread-safe, as the interface requires.
#ifndef TENON_PJRT_CLIENT_LOCAL_BUFFER_H_
#define TENON_PJRT_CLIENT_LOCAL_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tenon/pjrt/client/local_device.h"
#include "tenon/pjrt/client/spin_lock.h"
#include "tenon/pjrt/client/storage.h"
#include "tenon/pjrt/client/tensor_shape.h"
#include "tenon/pjrt/client/transfer.h"
#include "tenon/pjrt/interface/buffer.h"

namespace tenon::pjrt {

class LocalBuffer final : public Buffer {
 public:
  // `ready` completes when the contents of `storage` are defined. The memory space and
  // the context must outlive the buffer.
  LocalBuffer(const TensorShape& shape, LocalMemory* memory, StorageRef storage,
              Event ready, ClientContext& context)
      : shape_(shape),
        memory_(memory),
        context_(context),
        ready_(std::move(ready)),
        storage_(std::move(storage)) {}
  ~LocalBuffer() override;

  ElementType element_type() const override { return shape_.type(); }
  std::span<const int64_t> dims() const override { return shape_.dims(); }
  std::span<const int64_t> minor_to_major() const override {
    return shape_.minor_to_major();
  }
  MemorySpace* memory() const override { return memory_; }
  Device* device() const override { return memory_->local_device(); }
  bool is_on_cpu() const override { return memory_->space().host_addressable(); }
  StatusOr<size_t> OnDeviceSizeInBytes() const override { return shape_.byte_size(); }
  size_t HostSizeInBytes() const override { return shape_.byte_size(); }

  Event ReadyEvent() override;
  void Delete() override;
  bool IsDeleted() const override { return deleted_.load(std::memory_order_acquire); }

  Event ToHost(void* dst, size_t dst_size,
               std::optional<std::span<const int64_t>> byte_strides) override;
  Event CopyRawToHost(void* dst, int64_t offset, int64_t size) override;
  Event CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location, int64_t offset,
                            int64_t size) override;
  StatusOr<std::unique_ptr<Buffer>> CopyToMemory(MemorySpace* memory) override;
  StatusOr<std::unique_ptr<Buffer>> Bitcast(const ArrayShape& shape) override;
  StatusOr<std::unique_ptr<Buffer>> DonateWithControlDependency(
      Event dependency) override;

  Status WaitOnStream(intptr_t stream) override {
    if (IsDeleted()) return Deleted("a wait");
    return memory_->local_device()->device().WaitOnStream(stream, ready_);
  }
  Status IncreaseExternalReferenceCount() override;
  Status DecreaseExternalReferenceCount() override;
  StatusOr<void*> OpaquePointer() override;
  StatusOr<uintptr_t> UnsafePointer() override;

  const TensorShape& shape() const { return shape_; }
  LocalMemory* local_memory() const { return memory_; }
  // Never changes, also after deletion.
  const Event& ready() const { return ready_; }

  // For executions. Returns a use of the storage, or null if the buffer is deleted or
  // donated. Sets `*seen` to whether this execution has used the buffer before, as
  // another argument.
  StorageUse Use(uint64_t execution_id, bool* seen);
  // Takes the storage and marks the buffer deleted. Returns null if it is deleted
  // already.
  StorageRef Donate(uint64_t execution_id, bool* seen);
  // Undoes Donate, for an execution that did not start.
  void UndoDonation(StorageRef storage);

 private:
  // A use, or null after deletion.
  StorageUse Use();
  // Waits for the contents and returns the storage's address.
  StatusOr<void*> Address(const StorageRef& storage);
  // ReadStorage of bytes [offset, offset + size).
  template <typename Read>
  Event ReadBytes(size_t offset, size_t size, Read read);
  Status Deleted(const char* what) const;
  Status CheckRange(int64_t offset, int64_t size) const;

  const TensorShape shape_;
  LocalMemory* const memory_;
  ClientContext& context_;
  const Event ready_;
  std::atomic<bool> deleted_{false};
  mutable SpinLock lock_;
  // Protected by lock_:
  StorageRef storage_;   // null after deletion
  StorageRef external_;  // set while external_count_ is above 0
  int64_t external_count_ = 0;
  uint64_t execution_id_ = 0;  // the last execution that used the buffer
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_BUFFER_H_
