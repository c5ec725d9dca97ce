// Tests changes of SPIR-V modules; tests/opencl and OpenClTest run changed ones.
#include "tenon/devices/opencl/spirv_module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tenon/devices/opencl/testing.h"

namespace tenon::opencl {
namespace {

std::string Bytes(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * sizeof words[0]);
}

TEST(SpirvModuleTest, NullsOfScalarsBecomeConstants) {
  const std::vector<uint32_t> header = {0x07230203, 0x10200, 0, 99, 0};
  std::vector<uint32_t> module = header, expected = header;
  const auto both = [&](std::vector<uint32_t> words) {
    module.insert(module.end(), words.begin(), words.end());
    expected.insert(expected.end(), words.begin(), words.end());
  };
  const auto null = [&](uint32_t type, uint32_t result, std::vector<uint32_t> instead) {
    const uint32_t words[] = {3u << 16 | 46, type, result};
    module.insert(module.end(), std::begin(words), std::end(words));
    expected.insert(expected.end(), instead.begin(), instead.end());
  };
  both({2u << 16 | 20, 1});         // %1 is bool
  both({4u << 16 | 21, 2, 32, 0});  // %2 is i32
  both({3u << 16 | 22, 3, 64});     // %3 is f64
  both({4u << 16 | 23, 4, 2, 4});   // %4 is vector<4xi32>
  null(1, 10, {3u << 16 | 42, 1, 10});
  null(2, 11, {4u << 16 | 43, 2, 11, 0});
  null(3, 12, {5u << 16 | 43, 3, 12, 0, 0});
  null(4, 13, {3u << 16 | 46, 4, 13});
  EXPECT_EQ(WithoutScalarNulls(Bytes(module)), Bytes(expected));
}

// The instructions of a module as words.
std::vector<std::vector<uint32_t>> Instructions(const std::string& module) {
  std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
  std::memcpy(words.data(), module.data(), module.size());
  std::vector<std::vector<uint32_t>> result;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto begin = words.begin() + static_cast<int64_t>(at);
    result.emplace_back(begin, begin + (words[at] >> 16));
  }
  return result;
}

TEST(SpirvModuleTest, ADamagedModuleIsNotWholeOrStaysReadable) {
  const std::string module = testing::ModuleOf("kernels");
  ASSERT_TRUE(IsWhole(module));
  EXPECT_FALSE(IsWhole(module.substr(0, module.size() - 2)));
  EXPECT_FALSE(IsWhole(module.substr(0, 16)));
  // Every bit that is wrong in turn: no access outside of the module, which a sanitizer
  // would see.
  for (size_t bit = 5 * 32; bit < 8 * module.size(); bit += 3) {
    std::string damaged = module;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (!IsWhole(damaged)) continue;
    CapabilitiesOf(damaged);
    EXPECT_GE(WithoutScalarNulls(damaged).size(), damaged.size());
    EXPECT_GE(WithPointerOffsets(damaged).size(), damaged.size());
  }
}

TEST(SpirvModuleTest, KernelsGetAnOffsetForEachPointer) {
  const std::string module = testing::ModuleOf("kernels");
  const std::string changed = WithPointerOffsets(module);
  ASSERT_TRUE(IsWhole(changed));
  // Of each function, in order: its parameters.
  const auto parameters = [](const std::string& code) {
    std::vector<size_t> counts;
    for (const auto& words : Instructions(code)) {
      if ((words[0] & 0xffff) == 54) counts.push_back(0);
      if ((words[0] & 0xffff) == 55) ++counts.back();
    }
    return counts;
  };
  const std::vector<size_t> before = parameters(module), after = parameters(changed);
  ASSERT_EQ(before.size(), after.size());
  size_t added = 0;
  for (size_t i = 0; i < before.size(); ++i) added += after[i] - before[i];
  size_t pointers = 0;
  for (const DeviceKernel& kernel : testing::TestKernels().kernels)
    pointers += static_cast<size_t>(std::ranges::count(kernel.arguments, uint8_t{0}));
  EXPECT_EQ(added, pointers);
  // Results have ids of their own, below the bound.
  uint32_t bound = 0;
  std::memcpy(&bound, changed.data() + 3 * sizeof bound, sizeof bound);
  std::set<uint32_t> ids;
  for (const auto& words : Instructions(changed)) {
    if ((words[0] & 0xffff) != 55 && (words[0] & 0xffff) != 124) continue;
    EXPECT_LT(words[2], bound);
    EXPECT_TRUE(ids.insert(words[2]).second);
  }
}

}  // namespace
}  // namespace tenon::opencl
