#ifndef TENON_BASE_IDLE_POOL_H_
#define TENON_BASE_IDLE_POOL_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace tenon {

// Objects that are costly to make and wait for their next use, by key. Thread-safe.
//
// A pool of the process is never destroyed, because a thread may use it while the process
// exits.
template <typename T>
class IdlePool {
 public:
  // Keeps at most `max` objects.
  explicit IdlePool(size_t max) : max_(max) {}
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // Returns an object of that key, or null if none waits.
  std::unique_ptr<T> Take(const std::string& key) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  // Keeps the object, or destroys it if the pool is full or memory is short.
  void Keep(const std::string& key, std::unique_ptr<T> object) noexcept {
    std::lock_guard lock(mutex_);
    if (objects_.size() >= max_) return;
    try {
      objects_.emplace(key, std::move(object));
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  const size_t max_;
  std::mutex mutex_;
  std::multimap<std::string, std::unique_ptr<T>> objects_;
};

}  // namespace tenon

#endif  // TENON_BASE_IDLE_POOL_H_
