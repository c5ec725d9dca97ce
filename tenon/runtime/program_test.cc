#include "tenon/runtime/program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "tenon/executable/testing.h"
#include "tenon/ffi/registry.h"

namespace tenon::runtime {
namespace {

namespace testing = ::tenon::testing;

uint64_t current_mode = 9;
const FloatMode kMode = {
    .enter = [](bool ieee) { return std::exchange(current_mode, ieee ? 2 : 1); },
    .leave = [](uint64_t previous) { current_mode = previous; },
};

using testing::ImageOf;

StatusOr<std::shared_ptr<const Program>> Load(Image image) {
  TENON_ASSIGN_OR_RETURN(auto loaded,
                         LoadImage(std::move(image), testing::TestMachine()));
  return Program::Create(loaded, "test");
}

RuntimeOptions Options() {
  RuntimeOptions options{.float_mode = kMode};
  options.team.num_threads = 2;
  return options;
}

TEST(ProgramTest, PassesContextAndBuffers) {
  Image image = ImageOf([](RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void* arena) -> int32_t {
    if (context->struct_size != sizeof(RunContext) || current_mode != 1) return 13;
    if (context->run_id != 3 || context->device_id != 4 || context->num_threads != 2) {
      return 3;
    }
    if (reinterpret_cast<uintptr_t>(arena) % 64) return 4;
    std::memset(arena, 7, 1000);
    *static_cast<int*>(results[0].data) =
        *static_cast<const int*>(args[0].data) + context->constants[1];
    return 0;
  });
  image.code_objects[0].arena_bytes = 1000;
  testing::SetConstants(image, {1, 20});
  auto program = Load(image);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  Runtime runtime(Options());
  int in = 22, out = 0;
  const RunBuffer args[] = {{&in, nullptr}}, results[] = {{&out, nullptr}};
  Status status = (*program)->Run(runtime, args, results, {.run_id = 3, .device_id = 4});
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out, 42);
  EXPECT_EQ(current_mode, 9u);
  EXPECT_EQ(runtime.allocator().stats().in_use, 0);
}

TEST(ProgramTest, ErrorsKeepTheirMessage) {
  auto program = Load(ImageOf(
      [](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        context->table->set_error(context, 11, "index 9 is too large...", 20);
        context->table->set_error(context, 3, "second", 6);
        return 11;
      }));
  ASSERT_TRUE(program.ok());
  Runtime runtime(Options());
  Status status = (*program)->Run(runtime, nullptr, nullptr, {});
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "index 9 is too large");
}

TEST(ProgramTest, AnErrorInAChunkFailsTheRun) {
  auto program = Load(ImageOf(
      [](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        context->table->parallel_for(
            context,
            [](RunContext* context, void*, int64_t chunk) {
              if (chunk % 3 == 0) context->table->set_error(context, 3, "chunk", 5);
            },
            nullptr, 100);
        return 0;
      }));
  ASSERT_TRUE(program.ok());
  Runtime runtime(Options());
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ((*program)->Run(runtime, nullptr, nullptr, {}).message(), "chunk");
  }
}

TEST(ProgramTest, ErrorCodeWithoutMessage) {
  auto program = Load(ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*,
                                 void*) -> int32_t { return 8; }));
  ASSERT_TRUE(program.ok());
  Runtime runtime(Options());
  EXPECT_EQ((*program)->Run(runtime, nullptr, nullptr, {}).code(),
            StatusCode::kResourceExhausted);
}

class CustomCallTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ProgramTest, CustomCallTest,
                         ::testing::Values("float_mode", "lapack_float_mode"));

TEST_P(CustomCallTest, SeesTheCallersFloatMode) {
  const std::string target = GetParam();
  ASSERT_TRUE(
      ffi::Registry::Global()
          .RegisterHandler(
              target, "test",
              {nullptr, nullptr, nullptr,
               [](ffi::CallFrame* frame) -> ffi::Error* {
                 if (frame->extension_start) {
                   reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start)
                       ->metadata->api_version.minor_version = 3;
                   return nullptr;
                 }
                 auto* out = static_cast<ffi::BufferView*>(frame->rets.buffers[0]);
                 *static_cast<uint8_t*>(out->data) = static_cast<uint8_t>(current_mode);
                 return nullptr;
               }})
          .ok());
  Image image = ImageOf([](RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void*) -> int32_t {
    const int32_t code = context->table->call_ffi(context, 0, args, results);
    return current_mode == 1 ? code : 13;
  });
  ImageFfiCall call;
  call.target = target;
  ImageTensor byte;
  byte.type = ElementType::kU8;
  call.results = {byte};
  image.info.ffi_calls = {call};
  auto program = Load(image);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  // LAPACK's handlers only compute.
  EXPECT_EQ((*program)->may_block(), target == "float_mode");
  EXPECT_EQ((*program)->RunsInline(), target != "float_mode");
  Runtime runtime(Options());
  uint8_t seen = 0;
  const RunBuffer results[] = {{&seen, nullptr}};
  Status status = (*program)->Run(runtime, nullptr, results, {});
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(seen, 9);
}

// A device whose addresses are those of the host plus an offset. Kernel k adds k to one
// byte.
class FakeStream final : public KernelStream {
 public:
  static constexpr size_t kOffset = 4096;
  static char* OnHost(const void* address) {
    return static_cast<char*>(const_cast<void*>(address)) - kOffset;
  }
  const void* constants() const override { return constants_ + kOffset; }
  Status Launch(int64_t kernel, const uint64_t* arguments, int64_t) override {
    if (kernel > 9) return Internal("no kernel " + std::to_string(kernel));
    auto* byte = OnHost(reinterpret_cast<const void*>(arguments[0]));
    *byte = static_cast<char>(*byte + kernel);
    return OkStatus();
  }
  Status Copy(void* to, const void* from, size_t bytes) override {
    std::memcpy(OnHost(to), OnHost(from), bytes);
    return OkStatus();
  }
  Status Read(const void* from, void* to_host, size_t bytes) override {
    std::memcpy(to_host, OnHost(from), bytes);
    return OkStatus();
  }
  Status Write(void* to, const void* from_host, size_t bytes) override {
    std::memcpy(OnHost(to), from_host, bytes);
    return OkStatus();
  }

 private:
  const char* const constants_ = "ab";
};

StatusOr<std::shared_ptr<const Program>> LoadLauncher(EntryPoint entry) {
  Image image = ImageOf(entry);
  image.code_objects[0].kind = kLauncherCode;
  Machine machine = testing::TestMachine();
  EXPECT_EQ(LoadImage(image, machine).status().code(), StatusCode::kFailedPrecondition);
  machine.code_kind = kLauncherCode;
  TENON_ASSIGN_OR_RETURN(auto loaded, LoadImage(std::move(image), machine));
  return Program::Create(loaded, "test");
}

TEST(ProgramTest, ALauncherUsesTheStream) {
  auto program = LoadLauncher([](RunContext* context, const RunBuffer*,
                                 const RunBuffer* results, void*) -> int32_t {
    char* const out = static_cast<char*>(results[0].data);
    const RuntimeTable& table = *context->table;
    const uint64_t address = reinterpret_cast<uint64_t>(out);
    int32_t code = table.copy(context, out, context->constants, 2);  // ab
    char byte = 0;
    if (!code) code = table.read(context, out + 1, &byte, 1);
    if (!code) code = table.launch(context, 2, &address, 1);  // cb
    ++byte;
    if (!code) code = table.write(context, out + 1, &byte, 1);  // cc
    return code;
  });
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  Runtime runtime(Options());
  char out[2] = {};
  void* const address = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(out) +
                                                FakeStream::kOffset);  // of no object
  const RunBuffer results[] = {{address, nullptr}};
  FakeStream stream;
  const Status status = (*program)->Run(runtime, nullptr, results, {}, nullptr, &stream);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(std::string(out, 2), "cc");
  EXPECT_EQ((*program)->Run(runtime, nullptr, results, {}).ToString(),
            "INTERNAL: program 'test' launches kernels, but was loaded without a device");
}

TEST(ProgramTest, AnErrorOfTheStreamFailsTheRun) {
  auto program = LoadLauncher(
      [](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        return context->table->launch(context, 10, nullptr, 1);
      });
  ASSERT_TRUE(program.ok());
  Runtime runtime(Options());
  FakeStream stream;
  EXPECT_EQ((*program)->Run(runtime, nullptr, nullptr, {}, nullptr, &stream).ToString(),
            "INTERNAL: no kernel 10");
}

TEST(ProgramTest, OnlyShortProgramsRunInline) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  auto load = [](double nanoseconds) {
    Image image = ImageOf(nullptr);
    image.code_objects[0].estimated_nanoseconds = nanoseconds;
    return *Load(image);
  };
  EXPECT_TRUE(load(50e3)->RunsInline());
  EXPECT_FALSE(load(50.1e3)->RunsInline());
  EXPECT_FALSE(load(kUnknown)->RunsInline());
  EXPECT_TRUE(load(1000e3)->RunsOnWaiter(1));
  EXPECT_FALSE(load(1000.1e3)->RunsOnWaiter(1));
  EXPECT_TRUE(load(1000.1e3)->RunsOnWaiter(2));
  EXPECT_FALSE(load(4.1e6)->RunsOnWaiter(64));
  EXPECT_FALSE(load(kUnknown)->RunsOnWaiter(64));
  EXPECT_GT(load(kUnknown)->spin_time().count(), 0);
  EXPECT_EQ(load(1000e3)->spin_time().count(), 0);
}

TEST(ProgramTest, WaitersRunProgramsOfUnknownLengthAfterManyShortRuns) {
  static std::chrono::microseconds length;
  Image image = ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*, void*) {
    std::this_thread::sleep_for(length);
    return 0;
  });
  image.code_objects[0].estimated_nanoseconds = std::numeric_limits<double>::infinity();
  auto program = *Load(image);
  Runtime runtime(Options());
  auto run = [&](int times, int microseconds) {
    length = std::chrono::microseconds(microseconds);
    for (int i = 0; i < times; ++i) {
      EXPECT_FALSE(program->RunsOnWaiter(1));
      EXPECT_TRUE(program->Run(runtime, nullptr, nullptr, {}).ok());
    }
  };
  for (int i = 0; i < 2; ++i) {
    run(16, 0);
    EXPECT_TRUE(program->RunsOnWaiter(1));
    EXPECT_FALSE(program->RunsInline());
    length = std::chrono::microseconds(1000);
    EXPECT_TRUE(program->Run(runtime, nullptr, nullptr, {}).ok());
  }
}

TEST(ProgramTest, LongProgramsRunOnAnotherThread) {
  static std::chrono::microseconds length;
  Image image = ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*, void*) {
    std::this_thread::sleep_for(length);
    return 0;
  });
  image.code_objects[0].estimated_nanoseconds = 10e3;
  auto program = *Load(image);
  Runtime runtime(Options());
  auto run = [&](int microseconds) {
    length = std::chrono::microseconds(microseconds);
    EXPECT_TRUE(program->Run(runtime, nullptr, nullptr, {}).ok());
  };
  run(300);
  run(300);
  run(0);  // a single long run may have other causes
  EXPECT_TRUE(program->RunsInline());
  for (int i = 0; i < 3; ++i) run(300);
  EXPECT_FALSE(program->RunsInline());
  EXPECT_TRUE(program->RunsOnWaiter(1));
}

TEST(ProgramTest, AnArenaThatDoesNotFitIsAnError) {
  Image image =
      ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*, void*) { return 0; });
  image.code_objects[0].arena_bytes = uint64_t{1} << 60;
  Runtime runtime(Options());
  EXPECT_EQ((*Load(image))->Run(runtime, nullptr, nullptr, {}).code(),
            StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tenon::runtime
