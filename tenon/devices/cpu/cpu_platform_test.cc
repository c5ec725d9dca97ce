#include "tenon/devices/cpu/cpu_platform.h"

#include <gtest/gtest.h>

#include <string>

#include "tenon/runtime/affinity.h"

namespace tenon::cpu {
namespace {

device::SystemOptions Options(int64_t devices, const std::string& affinity = "",
                              int64_t limit = 0) {
  device::SystemOptions options;
  options.device_count = devices;
  options.texts["device_affinity"] = affinity;
  options.numbers["device_memory_limit"] = limit;
  return options;
}

TEST(CpuPlatformTest, DevicesShareMemoryUnlessEachHasALimit) {
  auto shared = HostPlatform().Start(Options(2));
  ASSERT_TRUE(shared.ok());
  device::MemorySpace& first =
      (*shared)->devices()[0]->memory(device::MemoryKind::kDevice);
  void* block = *first.Allocate(1000);
  EXPECT_EQ((*shared)->devices()[1]->memory(device::MemoryKind::kDevice).Usage().in_use,
            first.Usage().in_use);
  first.Free(block, 1000);

  auto own = HostPlatform().Start(Options(2, "", 1 << 20));
  ASSERT_TRUE(own.ok());
  for (device::Device* device : (*own)->devices()) {
    device::MemorySpace& memory = device->memory(device::MemoryKind::kDevice);
    EXPECT_EQ(memory.Usage().limit, 1 << 20);
    // Each device has a limit of 1 MiB to itself.
    StatusOr<void*> most = memory.Allocate(900 << 10);
    ASSERT_TRUE(most.ok());
    EXPECT_EQ(memory.Allocate(900 << 10).status().code(), StatusCode::kResourceExhausted);
    memory.Free(*most, 900 << 10);
  }
}

TEST(CpuPlatformTest, EachDeviceMayHaveItsOwnProcessors) {
  const std::string processor = std::to_string(
      runtime::AllowedProcessors().empty() ? 0 : runtime::AllowedProcessors().front());
  EXPECT_TRUE(HostPlatform().Start(Options(2, processor + ";" + processor)).ok());
  const auto error = [](int64_t devices, const std::string& affinity) {
    return std::string(
        HostPlatform().Describe(Options(devices, affinity)).status().message());
  };
  EXPECT_EQ(error(2, processor),
            "create option 'device_affinity' has processors for 1 devices, but there "
            "are 2");
  EXPECT_NE(error(1, "few").find("such as 0-3;4-7"), std::string::npos);
  EXPECT_NE(error(1, "1023").find("'device_affinity' has processor 1023"),
            std::string::npos);
}

TEST(CpuPlatformTest, DevicesAreNumbered) {
  auto facts = HostPlatform().Describe(Options(3));
  ASSERT_TRUE(facts.ok());
  ASSERT_EQ(facts->size(), 3u);
  EXPECT_EQ((*facts)[2].id, 2);
  EXPECT_TRUE((*facts)[2].coordinates.empty());
}

}  // namespace
}  // namespace tenon::cpu
