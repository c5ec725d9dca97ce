// Tests that what the driver generates is kept and used again.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "tenon/devices/opencl/testing.h"

namespace tenon::opencl {
namespace {

using namespace testing;  // NOLINT
using pjrt::Compile;
using pjrt::Execute;
using pjrt::FromHost;
using pjrt::Values;

// The files, as it were.
std::map<std::string, std::string> stored;

class MemoryStore final : public device::CodeStore {
 public:
  std::optional<std::string> Load(const std::string& key) const override {
    const auto found = stored.find(key);
    if (found == stored.end()) return std::nullopt;
    return found->second;
  }
  void Store(const std::string& key, const std::string& value) const override {
    stored[key] = value;
  }
};

Api real;
int from_spirv = 0, from_binary = 0;
bool refuses_binaries = false;

StatusOr<Api> LoadCounting(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(real, LoadApi(path));
  Api api = real;
  api.CreateProgramWithIL = [](auto... arguments) {
    ++from_spirv;
    return real.CreateProgramWithIL(arguments...);
  };
  api.CreateProgramWithBinary = [](cl_context context, cl_uint count,
                                   const cl_device_id* devices, const size_t* sizes,
                                   const unsigned char** binaries, cl_int* statuses,
                                   cl_int* code) -> cl_program {
    if (refuses_binaries) {
      *code = CL_INVALID_BINARY;
      return nullptr;
    }
    ++from_binary;
    return real.CreateProgramWithBinary(context, count, devices, sizes, binaries,
                                        statuses, code);
  };
  return api;
}

class OpenClCodeStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stored.clear();
    refuses_binaries = false;
  }
  // Runs a program on a client of its own, and expects where its kernels come from; a
  // client stands for a process. False if there is no device.
  bool Run(int spirv, int binary, pjrt::NamedValueMap values = {}) {
    static const OpenClPlatform& device = *new OpenClPlatform(LoadCounting);
    static const pjrt::LocalPlatform platform{
        .device = device, .open_store = [](const std::string& folder) {
          EXPECT_EQ(folder, "/kept");
          return std::unique_ptr<device::CodeStore>(new MemoryStore);
        }};
    UseInstalledDriver();
    values.try_emplace("kernel_cache", std::string("/kept"));
    pjrt::ClientOptions options;
    options.values = std::move(values);
    auto client = pjrt::CreateLocalClient(platform, options);
    if (!client.ok()) return false;
    from_spirv = from_binary = 0;
    auto program = Compile(**client, AddOneImage());
    auto in = FromHost<int32_t>(**client, All(1));
    EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(2));
    EXPECT_EQ(from_spirv, spirv);
    EXPECT_EQ(from_binary, binary);
    return true;
  }
};

TEST_F(OpenClCodeStoreTest, TheSecondProcessDoesNotBuildTheKernels) {
  if (!Run(1, 0)) GTEST_SKIP() << "no OpenCL device";
  EXPECT_EQ(stored.size(), 1u);
  Run(0, 1);
  // Two devices are another key, and have a binary each.
  const pjrt::NamedValueMap two = {{"device_count", int64_t{2}},
                                   {"opencl_sub_devices", int64_t{2}}};
  Run(1, 0, two);
  Run(0, 1, two);
  EXPECT_EQ(stored.size(), 2u);
}

TEST_F(OpenClCodeStoreTest, NothingIsKeptIfTheCacheIsOff) {
  if (!Run(1, 0, {{"kernel_cache", std::string("off")}})) GTEST_SKIP();
  EXPECT_TRUE(stored.empty());
}

TEST_F(OpenClCodeStoreTest, WhatCannotBeUsedIsBuiltAgain) {
  if (!Run(1, 0)) GTEST_SKIP() << "no OpenCL device";
  std::string& value = stored.begin()->second;
  const std::string whole = value;
  for (size_t size : {0, 7, 8, 9, 200}) {  // the driver sees none of these
    value = whole.substr(0, size);
    Run(1, 0);
    EXPECT_EQ(value, whole);
  }
  refuses_binaries = true;  // such as those of another driver
  Run(1, 0);
}

}  // namespace
}  // namespace tenon::opencl
