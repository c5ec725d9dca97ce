#include "tenon/devices/cpu/host_machine.h"

#include <gtest/gtest.h>

namespace tenon::cpu {
namespace {

TEST(HostMachineTest, DetectsFeatures) {
  const Machine& machine = HostMachine();
#if defined(__x86_64__)
  EXPECT_EQ(machine.architecture, "x86_64");
  EXPECT_TRUE(machine.features.contains("sse2"));
  // Compare with the C++ compiler's detection of the same features.
  __builtin_cpu_init();
  EXPECT_EQ(machine.features.contains("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(machine.features.contains("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(machine.features.contains("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(machine.features.contains("avx512bf16"),
            __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_EQ(machine.features.contains("lzcnt"), __builtin_cpu_supports("lzcnt") != 0);
#elif defined(__aarch64__)
  EXPECT_EQ(machine.architecture, "aarch64");
  EXPECT_TRUE(machine.features.contains("neon"));
#endif
}

TEST(HostMachineTest, RejectsCodeThatNeedsMissingFeatures) {
  Image image;
  CodeObject& code = image.code_objects.emplace_back();
  code.architecture = HostMachine().architecture;
  EXPECT_TRUE(SelectHostCode(image, HostMachine()).ok());
  code.features = {"feature-of-tomorrow"};
  const Status status = SelectHostCode(image, HostMachine()).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("feature-of-tomorrow"), std::string_view::npos);
}

}  // namespace
}  // namespace tenon::cpu
