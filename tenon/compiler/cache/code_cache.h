// A cache of generated code, keyed by everything that determines it: in the process's
// memory, and in a folder shared with other processes (docs/design/0017-kernel-cache.md).
//
// Thread-safe. A thread that wants a value which another thread is generating waits for
// it.
#ifndef TENON_COMPILER_CACHE_CODE_CACHE_H_
#define TENON_COMPILER_CACHE_CODE_CACHE_H_

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "tenon/base/status.h"
#include "tenon/compiler/cache/disk_cache.h"

namespace tenon::compiler {

class CodeCache {
 public:
  struct Limits {
    size_t memory_bytes = size_t{32} << 20;
    DiskCache::Limits disk;
  };
  // Counts where values came from, since the process began.
  struct Counts {
    int64_t generated = 0, from_memory = 0, from_disk = 0;
  };
  using Value = std::shared_ptr<const std::string>;

  // With an empty folder, values are kept in memory only.
  explicit CodeCache(std::string folder) : CodeCache(std::move(folder), Limits()) {}
  CodeCache(std::string folder, Limits limits)
      : disk_(std::move(folder), limits.disk), limits_(limits) {}

  // The process's cache for a folder. Never destroyed, because a thread may still compile
  // while the process exits.
  static CodeCache& Of(const std::string& folder);

  // Returns the value of `key` from memory or from the folder. If neither has it, calls
  // `generate` and stores the result. Errors of `generate` are returned and not stored.
  StatusOr<Value> Get(std::string_view key,
                      llvm::function_ref<StatusOr<std::string>()> generate);
  Counts counts() const;

 private:
  struct Entry {
    std::string name, key;
    Value value;
    size_t bytes() const { return name.size() + key.size() + value->size(); }
  };
  // A value that some thread is generating. If generating fails, the value stays null.
  struct Pending {
    std::condition_variable finished;
    bool done = false;
    Value value;
  };
  class PendingScope;

  // Require mutex_ to be held:
  Value FindInMemory(const std::string& name, std::string_view key);
  void KeepInMemory(const std::string& name, std::string_view key, const Value& value);

  const DiskCache disk_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::map<std::string, std::list<Entry>::iterator> by_name_;
  size_t bytes_ = 0;
  std::map<std::string, std::shared_ptr<Pending>> pending_by_name_;
  Counts counts_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CACHE_CODE_CACHE_H_
