#include "tenon/compiler/cache/code_cache.h"

#include <utility>

namespace tenon::compiler {

// Registers a pending value while the cache's mutex is held, and ends it on every exit,
// exceptions included, so that no thread waits forever.
class CodeCache::PendingScope {
 public:
  PendingScope(CodeCache& cache, std::string name)
      : cache_(cache), name_(std::move(name)), pending_(std::make_shared<Pending>()) {
    cache_.pending_by_name_.emplace(name_, pending_);
  }
  ~PendingScope() {
    std::lock_guard lock(cache_.mutex_);
    pending_->done = true;
    cache_.pending_by_name_.erase(name_);
    pending_->finished.notify_all();
  }
  PendingScope(const PendingScope&) = delete;
  PendingScope& operator=(const PendingScope&) = delete;
  Pending& pending() { return *pending_; }

 private:
  CodeCache& cache_;
  const std::string name_;
  const std::shared_ptr<Pending> pending_;
};

CodeCache& CodeCache::Of(const std::string& folder) {
  static auto* mutex = new std::mutex;
  static auto* caches = new std::map<std::string, CodeCache*>;
  std::lock_guard lock(*mutex);
  CodeCache*& cache = (*caches)[folder];
  if (cache == nullptr) cache = new CodeCache(folder);
  return *cache;
}

CodeCache::Value CodeCache::FindInMemory(const std::string& name, std::string_view key) {
  auto found = by_name_.find(name);
  if (found == by_name_.end() || found->second->key != key) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void CodeCache::KeepInMemory(const std::string& name, std::string_view key,
                             const Value& value) {
  // A single large value must not evict all others.
  if (value->size() + key.size() > limits_.memory_bytes / 8) return;
  if (auto old = by_name_.find(name); old != by_name_.end()) {
    bytes_ -= old->second->bytes();
    entries_.erase(old->second);
    by_name_.erase(old);
  }
  std::list<Entry> added;  // an exception leaves list and index unchanged
  added.push_front({name, std::string(key), value});
  by_name_.emplace(name, added.begin());
  bytes_ += added.front().bytes();
  entries_.splice(entries_.begin(), added);
  while (bytes_ > limits_.memory_bytes) {
    bytes_ -= entries_.back().bytes();
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
}

StatusOr<CodeCache::Value> CodeCache::Get(
    std::string_view key, llvm::function_ref<StatusOr<std::string>()> generate) {
  const std::string name = CacheName(key);
  std::optional<PendingScope> scope;
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (Value value = FindInMemory(name, key)) {
        ++counts_.from_memory;
        return value;
      }
      auto other = pending_by_name_.find(name);
      if (other == pending_by_name_.end()) break;
      // Names differ if keys differ: a collision of the hash is practically impossible.
      const std::shared_ptr<Pending> awaited = other->second;
      awaited->finished.wait(lock, [&] { return awaited->done; });
      if (awaited->value) {
        ++counts_.from_memory;
        return awaited->value;
      }
    }
    scope.emplace(*this, name);
  }
  Value value;
  std::optional<std::string> stored = disk_.Load(name, key);
  const bool from_disk = stored.has_value();
  if (from_disk) {
    value = std::make_shared<const std::string>(*std::move(stored));
  } else {
    TENON_ASSIGN_OR_RETURN(std::string generated, generate());
    value = std::make_shared<const std::string>(std::move(generated));
    disk_.Store(name, key, *value);
  }
  std::lock_guard lock(mutex_);
  ++(from_disk ? counts_.from_disk : counts_.generated);
  KeepInMemory(name, key, value);
  scope->pending().value = value;
  return value;
}

CodeCache::Counts CodeCache::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace tenon::compiler
