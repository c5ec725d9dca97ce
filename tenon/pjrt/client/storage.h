// The memory of a buffer, shared by the buffer and by the work that uses it.
//
// Reference-counted. Work that reads the memory counts as a use as long as it runs;
// donation in place is possible only without uses. Counting is thread-safe; the memory
// itself is written by one execution or transfer before the buffer's event completes.
#ifndef TENON_PJRT_CLIENT_STORAGE_H_
#define TENON_PJRT_CLIENT_STORAGE_H_

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "tenon/base/status.h"
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
  // Without memory so far: Allocate gets it from `space`, which outlives the storage.
  static StatusOr<StorageRef> Deferred(device::MemorySpace& space, size_t size);
  // With memory. Small ones have it next to the counts where the host can address it.
  static StatusOr<StorageRef> Owned(device::MemorySpace& space, size_t size);
  // Memory of somebody else. `on_release` (may be empty) runs when nobody uses it.
  static StorageRef View(device::MemorySpace& space, void* address, size_t size,
                         std::function<void()> on_release);

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Gets the memory of a deferred storage.
  Status Allocate();

  // Gives a view of nothing its memory, before anybody reads it.
  void Bind(void* address, std::function<void()> on_release);

  // What the device knows the memory by. Null before Allocate and for views of nothing.
  void* address() const { return address_; }
  // The same, for the host to read and write: only in host-addressable memory.
  void* host_data() const {
    assert(host_addressable());
    return address_;
  }
  bool host_addressable() const { return space_.host_addressable(); }
  device::MemorySpace& space() const { return space_; }
  size_t size() const { return size_; }
  bool is_view() const { return is_view_; }

  // A use holds a reference too.
  void AcquireUse() { counts_.fetch_add(kUse + kReference, std::memory_order_relaxed); }
  void ReleaseUse() { Release(kUse + kReference); }
  // Whether nobody reads the memory, in flight or from outside: to be asked when no new
  // use can begin.
  bool Unused() const {
    return counts_.load(std::memory_order_acquire) < kUse &&
           external_.load(std::memory_order_acquire) == 0;
  }

  // References from outside that keep the memory in place.
  void AddExternal() { external_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveExternal() { external_.fetch_sub(1, std::memory_order_release); }

 private:
  friend class StorageRef;
  static constexpr uint64_t kReference = 1;
  static constexpr uint64_t kUse = uint64_t{1} << 32;
  // Up to this size the memory lies behind the object, in the same block.
  static constexpr size_t kInline = 1024;

  Storage(device::MemorySpace& space, size_t size, bool is_view)
      : space_(space), size_(size), is_view_(is_view) {}
  ~Storage() = default;
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
  std::function<void()>* on_release_ = nullptr;
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
