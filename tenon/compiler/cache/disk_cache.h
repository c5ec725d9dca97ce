// Values by key in a folder of files, shared by the processes of one user.
//
// Loaded values are run as machine code, so the folder and its files must belong to the
// user (or to root) and be writable by nobody else; others are ignored. Files are
// complete or absent, because they are written under a temporary name and then renamed.
// Damaged files count as absent. No failure is an error: Load finds nothing and Store
// does nothing. Thread-safe, and safe between processes.
#ifndef TENON_COMPILER_CACHE_DISK_CACHE_H_
#define TENON_COMPILER_CACHE_DISK_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::compiler {

// The file name of a key: 64 hexadecimal digits of its BLAKE3 hash.
std::string CacheName(std::string_view key);

class DiskCache {
 public:
  struct Limits {
    uint64_t total_bytes = uint64_t{256} << 20;  // of all values and their keys
    uint64_t value_bytes = uint64_t{32} << 20;   // larger values are not stored
  };

  // With an empty folder, nothing is found or stored. The constructor accesses no file.
  explicit DiskCache(std::string folder) : DiskCache(std::move(folder), Limits()) {}
  DiskCache(std::string folder, Limits limits)
      : folder_(std::move(folder)), limits_(limits) {}

  // `name` is CacheName(key). The whole key is compared, so a collision of names does no
  // harm.
  std::optional<std::string> Load(const std::string& name, std::string_view key) const;
  // Creates the folder if it does not exist. Removes the values that have not been loaded
  // for the longest time if the folder would exceed its limit.
  void Store(const std::string& name, std::string_view key, std::string_view value) const;

 private:
  const std::string folder_;
  const Limits limits_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CACHE_DISK_CACHE_H_
