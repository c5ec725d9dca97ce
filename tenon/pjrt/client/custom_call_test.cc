// Tests custom calls in programs that a client runs.
#include <gtest/gtest.h>

#include <memory>

#include "tenon/ffi/abi.h"
#include "tenon/ffi/registry.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

constexpr int64_t kUserType = 77;

// Answers the metadata call.
bool Metadata(ffi::CallFrame* frame) {
  if (!frame->extension_start) return false;
  auto* extension = reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start);
  extension->metadata->api_version = {ffi::ApiVersion::kStructSize, nullptr,
                                      ffi::kApiMajor, ffi::kApiMinor};
  return true;
}

// The result is the user data's number plus the argument.
ffi::Error* AddUserData(ffi::CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  ffi::TypeId type{kUserType};
  ffi::ExecutionContextGetArgs args = {sizeof args, nullptr, frame->ctx, &type, nullptr};
  if (ffi::Error* error = frame->api->execution_context_get(&args)) return error;
  const auto* in = static_cast<const ffi::BufferView*>(frame->args.buffers[0]);
  const auto* out = static_cast<const ffi::BufferView*>(frame->rets.buffers[0]);
  *static_cast<float*>(out->data) =
      *static_cast<const float*>(in->data) + *static_cast<const float*>(args.data);
  return nullptr;
}

class CustomCallTest : public ::testing::Test {
 protected:
  CustomCallTest() {
    EXPECT_TRUE(ffi::Registry::Global()
                    .RegisterHandler("add_user_data", "tenon",
                                     {nullptr, nullptr, nullptr, AddUserData})
                    .ok());
    Image image =
        ::tenon::testing::ImageOf([](RunContext* context, const RunBuffer* args,
                                     const RunBuffer* results, void*) -> int32_t {
          return context->table->call_ffi(context, 0, args, results);
        });
    const ImageTensor scalar = ::tenon::testing::TensorOf(ElementType::kF32, {1});
    image.info.parameters = image.info.results = {scalar};
    ImageFfiCall& call = image.info.ffi_calls.emplace_back();
    call.target = "add_user_data";
    call.operands = call.results = {scalar};
    program_ = Compile(*client_, std::move(image));
  }

  ExecuteOptions With(float* data) {
    auto context = std::make_shared<ExecuteContext>();
    EXPECT_TRUE(context->AddUserData(kUserType, data).ok());
    ExecuteOptions options;
    options.context = std::move(context);
    return options;
  }

  std::unique_ptr<LocalClient> client_ = MakeClient();
  std::unique_ptr<LoadedExecutable> program_;
};

TEST_F(CustomCallTest, HandlersFindTheUserDataOfTheirExecution) {
  auto in = FromHost<float>(*client_, {1});
  float ten = 10, twenty = 20;
  // The options and the context are destroyed before the programs run.
  Executed first = Execute(*program_, {in.get()}, With(&ten));
  Executed second = Execute(*program_, {in.get()}, With(&twenty));
  ASSERT_TRUE(first.status.ok() && second.status.ok());
  EXPECT_EQ(Values<float>(*first.outputs[0])[0], 11);
  EXPECT_EQ(Values<float>(*second.outputs[0])[0], 21);
}

TEST_F(CustomCallTest, PendingProgramsKeepTheUserData) {
  float data = 5;
  const int64_t dims[] = {1};
  AliasBuffer later = *client_->CreateAliasBuffer(
      {.type = ElementType::kF32, .dims = dims, .minor_to_major = std::nullopt},
      client_->devices()[0]->default_memory());
  Executed run = Execute(*program_, {later.buffer.get()}, With(&data));
  ASSERT_TRUE(run.status.ok());
  auto in = FromHost<float>(*client_, {2});
  ASSERT_TRUE(later.fulfill(in.get()).ok());
  EXPECT_EQ(Values<float>(*run.outputs[0])[0], 7);
}

TEST_F(CustomCallTest, WithoutUserDataTheResultsFail) {
  auto in = FromHost<float>(*client_, {1});
  Executed run = Execute(*program_, {in.get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  const Status status = run.outputs[0]->ReadyEvent().Await();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("'add_user_data'"), std::string_view::npos);
}

}  // namespace
}  // namespace tenon::pjrt
