#include "tenon/pjrt/client/storage.h"

#include <new>

namespace tenon::pjrt {
namespace {

// The offset of inline memory in a block.
constexpr size_t kHeader = 64;

}  // namespace

static_assert(sizeof(Storage) <= kHeader);
static_assert(device::kAlignment % alignof(Storage) == 0);

StatusOr<StorageRef> Storage::Deferred(device::MemorySpace& space, size_t size) {
  void* block;
  if (space.host_addressable()) {
    TENON_ASSIGN_OR_RETURN(
        block, space.Allocate(IsInline(space, size) ? kHeader + size : kHeader));
  } else {
    block = ::operator new(sizeof(Storage));
  }
  return StorageRef(new (block) Storage(space, size, /*is_view=*/false));
}

StatusOr<StorageRef> Storage::Owned(device::MemorySpace& space, size_t size) {
  TENON_ASSIGN_OR_RETURN(StorageRef storage, Deferred(space, size));
  TENON_RETURN_IF_ERROR(storage->Allocate());
  return storage;
}

StorageRef Storage::View(device::MemorySpace& space, void* address, size_t size,
                         std::function<void()> on_release) {
  auto* storage = new Storage(space, size, /*is_view=*/true);
  storage->address_ = address;
  if (on_release) storage->on_release_ = new std::function(std::move(on_release));
  return StorageRef(storage);
}

void Storage::Bind(void* address, std::function<void()> on_release) {
  assert(!address_ && !on_release_ && is_view_);
  address_ = address;
  on_release_ = new std::function(std::move(on_release));
}

Status Storage::Allocate() {
  assert(!address_ && !is_view_);
  if (IsInline(space_, size_)) {
    address_ = reinterpret_cast<char*>(this) + kHeader;
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(address_, space_.Allocate(size_));
  return OkStatus();
}

void Storage::Destroy() {
  if (is_view_) {
    if (on_release_) {
      (*on_release_)();
      delete on_release_;
    }
    delete this;
    return;
  }
  device::MemorySpace& space = space_;
  const size_t size = size_;
  const bool is_inline = IsInline(space, size);
  if (address_ && !is_inline) space.Free(address_, size);
  this->~Storage();
  if (space.host_addressable()) {
    space.Free(this, is_inline ? kHeader + size : kHeader);
  } else {
    ::operator delete(this);
  }
}

}  // namespace tenon::pjrt
