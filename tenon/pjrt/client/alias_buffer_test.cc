#include <gtest/gtest.h>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

class AliasBufferTest : public ::testing::Test {
 protected:
  AliasBuffer MakeAlias(int64_t size) {
    const int64_t dims[] = {size};
    auto alias = client_->CreateAliasBuffer(
        {.type = ElementType::kF32, .dims = dims, .minor_to_major = std::nullopt},
        client_->devices()[0]->default_memory());
    EXPECT_TRUE(alias.ok()) << alias.status().ToString();
    return *std::move(alias);
  }

  std::unique_ptr<LocalClient> client_ = MakeClient();
};

TEST_F(AliasBufferTest, AliasHasTheContentsOfItsSource) {
  AliasBuffer alias = MakeAlias(3);
  EXPECT_FALSE(alias.buffer->ReadyEvent().IsReady());
  auto source = FromHost<float>(*client_, {1, 2, 3});
  const uintptr_t address = *source->UnsafePointer();
  ASSERT_TRUE(alias.fulfill(source.get()).ok());
  EXPECT_EQ(*alias.buffer->UnsafePointer(), address);
  // Source and alias are independent.
  source->Delete();
  EXPECT_EQ(Values<float>(*alias.buffer), (std::vector<float>{1, 2, 3}));
}

TEST_F(AliasBufferTest, SourceIsNotDonatedInPlace) {
  Image image = ::tenon::testing::ImageOf(
      [](RunContext*, const RunBuffer*, const RunBuffer* results, void*) -> int32_t {
        static_cast<float*>(results[0].data)[0] = 9;
        return 0;
      });
  image.info.parameters = {::tenon::testing::TensorOf(ElementType::kF32, {1})};
  image.info.results = image.info.parameters;
  image.info.aliases = {{.result = 0, .parameter = 0}};
  auto program = Compile(*client_, std::move(image));
  AliasBuffer alias = MakeAlias(1);
  auto source = FromHost<float>(*client_, {1});
  ASSERT_TRUE(alias.fulfill(source.get()).ok());
  Executed run = Execute(*program, {source.get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  EXPECT_TRUE(source->IsDeleted());
  EXPECT_EQ(Values<float>(*run.outputs[0]), (std::vector<float>{9}));
  EXPECT_EQ(Values<float>(*alias.buffer), (std::vector<float>{1}));
}

TEST_F(AliasBufferTest, ProgramsWaitForIt) {
  Image image = ::tenon::testing::ImageOf([](RunContext*, const RunBuffer* args,
                                             const RunBuffer* results, void*) -> int32_t {
    *static_cast<float*>(results[0].data) = *static_cast<const float*>(args[0].data) + 1;
    return 0;
  });
  image.info.parameters = {::tenon::testing::TensorOf(ElementType::kF32, {1})};
  image.info.results = image.info.parameters;
  auto program = Compile(*client_, std::move(image));
  AliasBuffer alias = MakeAlias(1);
  Executed run = Execute(*program, {alias.buffer.get()});
  ASSERT_TRUE(run.status.ok());
  EXPECT_FALSE(run.done.IsReady());
  auto source = FromHost<float>(*client_, {41});
  ASSERT_TRUE(alias.fulfill(source.get()).ok());
  EXPECT_EQ(Values<float>(*run.outputs[0]), (std::vector<float>{42}));
}

TEST_F(AliasBufferTest, ErrorsFailTheAlias) {
  AliasBuffer alias = MakeAlias(3);
  EXPECT_TRUE(alias.fulfill(Status(StatusCode::kDataLoss, "lost")).ok());
  EXPECT_EQ(alias.buffer->ReadyEvent().Await().message(), "lost");

  AliasBuffer other = MakeAlias(3);
  auto source = FromHost<float>(*client_, {1, 2});
  const Status status = other.fulfill(source.get());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "a buffer f32[2] cannot be the contents of an alias f32[3]");
  EXPECT_EQ(other.buffer->ReadyEvent().Await().message(), status.message());
}

}  // namespace
}  // namespace tenon::pjrt
