#include "tenon/compiler/cache/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace tenon::compiler {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public ::testing::Test {
 protected:
  DiskCacheTest() {
    std::string pattern = ::testing::TempDir() + "tenon_cache_XXXXXX";
    root_ = mkdtemp(pattern.data());
    folder_ = root_ + "/a/b";
  }
  ~DiskCacheTest() override {
    chmod(folder_.c_str(), 0700);
    fs::remove_all(root_);
  }
  std::optional<std::string> Load(const std::string& key) {
    return DiskCache(folder_).Load(CacheName(key), key);
  }
  void Store(const std::string& key, const std::string& value) {
    DiskCache(folder_).Store(CacheName(key), key, value);
  }
  fs::path FileOf(const std::string& key) { return fs::path(folder_) / CacheName(key); }
  // Names of all files except the one that records the usage.
  std::vector<std::string> Files() {
    std::vector<std::string> names;
    for (const auto& item : fs::directory_iterator(folder_))
      if (item.path().filename() != "account")
        names.push_back(item.path().filename().string());
    return names;
  }
  uint64_t Bytes() {
    uint64_t bytes = 0;
    for (const std::string& name : Files()) bytes += fs::file_size(folder_ + "/" + name);
    return bytes;
  }

  std::string root_, folder_;
};

TEST_F(DiskCacheTest, KeepsValuesByKey) {
  EXPECT_EQ(Load("key"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder_));  // looking up creates nothing
  Store("key", "value");
  Store("other", std::string("\0binary\xff", 8));
  EXPECT_EQ(Load("key"), "value");
  EXPECT_EQ(Load("other"), std::string("\0binary\xff", 8));
  EXPECT_EQ(Load("third"), std::nullopt);
  Store("key", "");
  EXPECT_EQ(Load("key"), "");
  struct stat about;
  ASSERT_EQ(stat(folder_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(FileOf("key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(DiskCacheTest, WithoutAFolderNothingIsStored) {
  for (const char* folder : {"", "relative"}) {
    DiskCache cache(folder);
    cache.Store(CacheName("key"), "key", "value");
    EXPECT_EQ(cache.Load(CacheName("key"), "key"), std::nullopt);
  }
}

TEST_F(DiskCacheTest, CollidingNamesKeepTheLastKey) {
  DiskCache cache(folder_);
  cache.Store(CacheName("x"), "one", "1");
  EXPECT_EQ(cache.Load(CacheName("x"), "two"), std::nullopt);
  cache.Store(CacheName("x"), "two", "2");
  EXPECT_EQ(cache.Load(CacheName("x"), "one"), std::nullopt);
  EXPECT_EQ(cache.Load(CacheName("x"), "two"), "2");
}

// A change of any byte of the file, or of its length, is detected.
TEST_F(DiskCacheTest, DamagedFilesAreReplaced) {
  const std::string key = "key", value = "some value";
  Store(key, value);
  std::string bytes;
  {
    std::ifstream file(FileOf(key), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto write = [&](std::string_view damaged) {
    std::ofstream(FileOf(key), std::ios::binary) << damaged;
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit : {0, 7}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      write(damaged);
      EXPECT_EQ(Load(key), std::nullopt) << i;
    }
    write(std::string_view(bytes).substr(0, i));
    EXPECT_EQ(Load(key), std::nullopt) << i;
  }
  write(bytes + "x");
  EXPECT_EQ(Load(key), std::nullopt);
  Store(key, value);
  EXPECT_EQ(Load(key), value);
}

TEST_F(DiskCacheTest, FilesWritableByOthersAreNotUsed) {
  Store("key", "value");
  for (mode_t mode : {0720, 0702, 0777}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(Load("key"), std::nullopt);
    Store("other", "value");
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(Load("other"), std::nullopt);  // nor written
  for (mode_t mode : {0620, 0602}) {
    ASSERT_EQ(chmod(FileOf("key").c_str(), mode), 0);
    EXPECT_EQ(Load("key"), std::nullopt);
  }
  ASSERT_EQ(chmod(FileOf("key").c_str(), 0644), 0);
  EXPECT_EQ(Load("key"), "value");
}

TEST_F(DiskCacheTest, FilesOfOthersAreNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  Store("key", "value");
  ASSERT_EQ(chown(FileOf("key").c_str(), 12345, 12345), 0);
  EXPECT_EQ(Load("key"), std::nullopt);
  ASSERT_EQ(chown(FileOf("key").c_str(), 0, 0), 0);
  EXPECT_EQ(Load("key"), "value");
  ASSERT_EQ(chown(folder_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, LinksAndFoldersAreNotValues) {
  Store("key", "value");
  fs::rename(FileOf("key"), folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", FileOf("key"));
  EXPECT_EQ(Load("key"), std::nullopt);
  fs::create_directory(FileOf("other"));
  EXPECT_EQ(Load("other"), std::nullopt);
  Store("other", "value");
  EXPECT_EQ(Load("other"), std::nullopt);
}

TEST_F(DiskCacheTest, UnwritableFoldersAreNoError) {
  Store("key", "value");
  std::ofstream(root_ + "/file") << "no folder";
  for (std::string folder :
       {root_ + "/file", root_ + "/file/x", std::string("/proc/x")}) {
    DiskCache cache(folder);
    cache.Store(CacheName("key"), "key", "value");
    EXPECT_EQ(cache.Load(CacheName("key"), "key"), std::nullopt);
  }
}

TEST_F(DiskCacheTest, ReadOnlyFoldersAreRead) {
  Store("key", "value");
  ASSERT_EQ(chmod(folder_.c_str(), 0500), 0);
  EXPECT_EQ(Load("key"), "value");
  Store("other", "value");
  // Root can write in any case.
  EXPECT_EQ(Load("other").has_value(), geteuid() == 0);
}

TEST_F(DiskCacheTest, TheLimitHolds) {
  constexpr uint64_t kLimit = 20'000;
  DiskCache cache(folder_, {.total_bytes = kLimit, .value_bytes = 5'000});
  const std::string value(1'000, 'v');
  auto key = [](int i) { return "key " + std::to_string(i); };
  for (int i = 0; i < 100; ++i) {
    cache.Store(CacheName(key(i)), key(i), value);
    EXPECT_LE(Bytes(), kLimit);
    EXPECT_EQ(cache.Load(CacheName(key(i)), key(i)), value);
  }
  EXPECT_GE(Bytes(), kLimit / 2);
  EXPECT_EQ(cache.Load(CacheName(key(0)), key(0)), std::nullopt);
  cache.Store(CacheName("large"), "large", std::string(5'001, 'x'));
  EXPECT_EQ(cache.Load(CacheName("large"), "large"), std::nullopt);
  // Values stored before the usage was recorded are counted.
  fs::remove(folder_ + "/account");
  cache.Store(CacheName("new"), "new", std::string(5'000, 'x'));
  EXPECT_LE(Bytes(), kLimit);
}

TEST_F(DiskCacheTest, LeastRecentlyUsedIsRemovedFirst) {
  DiskCache cache(folder_, {.total_bytes = 8'000, .value_bytes = 5'000});
  const std::string value(1'000, 'v');
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 6; ++i) {
    std::string key(1, static_cast<char>('a' + i));
    cache.Store(CacheName(key), key, value);
    fs::last_write_time(FileOf(key), now - std::chrono::hours(10 + i));
  }
  EXPECT_EQ(cache.Load(CacheName("f"), "f"), value);  // the oldest, but used again
  cache.Store(CacheName("long"), "long", std::string(3'500, 'v'));
  EXPECT_EQ(cache.Load(CacheName("f"), "f"), value);
  EXPECT_EQ(cache.Load(CacheName("e"), "e"), std::nullopt);
  EXPECT_EQ(cache.Load(CacheName("a"), "a"), value);
}

TEST_F(DiskCacheTest, ForeignFilesStay) {
  DiskCache cache(folder_, {.total_bytes = 8'000, .value_bytes = 5'000});
  cache.Store(CacheName("a"), "a", "1");
  std::ofstream(folder_ + "/notes.txt") << std::string(20'000, 'x');
  std::ofstream(folder_ + "/tmp.old") << "left by a process that was killed";
  std::ofstream(folder_ + "/tmp.new") << "being written";
  fs::last_write_time(folder_ + "/tmp.old",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  for (int i = 0; i < 20; ++i)
    cache.Store(CacheName(std::to_string(i)), std::to_string(i), std::string(1'000, 'v'));
  EXPECT_TRUE(fs::exists(folder_ + "/notes.txt"));
  EXPECT_TRUE(fs::exists(folder_ + "/tmp.new"));
  EXPECT_FALSE(fs::exists(folder_ + "/tmp.old"));
}

TEST_F(DiskCacheTest, ALockHeldForeverBlocksNobody) {
  Store("key", "value");
  const int lock = open((folder_ + "/account").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  Store("other", "value");
  EXPECT_EQ(Load("key"), "value");
  EXPECT_EQ(Load("other"), std::nullopt);
  EXPECT_EQ(Files().size(), 1u);  // and no other file is left
  close(lock);
}

// Several processes and threads read and write the same values, with constant evictions.
TEST_F(DiskCacheTest, ConcurrentProcessesAndThreads) {
  constexpr uint64_t kLimit = 30'000;
  auto value_of = [](int i) { return std::string(500 + i, static_cast<char>('a' + i)); };
  auto work = [&](int seed) {
    DiskCache cache(folder_, {.total_bytes = kLimit, .value_bytes = 5'000});
    bool good = true;
    for (int n = 0; n < 300; ++n) {
      int i = (n * 7 + seed * 3) % 40;
      std::string key = "key " + std::to_string(i), name = CacheName(key);
      auto found = cache.Load(name, key);
      good &= !found || *found == value_of(i);
      if (!found) cache.Store(name, key, value_of(i));
    }
    return good;
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(fork());
    if (children.back() == 0) _exit(work(child) ? 0 : 1);
  }
  bool good[2];
  std::thread other([&] { good[0] = work(4); });
  good[1] = work(5);
  other.join();
  EXPECT_TRUE(good[0] && good[1]);
  for (pid_t child : children) {
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(Bytes(), kLimit);
  for (const std::string& name : Files()) EXPECT_EQ(name.size(), 64u) << name;
}

}  // namespace
}  // namespace tenon::compiler
