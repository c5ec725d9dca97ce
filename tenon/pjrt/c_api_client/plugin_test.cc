// Tests the client library over the built plugin.
#include "tenon/pjrt/c_api_client/plugin.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

namespace tenon::pjrt::c_api_client {
namespace {

constexpr std::string_view kProgram = R"(
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.negate %a : tensor<2x3xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x3xf32>
})";

class BuiltPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TENON_PLUGIN)) {
      GTEST_SKIP() << TENON_PLUGIN << " is not built: build target pjrt_plugin_tenon_cpu";
    }
    auto plugin = Plugin::Load(TENON_PLUGIN);
    ASSERT_TRUE(plugin.ok()) << plugin.status().ToString();
    auto client = plugin->CreateClient({});
    ASSERT_TRUE(client.ok()) << client.status().ToString();
    client_ = *std::move(client);
    memory_ = client_->addressable_devices()[0]->default_memory();
  }

  std::unique_ptr<Buffer> Upload(const std::vector<float>& values,
                                 std::vector<int64_t> dims) {
    auto transfer = client_->BufferFromHost(
        {values.data(), ElementType::kF32, dims, std::nullopt},
        HostBufferSemantics::kImmutableOnlyDuringCall, memory_, std::nullopt);
    EXPECT_TRUE(transfer.ok()) << transfer.status().ToString();
    return std::move(transfer->buffer);
  }

  void RunAndCheck(LoadedExecutable& executable) {
    auto a = Upload({1, 2, 3, 4, 5, 6}, {2, 3});
    auto b = Upload({1, 0, 0, 1, 1, 1}, {3, 2});
    Buffer* arguments[] = {a.get(), b.get()};
    std::span<Buffer* const> argument_lists[] = {arguments};
    std::unique_ptr<Buffer> results[2];
    std::span<std::unique_ptr<Buffer>> output_lists[] = {results};
    Event done[1];
    Status status = executable.Execute(argument_lists, output_lists, done, {});
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(done[0].Await().ok());
    std::vector<float> product(4), negated(6);
    ASSERT_TRUE(results[0]->ToHost(product.data(), 16, std::nullopt).Await().ok());
    ASSERT_TRUE(results[1]->ToHost(negated.data(), 24, std::nullopt).Await().ok());
    EXPECT_EQ(product, (std::vector<float>{4, 5, 10, 11}));
    EXPECT_EQ(negated[5], -6);
  }

  std::unique_ptr<Client> client_;
  MemorySpace* memory_ = nullptr;
};

TEST_F(BuiltPluginTest, CompilesAndRuns) {
  auto executable = client_->Compile({"mlir", kProgram}, MakeCompileOptions());
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  ASSERT_EQ((*executable)->executable()->outputs().size(), 2u);
  EXPECT_EQ((*executable)->executable()->outputs()[1].dims, (std::vector<int64_t>{2, 3}));
  RunAndCheck(**executable);
}

TEST_F(BuiltPluginTest, SerializedExecutablesRun) {
  auto executable = client_->Compile({"mlir", kProgram}, MakeCompileOptions());
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  auto bytes = (*executable)->executable()->Serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  auto again = client_->DeserializeAndLoad(*bytes, "", {});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  RunAndCheck(**again);
  bytes->resize(bytes->size() / 2);
  EXPECT_FALSE(client_->DeserializeAndLoad(*bytes, "", {}).ok());
}

TEST_F(BuiltPluginTest, ManyThreadsRunOneExecutable) {
  auto executable = client_->Compile({"mlir", kProgram}, MakeCompileOptions());
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) RunAndCheck(**executable);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(BuiltPluginTest, ErrorsKeepTheirCodes) {
  auto executable = client_->Compile({"mlir", "nonsense"}, MakeCompileOptions());
  EXPECT_EQ(executable.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(executable.status().message(), "");
}

}  // namespace
}  // namespace tenon::pjrt::c_api_client
