#include "tenon/compiler/cache/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace tenon::compiler {
namespace {

constexpr char kMagic[8] = {'T', 'e', 'n', 'o', 'n', 'K', 'c', '1'};
constexpr size_t kHashBytes = 32;
// Locked by a process that changes the folder; holds the approximate number of bytes in
// it.
constexpr const char* kUsageFile = "account";
constexpr std::string_view kTemporary = "tmp.";
// Temporary files older than this belong to processes that have ended.
constexpr time_t kTemporarySeconds = 3600;
// Loading a value renews its time stamp (the time of its last use) at most this often,
// because a write for each load would cost more than it is worth.
constexpr time_t kRenewSeconds = 3600;

// The header of a file, followed by key and value. In the byte order of the machine.
struct Header {
  char magic[sizeof kMagic];
  uint64_t key_size, value_size;
  uint8_t hash[kHashBytes];  // BLAKE3 of key and value
};

class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  File& operator=(File&&) = delete;
  ~File() {
    if (ok()) close(descriptor_);
  }
  bool ok() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

llvm::BLAKE3Result<kHashBytes> HashOf(std::string_view key, std::string_view value) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(key));
  hash.update(llvm::StringRef(value));
  return hash.final<kHashBytes>();
}

// Returns whether only the user and root can have written the file.
bool IsPrivate(const struct stat& info) {
  return (info.st_uid == geteuid() || info.st_uid == 0) && (info.st_mode & 022) == 0;
}

// Opens the folder, if it can be trusted. Later accesses go through the descriptor, so
// that nobody can replace the folder in between.
File OpenFolder(const std::string& folder, bool make) {
  if (folder.empty() || folder[0] != '/') return File();
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int descriptor = open(folder.c_str(), kFlags);
  if (descriptor < 0 && make) {
    for (size_t slash = folder.find('/', 1); slash != folder.npos;
         slash = folder.find('/', slash + 1))
      mkdir(folder.substr(0, slash).c_str(), 0700);
    mkdir(folder.c_str(), 0700);
    descriptor = open(folder.c_str(), kFlags);
  }
  File file(descriptor);
  struct stat info;
  if (!file.ok() || fstat(file.get(), &info) != 0 || !IsPrivate(info)) return File();
  return file;
}

// Opens a regular file of the folder, if it can be trusted.
File OpenFile(const File& folder, const char* name, int flags, struct stat* info) {
  File file(openat(folder.get(), name,
                   flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
  if (!file.ok() || fstat(file.get(), info) != 0 || !S_ISREG(info->st_mode) ||
      !IsPrivate(*info))
    return File();
  return file;
}

bool ReadAll(int file, char* data, size_t size) {
  while (size > 0) {
    ssize_t count = read(file, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool WriteAll(int file, const char* data, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool IsValueName(std::string_view name) {
  return name.size() == 2 * kHashBytes &&
         name.find_first_not_of("0123456789abcdef") == name.npos;
}

// A lock on the folder, and the count of bytes in it. Waits only briefly for the lock,
// because a process may have been stopped while it held it.
class FolderUsage {
 public:
  explicit FolderUsage(const File& folder)
      : file_(OpenFile(folder, kUsageFile, O_RDWR | O_CREAT, &info_)) {
    constexpr int kTries = 20;
    constexpr timespec kPause{0, 1'000'000};
    for (int i = 0; file_.ok() && !locked_ && i < kTries; ++i) {
      locked_ = flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
      if (!locked_) nanosleep(&kPause, nullptr);
    }
  }
  bool locked() const { return locked_; }

  // A new or damaged file reads as more than any limit.
  uint64_t Read() const {
    uint64_t bytes = 0;
    if (pread(file_.get(), &bytes, sizeof bytes, 0) != sizeof bytes) return UINT64_MAX;
    return bytes;
  }
  bool Write(uint64_t bytes) const {
    return pwrite(file_.get(), &bytes, sizeof bytes, 0) == sizeof bytes;
  }

 private:
  struct stat info_ = {};
  File file_;
  bool locked_ = false;
};

struct Entry {
  std::string name;
  uint64_t bytes;
  timespec used;
};

// Lists the values of the folder. Removes temporary files of processes that have ended.
std::vector<Entry> ListValues(const File& folder) {
  std::vector<Entry> entries;
  DIR* listing = fdopendir(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return entries;
  const time_t now = time(nullptr);
  while (const dirent* item = readdir(listing)) {
    const std::string_view name = item->d_name;
    const bool temporary = name.starts_with(kTemporary);
    struct stat info;
    if (!temporary && !IsValueName(name)) continue;
    if (fstatat(folder.get(), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (temporary && now - info.st_mtim.tv_sec > kTemporarySeconds)
      unlinkat(folder.get(), item->d_name, 0);
    else if (!temporary)
      entries.push_back(
          {std::string(name), static_cast<uint64_t>(info.st_size), info.st_mtim});
  }
  closedir(listing);
  return entries;
}

// Removes the least recently used values until at most `limit` bytes are left. Returns
// the remaining bytes.
uint64_t Shrink(const File& folder, uint64_t limit) {
  std::vector<Entry> entries = ListValues(folder);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  for (const Entry& entry : entries) {
    if (total <= limit) break;
    if (unlinkat(folder.get(), entry.name.c_str(), 0) == 0) total -= entry.bytes;
  }
  return total;
}

// Adds `bytes` to the recorded usage, after making room for them. Returns false if there
// is no room.
bool MakeRoom(const File& folder, const FolderUsage& usage, uint64_t bytes,
              uint64_t limit) {
  uint64_t total = usage.Read();
  if (total > limit || bytes > limit - total) {
    // Leaves a quarter of the limit free, so that the folder is not listed for each
    // value.
    const uint64_t target = limit - limit / 4;
    if (bytes > target) return false;
    total = Shrink(folder, target - bytes);
    if (total > limit - bytes) return false;
  }
  return usage.Write(total + bytes);
}

std::string TemporaryName() {
  static std::atomic<uint64_t> counter{0};
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::string(kTemporary) + std::to_string(getpid()) + "." +
         std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec) + "." +
         std::to_string(counter++);
}

}  // namespace

std::string CacheName(std::string_view key) {
  const auto hash = HashOf(key, "");
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
}

std::optional<std::string> DiskCache::Load(const std::string& name,
                                           std::string_view key) const {
  const File folder = OpenFolder(folder_, false);
  if (!folder.ok()) return std::nullopt;
  struct stat info;
  const File file = OpenFile(folder, name.c_str(), O_RDONLY, &info);
  if (!file.ok()) return std::nullopt;
  const auto size = static_cast<uint64_t>(info.st_size);
  Header header;
  if (size < sizeof header ||
      !ReadAll(file.get(), reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.key_size != key.size() || header.value_size > limits_.value_bytes ||
      size != sizeof header + header.key_size + header.value_size)
    return std::nullopt;
  std::string stored_key(header.key_size, '\0'), value(header.value_size, '\0');
  if (!ReadAll(file.get(), stored_key.data(), stored_key.size()) || stored_key != key ||
      !ReadAll(file.get(), value.data(), value.size()))
    return std::nullopt;
  const auto hash = HashOf(key, value);
  if (std::memcmp(hash.data(), header.hash, kHashBytes) != 0) return std::nullopt;
  if (time(nullptr) - info.st_mtim.tv_sec > kRenewSeconds) futimens(file.get(), nullptr);
  return value;
}

void DiskCache::Store(const std::string& name, std::string_view key,
                      std::string_view value) const {
  if (value.size() > limits_.value_bytes) return;
  const File folder = OpenFolder(folder_, true);
  if (!folder.ok()) return;
  const std::string temporary = TemporaryName();
  struct stat info;
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key_size = key.size();
  header.value_size = value.size();
  const auto hash = HashOf(key, value);
  std::memcpy(header.hash, hash.data(), kHashBytes);
  {
    const File file =
        OpenFile(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, &info);
    if (!file.ok()) return;
    const FolderUsage usage(folder);
    const uint64_t bytes = sizeof header + key.size() + value.size();
    if (usage.locked() && MakeRoom(folder, usage, bytes, limits_.total_bytes) &&
        WriteAll(file.get(), reinterpret_cast<const char*>(&header), sizeof header) &&
        WriteAll(file.get(), key.data(), key.size()) &&
        WriteAll(file.get(), value.data(), value.size()) &&
        renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) == 0)
      return;
  }
  unlinkat(folder.get(), temporary.c_str(), 0);
}

}  // namespace tenon::compiler
