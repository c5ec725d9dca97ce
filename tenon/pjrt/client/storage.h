// The memory of a buffer, shared by the buffer and by the operations that use it.
//
// Reference-counted. An operation that reads the memory holds a use until it ends. A
// storage can be donated in place only if it has no uses. Counting is thread-safe. One
// execution or transfer writes the memory, before the buffer's event completes.
#ifndef TENON_PJRT_CLIENT_STORAGE_H_
#define TENON_PJRT_CLIENT_STORAGE_H_

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/device/memory_space.h"

namespace tenon::pjrt {

class Storage;

// A counted reference.
class StorageRef {
 public:
  StorageRef() = default;
  StorageRef(const StorageRef& other);
  StorageRef(StorageRef&& other) noexcept
      : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef();

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  friend class Storage;
  explicit StorageRef(Storage* storage) : storage_(storage) {}
  Storage* storage_ = nullptr;
};

class Storage {
 public:
  // A storage without memory. Allocate gets it from `space`, which must outlive the
  // storage.
  static StatusOr<StorageRef> Deferred(device::MemorySpace& space, size_t size);
  // A storage with memory. In host-addressable spaces, small storages have it in the same
  // block as the counts.
  static StatusOr<StorageRef> Owned(device::MemorySpace& space, size_t size);
  // A view of memory that the storage does not own. `on_release`, which may be empty,
  // runs when the last reference is gone.
  static StorageRef View(device::MemorySpace& space, void* address, size_t size,
                         std::function<void()> on_release);

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Allocates the memory of a deferred storage.
  Status Allocate();

  // Sets the memory of a view that was created with a null address. Must be called before
  // the memory is read.
  void Bind(void* address, std::function<void()> on_release);

  // The device's address of the memory. Null before Allocate or Bind.
  void* address() const { return address_; }
  // The same as a host address. Only for host-addressable memory.
  void* host_data() const {
    assert(host_addressable());
    return address_;
  }
  bool host_addressable() const { return space_.host_addressable(); }
  device::MemorySpace& space() const { return space_; }
  size_t size() const { return size_; }
  bool is_view() const { return is_view_; }
  // The buffers of `count` devices share this storage. Call before the second gets it.
  void ShareAmong(uint32_t count) { sharers_ = count; }
  // Whether an execution to which `count` buffers of this storage were donated may
  // overwrite the memory. Sharers that have been deleted count, too.
  bool MayOverwrite(size_t count) const {
    return !is_view_ && sharers_ == count && Unused();
  }

  // A use includes a reference.
  void AcquireUse() { counts_.fetch_add(kUse + kReference, std::memory_order_relaxed); }
  void ReleaseUse() { Release(kUse + kReference); }
  // Whether there are neither uses nor external references. Meaningful only while no new
  // use can begin.
  bool Unused() const {
    return counts_.load(std::memory_order_acquire) < kUse &&
           external_.load(std::memory_order_acquire) == 0;
  }

  // Where a device keeps what belongs to the contents. It is destroyed with the storage.
  std::atomic<device::Companion*>* companion() { return &companion_; }
  // Call before the contents change. There are no uses then.
  void DropCompanion() {
    if (companion_.load(std::memory_order_relaxed))
      delete companion_.exchange(nullptr, std::memory_order_acquire);
  }

  // External references, such as DLPack's, which keep the memory in place.
  void AddExternal() { external_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveExternal() { external_.fetch_sub(1, std::memory_order_release); }

 private:
  friend class StorageRef;
  static constexpr uint64_t kReference = 1;
  static constexpr uint64_t kUse = uint64_t{1} << 32;
  // Up to this size in bytes, the memory follows the object in the same block.
  static constexpr size_t kInline = 1024;

  Storage(device::MemorySpace& space, size_t size, bool is_view)
      : space_(space), size_(size), is_view_(is_view) {}
  ~Storage() { DropCompanion(); }
  // Whether the object and its memory are one block of a host-addressable space.
  static bool IsInline(const device::MemorySpace& space, size_t size) {
    return space.host_addressable() && size <= kInline;
  }
  void Ref() { counts_.fetch_add(kReference, std::memory_order_relaxed); }
  void Release(uint64_t counts) {
    if (counts_.fetch_sub(counts, std::memory_order_acq_rel) == counts) Destroy();
  }
  void Destroy();

  std::atomic<uint64_t> counts_{kReference};
  std::atomic<uint32_t> external_{0};
  void* address_ = nullptr;
  device::MemorySpace& space_;
  const size_t size_;
  const bool is_view_;
  uint32_t sharers_ = 1;
  std::function<void()>* on_release_ = nullptr;
  std::atomic<device::Companion*> companion_{nullptr};
};

inline StorageRef::StorageRef(const StorageRef& other) : storage_(other.storage_) {
  if (storage_) storage_->Ref();
}
inline StorageRef::~StorageRef() {
  if (storage_) storage_->Release(Storage::kReference);
}

// Holds a use for as long as it lives.
class StorageUse {
 public:
  StorageUse() = default;
  explicit StorageUse(Storage* storage) : storage_(storage) { storage->AcquireUse(); }
  StorageUse(StorageUse&& other) noexcept
      : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageUse& operator=(StorageUse&& other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageUse() {
    if (storage_) storage_->ReleaseUse();
  }
  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_STORAGE_H_
