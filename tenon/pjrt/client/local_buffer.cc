#include "tenon/pjrt/client/local_buffer.h"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tenon/types/canonical_bytes.h"
#include "tenon/types/shape.h"
#include "tenon/types/strided_copy.h"

namespace tenon::pjrt {

LocalBuffer::~LocalBuffer() {
  // Needs no lock, because no other thread may use the buffer now.
  if (external_count_ > 0) {
    for (; external_count_ > 0; --external_count_) external_->RemoveExternal();
  }
}

Status LocalBuffer::Deleted(const char* what) const {
  return InvalidArgument(std::string(what) + " of a buffer " +
                         ShapeString(shape_.type(), shape_.dims()) +
                         " that has been deleted or donated");
}

Event LocalBuffer::ReadyEvent() {
  if (IsDeleted()) return Event::Failed(Deleted("the ready event"));
  return ready_;
}

void LocalBuffer::Delete() {
  StorageRef storage;  // declared before the lock, so that it is released after it
  std::lock_guard lock(lock_);
  storage = std::move(storage_);
  deleted_.store(true, std::memory_order_release);
}

StorageUse LocalBuffer::Use() {
  std::lock_guard lock(lock_);
  return storage_ ? StorageUse(storage_.get()) : StorageUse();
}

StorageUse LocalBuffer::Use(uint64_t execution_id, bool* seen) {
  std::lock_guard lock(lock_);
  *seen = execution_id_ == execution_id;
  execution_id_ = execution_id;
  return storage_ ? StorageUse(storage_.get()) : StorageUse();
}

StorageRef LocalBuffer::Donate(uint64_t execution_id, bool* seen) {
  std::lock_guard lock(lock_);
  *seen = execution_id_ == execution_id;
  execution_id_ = execution_id;
  deleted_.store(true, std::memory_order_release);
  return std::move(storage_);
}

void LocalBuffer::UndoDonation(StorageRef storage) {
  std::lock_guard lock(lock_);
  storage_ = std::move(storage);
  execution_id_ = 0;
  deleted_.store(false, std::memory_order_release);
}

template <typename Read>
Event LocalBuffer::ReadBytes(size_t offset, size_t size, Read read) {
  StorageUse use = Use();
  if (!use) return Event::Failed(Deleted("a copy"));
  return ReadStorage(context_, memory_->local_device()->device(), std::move(use), ready_,
                     offset, size, std::move(read));
}

Event LocalBuffer::ToHost(void* dst, size_t dst_size,
                          std::optional<std::span<const int64_t>> byte_strides) {
  const size_t bytes = shape_.byte_size();
  if (!byte_strides && dst_size < bytes) {
    return Event::Failed(InvalidArgument(
        "a copy of " + ShapeString(shape_.type(), shape_.dims()) + " needs " +
        std::to_string(bytes) + " bytes, but has " + std::to_string(dst_size)));
  }
  if (!byte_strides && shape_.is_row_major()) {
    return ReadBytes(0, bytes, [dst, bytes](const void* src) {
      if (bytes) std::memcpy(dst, src, bytes);
    });
  }
  std::vector<int64_t> strides =
      byte_strides ? std::vector<int64_t>(byte_strides->begin(), byte_strides->end())
                   : TensorShape(shape_.type(), shape_.dims()).ByteStrides();
  return ReadBytes(
      0, bytes,
      [dst, strides = std::move(strides), from = shape_.ByteStrides(),
       dims = std::vector<int64_t>(shape_.dims().begin(), shape_.dims().end()),
       type = shape_.type()](const void* src) {
        CopyStrided(dst, strides, src, from, dims, ElementBytes(type));
      });
}

Status LocalBuffer::CheckRange(int64_t offset, int64_t size) const {
  const int64_t total = static_cast<int64_t>(shape_.byte_size());
  if (offset >= 0 && size >= 0 && offset <= total && size <= total - offset) {
    return OkStatus();
  }
  return InvalidArgument(std::to_string(size) + " bytes at offset " +
                         std::to_string(offset) + " are not within the " +
                         std::to_string(total) + " bytes of " +
                         ShapeString(shape_.type(), shape_.dims()));
}

Event LocalBuffer::CopyRawToHost(void* dst, int64_t offset, int64_t size) {
  if (Status range = CheckRange(offset, size); !range.ok()) return Event::Failed(range);
  const size_t bytes = static_cast<size_t>(size);
  return ReadBytes(static_cast<size_t>(offset), bytes, [dst, bytes](const void* src) {
    if (bytes) std::memcpy(dst, src, bytes);
  });
}

Event LocalBuffer::CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location,
                                       int64_t offset, int64_t size) {
  // Hold the storage from now on. The copy starts when source and destination are ready.
  if (Status range = CheckRange(offset, size); !range.ok()) return Event::Failed(range);
  auto use = std::make_shared<StorageUse>(Use());
  if (!*use) return Event::Failed(Deleted("a copy"));
  Event done = Event::Pending();
  AllOf(std::vector<Event>{ready_, std::move(dst)})
      .OnReady([=, ready = ready_, context = &context_,
                device = &memory_->local_device()->device()](const Status& status) {
        if (!status.ok()) {
          done.Set(status);
          return;
        }
        const size_t bytes = static_cast<size_t>(size);
        ReadStorage(*context, *device, std::move(*use), ready,
                    static_cast<size_t>(offset), bytes,
                    [location, bytes](const void* src) {
                      if (bytes) std::memcpy(*location, src, bytes);
                    })
            .OnReady([done, location](const Status& copied) { done.Set(copied); });
      });
  return done;
}

StatusOr<std::unique_ptr<Buffer>> LocalBuffer::CopyToMemory(MemorySpace* memory) {
  if (IsDeleted()) return Deleted("a copy");
  auto* to = static_cast<LocalMemory*>(memory);
  TENON_ASSIGN_OR_RETURN(StorageRef storage,
                         Storage::Owned(to->space(), shape_.byte_size()));
  StorageUse use = Use();
  if (!use) return Deleted("a copy");
  Event done = CopyStorage(context_, memory_->local_device()->device(), std::move(use),
                           ready_, to->local_device()->device(), storage);
  return std::make_unique<LocalBuffer>(shape_, to, std::move(storage), std::move(done),
                                       context_);
}

StatusOr<std::unique_ptr<Buffer>> LocalBuffer::Bitcast(const ArrayShape& shape) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
  TensorShape to(shape.type, shape.dims, shape.minor_to_major);
  if (to.byte_size() != shape_.byte_size()) {
    return InvalidArgument(
        "a buffer " + ShapeString(shape_.type(), shape_.dims()) + " of " +
        std::to_string(shape_.byte_size()) + " bytes cannot be seen as " +
        ShapeString(to.type(), to.dims()) + " of " + std::to_string(to.byte_size()));
  }
  if (NeedsCanonicalBytes(to.type()) && to.type() != shape_.type()) {
    return Unimplemented("a bitcast to " + ShapeString(to.type(), to.dims()) +
                         ", whose elements do not use all of their bits");
  }
  bool seen;
  StorageRef storage = Donate(0, &seen);
  if (!storage) return Deleted("a bitcast");
  return std::make_unique<LocalBuffer>(to, memory_, std::move(storage), ready_, context_);
}

StatusOr<std::unique_ptr<Buffer>> LocalBuffer::DonateWithControlDependency(
    Event dependency) {
  bool seen;
  StorageRef storage = Donate(0, &seen);
  if (!storage) return Deleted("a donation");
  return std::make_unique<LocalBuffer>(shape_, memory_, std::move(storage),
                                       AllOf(std::vector<Event>{ready_, dependency}),
                                       context_);
}

Status LocalBuffer::IncreaseExternalReferenceCount() {
  std::lock_guard lock(lock_);
  if (!storage_ && external_count_ == 0) return Deleted("an external reference");
  if (external_count_ == 0) external_ = storage_;
  ++external_count_;
  external_->AddExternal();
  return OkStatus();
}

Status LocalBuffer::DecreaseExternalReferenceCount() {
  StorageRef last;  // declared before the lock, so that it is released after it
  std::lock_guard lock(lock_);
  if (external_count_ == 0) {
    return FailedPrecondition("the buffer has no external reference to drop");
  }
  external_->RemoveExternal();
  if (--external_count_ == 0) last = std::move(external_);
  return OkStatus();
}

StatusOr<void*> LocalBuffer::Address(const StorageRef& storage) {
  if (!storage) return Deleted("the address");
  TENON_RETURN_IF_ERROR(ready_.Await());
  return storage->address();
}

StatusOr<void*> LocalBuffer::OpaquePointer() {
  StorageRef storage;
  {
    std::lock_guard lock(lock_);
    storage = storage_ ? storage_ : external_;
  }
  return Address(storage);
}

StatusOr<uintptr_t> LocalBuffer::UnsafePointer() {
  // This may wait too: the memory is allocated only when the execution that writes it
  // starts.
  TENON_ASSIGN_OR_RETURN(void* address, OpaquePointer());
  return reinterpret_cast<uintptr_t>(address);
}

}  // namespace tenon::pjrt
