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
    std::span<const ArrayShape> shapes, LocalMemory* memory, runtime::Runtime& runtime) {
  std::unique_ptr<LocalTransferManager> manager(
      new LocalTransferManager(memory, runtime));
  for (const ArrayShape& shape : shapes) {
    TENON_RETURN_IF_ERROR(
        TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
    auto slot =
        std::make_shared<Slot>(TensorShape(shape.type, shape.dims, shape.minor_to_major));
    TENON_ASSIGN_OR_RETURN(slot->storage,
                           Storage::Owned(runtime.allocator(), slot->shape.byte_size()));
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
                                       runtime_);
}

void LocalTransferManager::Slot::ChunkDone() {
  bool complete;
  {
    std::lock_guard lock(mutex);
    complete = --chunks_in_flight == 0 && last_given;
  }
  if (complete) ready.Set();
}

template <typename Copy>
StatusOr<Event> LocalTransferManager::Transfer(size_t index, size_t bytes, bool last,
                                               Copy copy) {
  std::shared_ptr<Slot> slot = slots_[index];
  {
    std::lock_guard lock(slot->mutex);
    if (slot->ready.IsReady() && !slot->ready.status().ok()) {
      return Event::Ready();  // chunks of what has failed are ignored
    }
    if (slot->last_given) {
      return FailedPrecondition("buffer " + std::to_string(index) +
                                " of the transfer has got its last chunk already");
    }
    slot->last_given = last;
    ++slot->chunks_in_flight;
  }
  if (bytes <= kInlineCopyBytes) {
    copy(slot->storage->data());
    slot->ChunkDone();
    return Event::Ready();
  }
  Event done = Event::Pending();
  runtime_.runners().Schedule([slot = std::move(slot), done, copy = std::move(copy)] {
    copy(slot->storage->data());
    done.Set();
    slot->ChunkDone();
  });
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
  return Transfer(index, bytes, last, [=](void* storage) {
    if (!bytes) return;
    char* dst = static_cast<char*>(storage) + offset;
    std::memcpy(dst, data, bytes);
    MakeBytesCanonical(type, dst, bytes);
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
  return Transfer(index, shape.byte_size(), /*last=*/true,
                  [shape = TensorShape(shape), strides = std::move(strides),
                   data = literal.data](void* storage) {
                    CopyStrided(storage, shape.ByteStrides(), data, strides, shape.dims(),
                                ElementBytes(shape.type()));
                    MakeBytesCanonical(shape.type(), storage, shape.byte_size());
                  });
}

void LocalTransferManager::SetBufferError(size_t index, Status error) {
  slots_[index]->ready.Set(std::move(error));
}

}  // namespace tenon::pjrt
