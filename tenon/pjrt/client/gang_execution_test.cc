// Executions of programs whose devices exchange data.
#include <gtest/gtest.h>

#include <limits>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

constexpr double kLong = std::numeric_limits<double>::infinity();

// Within Execute, and on threads of the runtime.
class GangExecutionTest : public ::testing::TestWithParam<double> {
 protected:
  std::unique_ptr<LocalClient> client_ = MakeClient({{"device_count", int64_t{2}}});
  std::unique_ptr<LoadedExecutable> program_ = Compile(*client_, SwapImage(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Lengths, GangExecutionTest, ::testing::Values(100, kLong));

TEST_P(GangExecutionTest, DevicesExchangeData) {
  auto first = FromHost<int32_t>(*client_, {1, 2, 3, 4}, 0);
  auto second = FromHost<int32_t>(*client_, {5, 6, 7, 8}, 1);
  // The results of one execution are the arguments of the next.
  std::vector<std::unique_ptr<Buffer>> out;
  for (int run = 0; run < 20; ++run) {
    const Status status = ExecuteOnAll(*program_, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    first = std::move(out[0]);
    second = std::move(out[1]);
  }
  EXPECT_EQ(Values<int32_t>(*first), (std::vector<int32_t>{21, 22, 23, 24}));
  EXPECT_EQ(Values<int32_t>(*second), (std::vector<int32_t>{25, 26, 27, 28}));
}

TEST_P(GangExecutionTest, AnErrorOfOneDeviceIsThatOfAll) {
  auto first = FromHost<int32_t>(*client_, {1, 2, 3, 4}, 0);
  auto second = FromHost<int32_t>(*client_, {-5, 6, 7, 8}, 1);
  std::vector<std::unique_ptr<Buffer>> out;
  EXPECT_EQ(ExecuteOnAll(*program_, {first.get(), second.get()}, out).ToString(),
            "FAILED_PRECONDITION: program 'test' failed");
  for (const auto& buffer : out) EXPECT_FALSE(buffer->ReadyEvent().Await().ok());
}

TEST_P(GangExecutionTest, OneDeviceAloneIsRefused) {
  auto first = FromHost<int32_t>(*client_, {1, 2, 3, 4}, 0);
  EXPECT_EQ(Execute(*program_, {first.get()}).status.ToString(),
            "INVALID_ARGUMENT: the devices of 'test' exchange data, so it must be "
            "executed on all 2 at once, not on 1");
}

TEST_P(GangExecutionTest, FailedArgumentsFailAllDevices) {
  auto first = FromHost<int32_t>(*client_, {1, 2, 3, 4}, 0);
  const int64_t dims[] = {4};
  auto failed = client_->CreateErrorBuffer(Internal("no data"),
                                           {ElementType::kS32, dims, std::nullopt},
                                           client_->devices()[1]->default_memory());
  ASSERT_TRUE(failed.ok()) << failed.status().ToString();
  std::vector<std::unique_ptr<Buffer>> out;
  EXPECT_EQ(ExecuteOnAll(*program_, {first.get(), failed->get()}, out).message(),
            "no data");
}

// Large results that no device writes alone are in one memory.
TEST_P(GangExecutionTest, DevicesShareResults) {
  for (const auto& [size, shared] :
       {std::pair<int64_t, bool>{4096, true}, {4096, false}, {8, true}}) {
    auto gather = Compile(*client_, GatherImage(size, shared, GetParam()));
    const std::vector<int32_t> ones(static_cast<size_t>(size / 2), 1),
        twos(static_cast<size_t>(size / 2), 2);
    auto first = FromHost<int32_t>(*client_, ones, 0);
    auto second = FromHost<int32_t>(*client_, twos, 1);
    std::vector<std::unique_ptr<Buffer>> out;
    const Status status = ExecuteOnAll(*gather, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(*out[0]->UnsafePointer() == *out[1]->UnsafePointer(),
              shared && size > 1000);
    std::vector<int32_t> expected = ones;
    expected.insert(expected.end(), twos.begin(), twos.end());
    EXPECT_EQ(Values<int32_t>(*out[0]), expected);
    out[0] = nullptr;
    EXPECT_EQ(Values<int32_t>(*out[1]), expected);
  }
}

// A donated argument is overwritten, unless another device has it too.
TEST_P(GangExecutionTest, SharedResultsAreNotDonatedInPlace) {
  constexpr int64_t kSize = 4096;
  auto gather = Compile(*client_, GatherImage(kSize, /*shared=*/true, GetParam()));
  const std::vector<int32_t> ones(kSize / 2, 1);
  auto first = FromHost<int32_t>(*client_, ones, 0);
  auto second = FromHost<int32_t>(*client_, ones, 1);
  std::vector<std::unique_ptr<Buffer>> out;
  ASSERT_TRUE(ExecuteOnAll(*gather, {first.get(), second.get()}, out).ok());
  Image image = AddOneImage(/*alias=*/true);
  image.info.parameters[0].dims = image.info.results[0].dims = {kSize};
  auto add = Compile(*client_, image);
  auto run = Execute(*add, {out[0].get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  EXPECT_TRUE(out[0]->IsDeleted());
  EXPECT_EQ(Values<int32_t>(*run.outputs[0])[0], 2);
  EXPECT_EQ(Values<int32_t>(*out[1])[0], 1);
}

// Equal donated arguments become one, which stays where it is.
TEST_P(GangExecutionTest, DevicesShareDonatedArguments) {
  auto update = Compile(*client_, UpdateImage(GetParam()));
  auto first = FromHost<int32_t>(*client_, std::vector<int32_t>(kUpdated, 5), 0);
  auto second = FromHost<int32_t>(*client_, std::vector<int32_t>(kUpdated, 5), 1);
  const uintptr_t address = *first->UnsafePointer();
  std::vector<std::unique_ptr<Buffer>> out;
  for (int run = 0; run < 3; ++run) {
    const Status status = ExecuteOnAll(*update, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(first->IsDeleted() && second->IsDeleted());
    first = std::move(out[0]);
    second = std::move(out[1]);
    EXPECT_EQ(*first->UnsafePointer(), address);
    EXPECT_EQ(*second->UnsafePointer(), address);
    EXPECT_EQ(Values<int32_t>(*second), std::vector<int32_t>(kUpdated, 6 + run));
  }
  // One of them is kept.
  auto add = Compile(*client_, [&] {
    Image image = AddOneImage(/*alias=*/true);
    image.info.parameters[0].dims = image.info.results[0].dims = {kUpdated};
    return image;
  }());
  auto run = Execute(*add, {first.get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  const Status status = ExecuteOnAll(*update, {run.outputs[0].get(), second.get()}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_NE(*out[0]->UnsafePointer(), *out[1]->UnsafePointer());
  EXPECT_EQ(Values<int32_t>(*out[1])[0], 10);  // of the first device
  EXPECT_EQ(Values<int32_t>(*out[1])[kUpdated - 1], 9);
}

TEST_P(GangExecutionTest, UnequalDonatedArgumentsAreNotShared) {
  auto update = Compile(*client_, UpdateImage(GetParam()));
  auto first = FromHost<int32_t>(*client_, std::vector<int32_t>(kUpdated, 5), 0);
  auto second = FromHost<int32_t>(*client_, std::vector<int32_t>(kUpdated, 7), 1);
  std::vector<std::unique_ptr<Buffer>> out;
  const Status status = ExecuteOnAll(*update, {first.get(), second.get()}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_NE(*out[0]->UnsafePointer(), *out[1]->UnsafePointer());
  for (const auto& buffer : out) {
    EXPECT_EQ(Values<int32_t>(*buffer)[0], 6);
    EXPECT_EQ(Values<int32_t>(*buffer)[kUpdated - 1], 8);
  }
}

TEST_P(GangExecutionTest, ShardingsAreReported) {
  ASSERT_TRUE(program_->executable()->outputs()[0].sharding.has_value());
  EXPECT_EQ(*program_->executable()->outputs()[0].sharding, "");  // replicated
}

}  // namespace
}  // namespace tenon::pjrt
