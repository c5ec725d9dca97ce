#include "tenon/compiler/targets/host_caches.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {
namespace {

class HostCaches : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void AddCache(const char* level, const char* type, const char* size,
                const char* processors) {
    const std::string cache = folder_ + "/index" + std::to_string(count_++);
    std::filesystem::create_directories(cache);
    std::ofstream(cache + "/level") << level << '\n';
    std::ofstream(cache + "/type") << type << '\n';
    std::ofstream(cache + "/size") << size << '\n';
    std::ofstream(cache + "/shared_cpu_list") << processors << '\n';
  }
  CacheSizes Read() const { return ReadCacheSizes(folder_); }

  const std::string folder_ = testing::TempDir() + "host_caches_test";
  int count_ = 0;
};

TEST_F(HostCaches, AreOfOneCore) {
  AddCache("1", "Data", "48K", "0,64");
  AddCache("1", "Instruction", "32K", "0,64");
  AddCache("2", "Unified", "2048K", "0,64");
  AddCache("3", "Unified", "107520K", "0-127");
  EXPECT_EQ(Read().l1_bytes, 48 << 10);
  EXPECT_EQ(Read().l2_bytes, 2 << 20);
}

TEST_F(HostCaches, SharedCachesAreDividedByCores) {
  AddCache("1", "Data", "64K", "0");
  AddCache("2", "Unified", "4096K", "0-3");
  EXPECT_EQ(Read().l2_bytes, 1 << 20);
}

TEST_F(HostCaches, UnknownOnesAreZero) {
  EXPECT_EQ(Read().l1_bytes, 0);
  EXPECT_EQ(Read().l2_bytes, 0);
  AddCache("1", "Data", "0K", "");
  AddCache("2", "Unified", "-1", "0-x");
  EXPECT_EQ(Read().l1_bytes, 0);
  EXPECT_EQ(Read().l2_bytes, 0);
}

TEST_F(HostCaches, UsedForTheHostTargetOnly) {
  const CacheSizes host_sizes = ReadCacheSizes();
  auto host = DescribeTarget("host", "host", ""),
       named = DescribeTarget("x86_64", "haswell", "");
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  ASSERT_TRUE(named.ok()) << named.status().ToString();
  if (host_sizes.l1_bytes != 0) EXPECT_EQ(host->traits.l1_bytes, host_sizes.l1_bytes);
  if (host_sizes.l2_bytes != 0) EXPECT_EQ(host->traits.l2_bytes, host_sizes.l2_bytes);
  EXPECT_EQ(named->traits.l1_bytes, TargetTraits().l1_bytes);
  EXPECT_EQ(named->traits.l2_bytes, TargetTraits().l2_bytes);
}

}  // namespace
}  // namespace tenon::compiler
