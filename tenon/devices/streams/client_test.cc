// Tests a client over devices on threads of the host with programs written by hand.
#include <gtest/gtest.h>

#include "tenon/devices/streams/client_tests.h"
#include "tenon/devices/streams/fake_device.h"

namespace tenon::streams::testing {
namespace {

std::unique_ptr<pjrt::LocalClient> StartFake(const NamedValueMap& values) {
  static const pjrt::LocalPlatform& platform =
      *new pjrt::LocalPlatform{.device = *new FakePlatform};
  pjrt::ClientOptions options;
  options.values = values;
  auto client = pjrt::CreateLocalClient(platform, options);
  EXPECT_TRUE(client.ok()) << client.status().ToString();
  return std::unique_ptr<pjrt::LocalClient>(
      static_cast<pjrt::LocalClient*>(client->release()));
}

INSTANTIATE_TEST_SUITE_P(
    Fake, StreamsClientTest,
    ::testing::Values(TestedDevice{
        .name = "Fake",
        .platform = "tenon_fake",
        .start = StartFake,
        .two_devices = [] { return NamedValueMap{{"device_count", int64_t{2}}}; },
        .kernels = [] { return TestKernels("fake", "module"); }}),
    NameOf);

}  // namespace
}  // namespace tenon::streams::testing
