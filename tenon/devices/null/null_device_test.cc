// The errors of the template tell its user which function to write next.
#include "tenon/devices/null/null_device.h"

#include <gtest/gtest.h>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

TEST(NullDeviceTest, ErrorsNameTheFunctionToWrite) {
  static const null::NullPlatform device;
  static const LocalPlatform platform{.device = device};
  auto client = CreateLocalClient(platform, {});
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  EXPECT_EQ((*client)->platform_name(), "tenon_null");
  const int32_t value = 1;
  const Status memory =
      (*client)
          ->BufferFromHost({&value, ElementType::kS32, {}, std::nullopt},
                           HostBufferSemantics::kImmutableOnlyDuringCall,
                           (*client)->addressable_memories()[0], std::nullopt)
          .status();
  EXPECT_EQ(memory.ToString(),
            "UNIMPLEMENTED: MemorySpace::Allocate of the null device is to be written: "
            "see docs/adding/device.md");
  auto executable = std::make_shared<LocalExecutable>(std::make_shared<const Image>(
      ::tenon::testing::ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*,
                                   void*) -> int32_t { return 0; })));
  EXPECT_NE((*client)->Load(executable, "").status().message().find("System::Load"),
            std::string_view::npos);
}

}  // namespace
}  // namespace tenon::pjrt
