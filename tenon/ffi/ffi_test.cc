#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "tenon/ffi/abi.h"
#include "tenon/ffi/attributes.h"
#include "tenon/ffi/call_site.h"
#include "tenon/ffi/registry.h"

namespace tenon::ffi {
namespace {

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::vector<Attribute> SomeAttributes() {
  return {Attribute::String("zeta", std::string("a\0b", 3)),
          Attribute::Scalar("alpha", ElementType::kF32, Bytes({1.5f})),
          Attribute::Array("beta", ElementType::kS64, Bytes<int64_t>({1, -2, 3})),
          Attribute::Dictionary(
              "mid", {Attribute::Scalar("y", ElementType::kPred, std::string(1, 1)),
                      Attribute::Array("x", ElementType::kU8, "")})};
}

TEST(AttributesTest, DecodedEntriesAreSorted) {
  const std::string bytes = EncodeAttributes(SomeAttributes());
  StatusOr<std::vector<Attribute>> read = DecodeAttributes(bytes);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[0].name, "alpha");
  EXPECT_EQ((*read)[0].type, ElementType::kF32);
  EXPECT_EQ((*read)[1].size(), 3);
  EXPECT_EQ((*read)[2].entries[0].name, "x");
  EXPECT_EQ((*read)[3].bytes, std::string("a\0b", 3));
  EXPECT_EQ(EncodeAttributes(*read), bytes);
  EXPECT_TRUE(DecodeAttributes("").ok());
}

TEST(AttributesTest, MalformedBytesAreRejected) {
  const std::string bytes = EncodeAttributes(SomeAttributes());
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeAttributes(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(DecodeAttributes(bytes + "x").ok());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0xff);
    (void)DecodeAttributes(bad).ok();
  }
}

// Answers the metadata call, as every handler must.
bool Metadata(CallFrame* frame, int minor = kApiMinor) {
  if (!frame->extension_start) return false;
  auto* extension = reinterpret_cast<MetadataExtension*>(frame->extension_start);
  extension->metadata->api_version.minor_version = minor;
  return true;
}

Error* MakeError(const CallFrame* frame, int code, const char* message) {
  ErrorCreateArgs args = {sizeof args, nullptr, message, code};
  return frame->api->error_create(&args);
}

ImageTensor Tensor(ElementType type, std::vector<int64_t> dims) {
  ImageTensor tensor;
  tensor.type = type;
  tensor.dims = std::move(dims);
  return tensor;
}

class Environment : public CallEnvironment {
 public:
  void Schedule(void (*task)(void*), void* data) override { task(data); }
  int64_t num_threads() const override { return 3; }
  void* UserData(int64_t type_id) const override {
    return type_id == 5 ? const_cast<Environment*>(this) : nullptr;
  }
  int64_t run_id() const override { return 42; }
  int32_t device_ordinal() const override { return 1; }
};

StatusOr<std::unique_ptr<CallSite>> Site(const char* target, Handler* execute,
                                         ImageFfiCall call = {},
                                         Handler* instantiate = nullptr) {
  TENON_RETURN_IF_ERROR(Registry::Global().RegisterHandler(
      target, "Host", {instantiate, nullptr, nullptr, execute}));
  call.target = target;
  return CallSite::Create(call, "tenon");
}

Error* Scale(CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  if (frame->struct_size != 168 || frame->stage != Stage::kExecute ||
      frame->args.size != 1 || frame->rets.size != 2 || frame->attrs.size != 4) {
    return MakeError(frame, 3, "bad frame");
  }
  const auto* in = static_cast<const BufferView*>(frame->args.buffers[0]);
  const auto* out = static_cast<const BufferView*>(frame->rets.buffers[0]);
  const auto* flags = static_cast<const BufferView*>(frame->rets.buffers[1]);
  const auto* alpha = static_cast<const ScalarValue*>(frame->attrs.attrs[0]);
  if (in->dtype != 11 || in->rank != 1 || in->dims[0] != 3 || alpha->dtype != 11 ||
      std::string_view(frame->attrs.names[0]->ptr, frame->attrs.names[0]->len) !=
          "alpha") {
    return MakeError(frame, 3, "bad operand");
  }
  for (int i = 0; i < 3; ++i) {
    static_cast<float*>(out->data)[i] =
        static_cast<const float*>(in->data)[i] * *static_cast<const float*>(alpha->value);
    static_cast<uint8_t*>(flags->data)[i] = static_cast<uint8_t>(i * 17);
  }
  return nullptr;
}

TEST(CallSiteTest, HandlersSeeBuffersAndAttributes) {
  ImageFfiCall call;
  call.operands = {Tensor(ElementType::kF32, {3})};
  call.results = {Tensor(ElementType::kF32, {3}), Tensor(ElementType::kPred, {3})};
  call.attributes = EncodeAttributes(SomeAttributes());
  auto site = Site("scale", Scale, call);
  ASSERT_TRUE(site.ok()) << site.status().ToString();
  float in[3] = {1, 2, 3}, out[3] = {};
  uint8_t flags[3] = {};
  const RunBuffer args[] = {{in, nullptr}};
  const RunBuffer results[] = {{out, nullptr}, {flags, nullptr}};
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(args, results, environment, states);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out[2], 4.5f);
  // Booleans are made 0 or 1.
  EXPECT_EQ(flags[0], 0);
  EXPECT_EQ(flags[1], 1);
  EXPECT_EQ(flags[2], 1);
}

// Copies its operand's bytes to the result.
Error* CopyRaw(CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  const auto* in = static_cast<const BufferView*>(frame->args.buffers[0]);
  const auto* out = static_cast<const BufferView*>(frame->rets.buffers[0]);
  if (in->dims[0] != 2 || in->dims[1] != 3) return MakeError(frame, 3, "bad sizes");
  std::memcpy(out->data, in->data, 6 * sizeof(int32_t));
  return nullptr;
}

TEST(CallSiteTest, BuffersAreTransposedToTheCallsLayouts) {
  ImageTensor row_major = Tensor(ElementType::kS32, {2, 3});
  row_major.minor_to_major = {1, 0};
  ImageTensor column_major = row_major;
  column_major.minor_to_major = {0, 1};
  int32_t in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {};
  const RunBuffer args[] = {{in, nullptr}}, results[] = {{out, nullptr}};
  Environment environment;
  RunStates states;

  ImageFfiCall call;
  call.operands = {column_major};
  call.results = {row_major};
  auto in_columns = Site("copy_raw", CopyRaw, call);
  ASSERT_TRUE(in_columns.ok());
  ASSERT_TRUE((*in_columns)->Call(args, results, environment, states).ok());
  EXPECT_EQ(std::vector<int32_t>(out, out + 6), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));

  call.results = {column_major};
  auto both = Site("copy_raw", CopyRaw, call);
  ASSERT_TRUE(both.ok());
  ASSERT_TRUE((*both)->Call(args, results, environment, states).ok());
  EXPECT_EQ(std::vector<int32_t>(out, out + 6), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST(CallSiteTest, ErrorsNameTheTarget) {
  auto site = Site("fails", [](CallFrame* frame) -> Error* {
    return Metadata(frame) ? nullptr : MakeError(frame, 9, "no luck");
  });
  ASSERT_TRUE(site.ok());
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(nullptr, nullptr, environment, states);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "custom call 'fails': no luck");
}

TEST(CallSiteTest, ExceptionsAreErrors) {
  auto site = Site("throws", [](CallFrame* frame) -> Error* {
    if (Metadata(frame)) return nullptr;
    throw std::runtime_error("ouch");
  });
  ASSERT_TRUE(site.ok());
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(nullptr, nullptr, environment, states);
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("ouch"), std::string_view::npos);
}

TEST(CallSiteTest, UnknownTargetsAreUnimplemented) {
  ImageFfiCall call;
  call.target = "nobody";
  Status status = CallSite::Create(call, "tenon").status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("'nobody'"), std::string_view::npos);
}

int states_deleted = 0;
int64_t state_type = 0;

// Sets and gets the state as handlers of version 0.1, which pass a deleter, and 0.2 do.
template <int kMinor>
Error* SetsOldState(CallFrame* frame) {
  if (Metadata(frame, kMinor)) return nullptr;
  TypeId type{state_type};
  OldStateArgs args = {sizeof args, nullptr, frame->ctx, &type, new int(kMinor), nullptr};
  if (kMinor == 1) {
    args.deleter = [](void* state) {
      delete static_cast<int*>(state);
      states_deleted += 100;
    };
  } else {
    args.struct_size = offsetof(OldStateArgs, deleter);
    args.deleter = reinterpret_cast<void (*)(void*)>(1);  // garbage, not to be called
  }
  return frame->api->state_set(reinterpret_cast<StateArgs*>(&args));
}

template <int kMinor>
Error* GetsOldState(CallFrame* frame) {
  if (Metadata(frame, kMinor)) return nullptr;
  TypeId type{state_type};
  OldStateArgs args = {
      offsetof(OldStateArgs, deleter), nullptr, frame->ctx, &type, nullptr, nullptr};
  if (Error* error = frame->api->state_get(reinterpret_cast<StateArgs*>(&args)))
    return error;
  return *static_cast<int*>(args.state) == kMinor ? nullptr
                                                  : MakeError(frame, 13, "wrong state");
}

TEST(CallSiteTest, StateOfOlderVersions) {
  StatusOr<int64_t> id = Registry::Global().RegisterType("old state", 0, [](void* state) {
    delete static_cast<int*>(state);
    ++states_deleted;
  });
  ASSERT_TRUE(id.ok());
  state_type = *id;
  states_deleted = 0;
  Environment environment;
  for (auto [target, get, set] :
       {std::tuple("old_state_1", &GetsOldState<1>, &SetsOldState<1>),
        std::tuple("old_state_2", &GetsOldState<2>, &SetsOldState<2>)}) {
    auto site = Site(target, get, {}, set);
    ASSERT_TRUE(site.ok()) << site.status().ToString();
    RunStates states;
    Status status = (*site)->Call(nullptr, nullptr, environment, states);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  EXPECT_EQ(states_deleted, 101);
  states_deleted = 0;
}

TEST(CallSiteTest, StateIsCreatedByInstantiate) {
  StatusOr<int64_t> id = Registry::Global().RegisterType("state", 0, [](void* state) {
    delete static_cast<int*>(state);
    ++states_deleted;
  });
  ASSERT_TRUE(id.ok());
  state_type = *id;
  {
    auto site = Site(
        "stateful",
        [](CallFrame* frame) -> Error* {
          if (Metadata(frame)) return nullptr;
          TypeId type{state_type};
          StateArgs args = {sizeof args,         nullptr, frame->ctx,
                            Stage::kInstantiate, &type,   nullptr};
          if (Error* error = frame->api->state_get(&args)) return error;
          ++*static_cast<int*>(args.state);
          return nullptr;
        },
        {},
        [](CallFrame* frame) -> Error* {
          if (Metadata(frame)) return nullptr;
          TypeId type{state_type};
          StateArgs args = {sizeof args,         nullptr, frame->ctx,
                            Stage::kInstantiate, &type,   new int(1)};
          return frame->api->state_set(&args);
        });
    ASSERT_TRUE(site.ok()) << site.status().ToString();
    Environment environment;
    RunStates states;
    EXPECT_TRUE((*site)->Call(nullptr, nullptr, environment, states).ok());
    EXPECT_EQ(states_deleted, 0);
  }
  EXPECT_EQ(states_deleted, 1);
}

// How often each stage has run, and the type id of the states that stages set.
int stage_runs[4];
int64_t run_type = 0;

template <Stage stage>
Error* CountStage(CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  if (frame->stage != stage) return MakeError(frame, 3, "another stage");
  ++stage_runs[static_cast<int>(stage)];
  TypeId type{run_type};
  if constexpr (stage != Stage::kExecute) {
    StateArgs args = {sizeof args, nullptr, frame->ctx, stage, &type, new int(0)};
    return frame->api->state_set(&args);
  } else {
    for (Stage from : {Stage::kInstantiate, Stage::kPrepare, Stage::kInitialize}) {
      StateArgs args = {sizeof args, nullptr, frame->ctx, from, &type, nullptr};
      if (Error* error = frame->api->state_get(&args)) return error;
      ++*static_cast<int*>(args.state);
    }
    return nullptr;
  }
}

TEST(CallSiteTest, StagesRunOncePerExecutableAndOncePerRun) {
  static int deleted = 0;
  StatusOr<int64_t> id = Registry::Global().RegisterType("counted", 0, [](void* state) {
    delete static_cast<int*>(state);
    ++deleted;
  });
  ASSERT_TRUE(id.ok());
  run_type = *id;
  const HandlerBundle bundle = {
      CountStage<Stage::kInstantiate>, CountStage<Stage::kPrepare>,
      CountStage<Stage::kInitialize>, CountStage<Stage::kExecute>};
  ASSERT_TRUE(Registry::Global().RegisterHandler("counts", "tenon", bundle).ok());
  ImageFfiCall call;
  call.target = "counts";
  auto site = CallSite::Create(call, "tenon");
  ASSERT_TRUE(site.ok()) << site.status().ToString();
  Environment environment;
  for (int run = 0; run < 2; ++run) {
    RunStates states;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Status status = (*site)->Call(nullptr, nullptr, environment, states);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
  }
  EXPECT_EQ(std::vector<int>(stage_runs, stage_runs + 4), (std::vector<int>{1, 2, 2, 6}));
  EXPECT_EQ(deleted, 4);
  site->reset();
  EXPECT_EQ(deleted, 5);
}

Error* TokenFirst(CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  const auto* token = static_cast<const BufferView*>(frame->args.buffers[0]);
  const auto* in = static_cast<const BufferView*>(frame->args.buffers[1]);
  const auto* out = static_cast<const BufferView*>(frame->rets.buffers[1]);
  if (frame->args.size != 2 || frame->rets.size != 2 || token->dtype != 17 ||
      token->rank != 0) {
    return MakeError(frame, 3, "no token");
  }
  *static_cast<float*>(out->data) = *static_cast<const float*>(in->data) + 1;
  return nullptr;
}

TEST(CallSiteTest, TokensAreArgumentsWithoutBuffers) {
  ImageFfiCall call;
  call.operands = {Tensor(ElementType::kToken, {}), Tensor(ElementType::kF32, {})};
  call.results = call.operands;
  auto site = Site("token_first", TokenFirst, call);
  ASSERT_TRUE(site.ok()) << site.status().ToString();
  float in = 2, out = 0;
  const RunBuffer args[] = {{&in, nullptr}}, results[] = {{&out, nullptr}};
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(args, results, environment, states);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out, 3);
}

Error* Asks(CallFrame* frame) {
  if (Metadata(frame)) return nullptr;
  TypeId type{5};
  ExecutionContextGetArgs data = {sizeof data, nullptr, frame->ctx, &type, nullptr};
  if (Error* error = frame->api->execution_context_get(&data)) return error;
  RunIdGetArgs run = {sizeof run, nullptr, frame->ctx, 0};
  if (Error* error = frame->api->run_id_get(&run)) return error;
  DeviceOrdinalGetArgs device = {sizeof device, nullptr, frame->ctx, 0};
  if (Error* error = frame->api->device_ordinal_get(&device)) return error;
  int64_t threads = 0;
  ThreadPoolNumThreadsArgs pool = {sizeof pool, nullptr, frame->ctx, &threads};
  if (Error* error = frame->api->thread_pool_num_threads(&pool)) return error;
  if (!data.data || run.run_id != 42 || device.device_ordinal != 1 || threads != 3) {
    return MakeError(frame, 13, "wrong answers");
  }
  type.type_id = 6;
  Error* error = frame->api->execution_context_get(&data);
  if (!error) return MakeError(frame, 13, "data that nobody gave");
  ErrorDestroyArgs destroy = {sizeof destroy, nullptr, error};
  frame->api->error_destroy(&destroy);
  return nullptr;
}

TEST(CallSiteTest, HandlersCanAccessTheirRun) {
  auto site = Site("asks", Asks);
  ASSERT_TRUE(site.ok());
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(nullptr, nullptr, environment, states);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(CallSiteTest, FuturesAreAwaited) {
  static std::atomic<bool> finished{false};
  auto site = Site("later", [](CallFrame* frame) -> Error* {
    if (Metadata(frame)) return nullptr;
    FutureCreateArgs create = {sizeof create, nullptr, nullptr};
    if (Error* error = frame->api->future_create(&create)) return error;
    frame->future = create.future;
    std::thread([api = frame->api, future = create.future] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      finished = true;
      ErrorCreateArgs error = {sizeof error, nullptr, "too late", 4};
      FutureSetErrorArgs set = {sizeof set, nullptr, future, api->error_create(&error)};
      api->future_set_error(&set);
    }).detach();
    return nullptr;
  });
  ASSERT_TRUE(site.ok());
  Environment environment;
  RunStates states;
  Status status = (*site)->Call(nullptr, nullptr, environment, states);
  EXPECT_TRUE(finished.load());
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
}

TEST(RegistryTest, ChecksHandlersWhenTheyAreRegistered) {
  Registry registry;
  EXPECT_EQ(registry.RegisterHandler("t", "cpu", {}).code(),
            StatusCode::kInvalidArgument);
  const HandlerBundle newer = {nullptr, nullptr, nullptr, [](CallFrame* frame) -> Error* {
                                 Metadata(frame, kApiMinor + 1);
                                 return nullptr;
                               }};
  EXPECT_EQ(registry.RegisterHandler("t", "cpu", newer).code(),
            StatusCode::kInvalidArgument);
  const HandlerBundle good = {nullptr, nullptr, nullptr, Scale};
  EXPECT_TRUE(registry.RegisterHandler("t", "cpu", good).ok());
  EXPECT_TRUE(registry.RegisterHandler("t", "Host", good).ok());
  EXPECT_EQ(
      registry.RegisterHandler("t", "cpu", {nullptr, nullptr, nullptr, Asks}).code(),
      StatusCode::kAlreadyExists);
}

TEST(RegistryTest, TypesHaveOneIdAndOneName) {
  constexpr int64_t kFirst = Registry::kFirstTypeId;
  Registry registry;
  EXPECT_EQ(*registry.RegisterType("a", 0, nullptr), kFirst);
  EXPECT_EQ(*registry.RegisterType("b", kFirst + 1, nullptr), kFirst + 1);
  EXPECT_EQ(*registry.RegisterType("c", 0, nullptr), kFirst + 2);
  EXPECT_EQ(*registry.RegisterType("a", 0, nullptr), kFirst);
  EXPECT_FALSE(registry.RegisterType("a", 9, nullptr).ok());
  EXPECT_FALSE(registry.RegisterType("d", kFirst, nullptr).ok());
}

}  // namespace
}  // namespace tenon::ffi
