#include "tenon/pjrt/client/storage.h"

#include <new>

namespace tenon::pjrt {
namespace {

// Where inline memory begins in a block.
constexpr size_t kHeader = 64;

}  // namespace

static_assert(sizeof(Storage) <= kHeader);
static_assert(runtime::kAlignment % alignof(Storage) == 0);

size_t Storage::BlockSize(size_t size) {
  return size <= kInline ? kHeader + size : kHeader;
}

StatusOr<StorageRef> Storage::Deferred(runtime::Allocator& allocator, size_t size) {
  TENON_ASSIGN_OR_RETURN(void* block, allocator.Allocate(BlockSize(size)));
  return StorageRef(new (block) Storage(&allocator, size));
}

StatusOr<StorageRef> Storage::Owned(runtime::Allocator& allocator, size_t size) {
  TENON_ASSIGN_OR_RETURN(StorageRef storage, Deferred(allocator, size));
  TENON_RETURN_IF_ERROR(storage->Allocate());
  return storage;
}

StorageRef Storage::View(void* data, size_t size, std::function<void()> on_release) {
  auto* storage = new Storage(nullptr, size);
  storage->data_ = data;
  if (on_release) storage->on_release_ = new std::function(std::move(on_release));
  return StorageRef(storage);
}

void Storage::Bind(void* data, std::function<void()> on_release) {
  assert(!data_ && !on_release_ && !allocator_);
  data_ = data;
  on_release_ = new std::function(std::move(on_release));
}

Status Storage::Allocate() {
  assert(!data_ && allocator_);
  if (size_ <= kInline) {
    data_ = reinterpret_cast<char*>(this) + kHeader;
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(data_, allocator_->Allocate(size_));
  return OkStatus();
}

void Storage::Destroy() {
  if (!allocator_) {
    if (on_release_) {
      (*on_release_)();
      delete on_release_;
    }
    delete this;
    return;
  }
  runtime::Allocator* allocator = allocator_;
  const size_t size = size_;
  if (data_ && size > kInline) allocator->Free(data_, size);
  this->~Storage();
  allocator->Free(this, BlockSize(size));
}

}  // namespace tenon::pjrt
