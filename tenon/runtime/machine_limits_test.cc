#include "tenon/runtime/machine_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tenon/runtime/affinity.h"

namespace tenon::runtime {
namespace {

TEST(MachineLimitsTest, ReadsControlGroupFiles) {
  EXPECT_EQ(CpusOfQuota("max 100000"), 0);
  EXPECT_EQ(CpusOfQuota("150000 100000"), 2);
  EXPECT_EQ(CpusOfQuota("100000 100000"), 1);
  EXPECT_EQ(CpusOfQuota("-1 100000"), 0);
  EXPECT_EQ(CpusOfQuota(""), 0);
  EXPECT_EQ(BytesOfLimit("max"), 0);
  EXPECT_EQ(BytesOfLimit("1048576"), 1048576);
  EXPECT_EQ(BytesOfLimit("what"), 0);
  EXPECT_GE(AvailableCpus(), 1);
  EXPECT_GT(AvailableMemory(), 1 << 20);
}

TEST(MachineLimitsTest, AffinityMasksCount) {
  int cpus = 0;
  std::thread([&] {
    BindToProcessors({{AllowedProcessors().back()}});
    cpus = AvailableCpus();
  }).join();
  EXPECT_EQ(cpus, 1);
}

// Control groups in a temporary folder.
class ControlGroupTest : public testing::Test {
 protected:
  ControlGroupTest() { std::filesystem::create_directories(mount_); }
  ~ControlGroupTest() override { std::filesystem::remove_all(mount_); }
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((mount_ / file).parent_path());
    std::ofstream(mount_ / file) << text << "\n";
  }
  ControlGroups Groups(std::string membership) const {
    return {std::move(membership), mount_.string()};
  }

  const std::filesystem::path mount_ =
      std::filesystem::temp_directory_path() /
      ("tenon_control_groups_" + std::to_string(getpid()));
};

TEST_F(ControlGroupTest, UsesLowestLimitOfNestedGroups) {
  Write("a/cpu.max", "300000 100000");
  Write("a/b/cpu.max", "max 100000");
  Write("a/b/c/cpu.max", "400000 100000");
  Write("a/memory.max", "max");
  Write("a/b/memory.max", "4096");
  EXPECT_EQ(CpusOfGroups(Groups("0::/a/b/c\n")), 3);
  EXPECT_EQ(CpusOfGroups(Groups("0::/\n")), 0);
  EXPECT_EQ(BytesOfGroups(Groups("0::/a/b/c\n")), 4096);
  EXPECT_EQ(BytesOfGroups(Groups("0::/a\n")), 0);
}

TEST_F(ControlGroupTest, GroupsOfVersion1Count) {
  const std::string membership =
      "5:memory:/job\n4:cpuset:/\n2:cpu,cpuacct:/job/step\n1:name=systemd:/\n0::/\n";
  Write("cpu/job/cpu.cfs_quota_us", "150000");
  Write("cpu/job/cpu.cfs_period_us", "100000");
  Write("cpu/job/step/cpu.cfs_quota_us", "-1");
  Write("cpu/job/step/cpu.cfs_period_us", "100000");
  Write("memory/job/memory.limit_in_bytes", "1048576");
  EXPECT_EQ(CpusOfGroups(Groups(membership)), 2);
  EXPECT_EQ(BytesOfGroups(Groups(membership)), 1048576);
}

TEST_F(ControlGroupTest, ContainerRootIsItsCgroup) {
  Write("cpu.max", "100000 100000");
  EXPECT_EQ(CpusOfGroups(Groups("0::/docker/of/the/host\n")), 1);
}

TEST_F(ControlGroupTest, UnreadableFilesMeanNoLimit) {
  EXPECT_EQ(CpusOfGroups(Groups("nonsense\n7:cpu\n0::a\n\n::/x/y\n")), 0);
  EXPECT_EQ(CpusOfGroups({"", "/nowhere"}), 0);
}

}  // namespace
}  // namespace tenon::runtime
