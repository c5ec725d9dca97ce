#include "tenon/pjrt/client/local_transfer_manager.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "tenon/types/canonical_bytes.h"
#include "tenon/types/shape.h"
#include "tenon/types/strided_copy.h"

namespace tenon::pjrt {
namespace {

// Copies up to this size happen on the caller's thread.
constexpr size_t kInlineCopyBytes = size_t{256} << 10;

}  // namespace

StatusOr<std::unique_ptr<LocalTransferManager>> LocalTransferManager::Create(
    std::span<const ArrayShape> shapes, LocalMemory* memory, ClientContext& context) {
  std::unique_ptr<LocalTransferManager> manager(
      new LocalTransferManager(memory, context));
  for (const ArrayShape& shape : shapes) {
    TENON_RETURN_IF_ERROR(
        TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
    auto slot =
        std::make_shared<Slot>(TensorShape(shape.type, shape.dims, shape.minor_to_major));
    TENON_ASSIGN_OR_RETURN(slot->storage,
                           Storage::Owned(memory->space(), slot->shape.byte_size()));
    manager->slots_.push_back(std::move(slot));
  }
  return manager;
}

LocalTransferManager::~LocalTransferManager() {
  for (const auto& slot : slots_) {
    bool abandoned;
    {
      std::lock_guard lock(slot->mutex);
      abandoned = !slot->last_given;
    }
    if (abandoned) {
      slot->ready.Set(Status(StatusCode::kCancelled,
                             "the transfer ended before the buffer was complete"));
    }
  }
}

StatusOr<std::unique_ptr<Buffer>> LocalTransferManager::RetrieveBuffer(size_t index) {
  Slot& slot = *slots_[index];
  {
    std::lock_guard lock(slot.mutex);
    if (std::exchange(slot.retrieved, true)) {
      return FailedPrecondition("buffer " + std::to_string(index) +
                                " of the transfer has been retrieved already");
    }
  }
  return std::make_unique<LocalBuffer>(slot.shape, memory_, slot.storage, slot.ready,
                                       context_);
}

void LocalTransferManager::Slot::ChunkDone(const Status& status) {
  if (!status.ok()) ready.Set(status);
  bool complete;
  {
    std::lock_guard lock(mutex);
    complete = --chunks_in_flight == 0 && last_given;
  }
  if (complete) ready.Set();
}

StatusOr<Event> LocalTransferManager::Transfer(size_t index, size_t offset, size_t bytes,
                                               bool last,
                                               std::function<void(void*)> write) {
  std::shared_ptr<Slot> slot = slots_[index];
  {
    std::lock_guard lock(slot->mutex);
    if (slot->ready.IsReady() && !slot->ready.status().ok()) {
      return Event::Ready();  // the buffer has failed, so its chunks are ignored
    }
    if (slot->last_given) {
      return FailedPrecondition("buffer " + std::to_string(index) +
                                " of the transfer has got its last chunk already");
    }
    slot->last_given = last;
    ++slot->chunks_in_flight;
  }
  Event done = Event::Pending();
  WriteStorage(
      context_, memory_->local_device()->device(), slot->storage, offset, bytes,
      bytes <= kInlineCopyBytes, std::move(write), [done] { done.Set(); },
      [slot](const Status& status) { slot->ChunkDone(status); });
  return done;
}

StatusOr<Event> LocalTransferManager::TransferData(size_t index, const void* data,
                                                   int64_t offset, int64_t size,
                                                   bool last) {
  const int64_t total = static_cast<int64_t>(slots_[index]->shape.byte_size());
  if (offset < 0 || size < 0 || offset > total || size > total - offset) {
    return InvalidArgument("a chunk of " + std::to_string(size) + " bytes at offset " +
                           std::to_string(offset) + " is not within the " +
                           std::to_string(total) + " bytes of buffer " +
                           std::to_string(index));
  }
  const ElementType type = slots_[index]->shape.type();
  const size_t bytes = static_cast<size_t>(size);
  return Transfer(index, static_cast<size_t>(offset), bytes, last, [=](void* to) {
    std::memcpy(to, data, bytes);
    MakeBytesCanonical(type, to, bytes);
  });
}

StatusOr<Event> LocalTransferManager::TransferLiteral(size_t index,
                                                      const HostArray& literal) {
  const TensorShape& shape = slots_[index]->shape;
  if (literal.type != shape.type() || !std::ranges::equal(literal.dims, shape.dims())) {
    return InvalidArgument("a literal " + ShapeString(literal.type, literal.dims) +
                           " does not fit buffer " + std::to_string(index) + ", " +
                           ShapeString(shape.type(), shape.dims()));
  }
  std::vector<int64_t> strides =
      literal.byte_strides ? std::vector<int64_t>(literal.byte_strides->begin(),
                                                  literal.byte_strides->end())
                           : TensorShape(literal.type, literal.dims).ByteStrides();
  return Transfer(index, /*offset=*/0, shape.byte_size(), /*last=*/true,
                  [shape = TensorShape(shape), strides = std::move(strides),
                   data = literal.data](void* to) {
                    CopyStrided(to, shape.ByteStrides(), data, strides, shape.dims(),
                                ElementBytes(shape.type()));
                    MakeBytesCanonical(shape.type(), to, shape.byte_size());
                  });
}

void LocalTransferManager::SetBufferError(size_t index, Status error) {
  slots_[index]->ready.Set(std::move(error));
}

}  // namespace tenon::pjrt
