// Tests a client over OpenCL devices with programs written by hand. Skipped on machines
// without an OpenCL device that takes SPIR-V.
#include <gtest/gtest.h>

#include <string>

#include "tenon/devices/opencl/testing.h"
#include "tenon/devices/streams/client_tests.h"

namespace tenon::opencl {
namespace {

// A device whose memory is addressed by `memory`: "usm", "svm" or "buffers".
streams::testing::TestedDevice Tested(const std::string& memory) {
  const auto with_memory = [memory](pjrt::NamedValueMap options) {
    options["opencl_memory"] = memory;
    return options;
  };
  return {.name = memory,
          .platform = "tenon_opencl",
          .start =
              [with_memory](const pjrt::NamedValueMap& options) {
                return testing::MakeClient(with_memory(options));
              },
          // Parts of one device are devices, too.
          .two_devices =
              [] {
                return pjrt::NamedValueMap{{"device_count", int64_t{2}},
                                           {"opencl_sub_devices", int64_t{2}}};
              },
          .kernels = testing::TestKernels};
}

using streams::testing::StreamsClientTest;
INSTANTIATE_TEST_SUITE_P(OpenCl, StreamsClientTest,
                         ::testing::Values(Tested("usm"), Tested("svm"),
                                           Tested("buffers")),
                         streams::testing::NameOf);

}  // namespace
}  // namespace tenon::opencl
