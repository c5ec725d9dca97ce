#include "tenon/executable/device_code.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

DeviceCode Example() {
  return {.format = "spirv",
          .module = std::string("\x03\x02\x23\x07\0\0", 6),
          .kernels = {{.name = "a", .group_size = 64, .arguments = {0, 0, 8}},
                      {.name = "b",
                       .group_size = 1,
                       .subgroup_size = 16,
                       .dynamic_local_bytes = 1 << 17,
                       .arguments = {},
                       .source_kernel = 3}}};
}

TEST(DeviceCode, RoundTrip) {
  const auto read = DeviceCode::Deserialize(Example().Serialize());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->format, "spirv");
  EXPECT_EQ(read->module, Example().module);
  ASSERT_EQ(read->kernels.size(), 2u);
  EXPECT_EQ(read->kernels[0].name, "a");
  EXPECT_EQ(read->kernels[0].arguments, (std::vector<uint8_t>{0, 0, 8}));
  EXPECT_EQ(read->kernels[1].subgroup_size, 16u);
  EXPECT_EQ(read->kernels[1].dynamic_local_bytes, 1u << 17);
  EXPECT_EQ(read->kernels[1].source_kernel, 3u);
}

TEST(DeviceCode, TruncatedBytesAreRefused) {
  const std::vector<uint8_t> bytes = Example().Serialize();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto read =
        DeviceCode::Deserialize({bytes.begin(), bytes.begin() + static_cast<long>(size)});
    EXPECT_EQ(read.status().code(), StatusCode::kDataLoss) << size;
  }
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  EXPECT_EQ(DeviceCode::Deserialize(longer).status().code(), StatusCode::kDataLoss);
}

TEST(DeviceCode, ArgumentsOfOtherSizesAreRefused) {
  DeviceCode code = Example();
  code.kernels[0].arguments = {3};
  EXPECT_EQ(DeviceCode::Deserialize(code.Serialize()).status().code(),
            StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tenon
