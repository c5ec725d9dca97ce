// Tests a client over NVIDIA's GPUs, or emulated ones, with programs written by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "tenon/devices/cuda/testing.h"
#include "tenon/ffi/registry.h"
#include "tenon/runtime/trace.h"

namespace tenon::cuda {
namespace {

using namespace testing;  // NOLINT
using pjrt::Buffer;
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::NamedValueMap;
using pjrt::Values;

TEST(CudaClientTest, KernelsReadArgumentsConstantsAndScalars) {
  auto client = MakeClient();
  Image image = ImageWith(
      [](RunContext* context, const RunBuffer* args, const RunBuffer* results,
         void* arena) -> int32_t {
        // arena = a + constants; result = arena + 5.
        const uint64_t arguments[] = {Word(args[0].data), Word(context->constants),
                                      Word(arena), kSize};
        if (int32_t code = context->table->launch(context, kAdd, arguments, 2)) {
          return code;
        }
        return LaunchAddScalar(context, arena, 5, results[0].data, kSize);
      },
      1, kSize);
  image.code_objects[0].arena_bytes = kSize * 4;
  ConstantData constants(kSize * 4);
  std::memcpy(constants.data(), All(100).data(), constants.size());
  ::tenon::testing::SetConstants(image, std::move(constants));
  auto program = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(7));
  EXPECT_FALSE(in->is_on_cpu());
  for (int run = 0; run < 3; ++run) {
    Executed executed = Execute(*program, {in.get()});
    EXPECT_EQ(Values<int32_t>(*executed.outputs[0]), All(112));
  }
  EXPECT_EQ(client->platform_name(), "tenon_cuda");
}

TEST(CudaClientTest, ChainsRunInOrder) {
  auto client = MakeClient();
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(0));
  std::vector<Executed> runs;
  for (int i = 0; i < 300; ++i) {
    Buffer* last = runs.empty() ? in.get() : runs.back().outputs[0].get();
    runs.push_back(Execute(*program, {last}));
    ASSERT_TRUE(runs.back().status.ok());
  }
  EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(300));
  EXPECT_EQ(Values<int32_t>(*runs[99].outputs[0]), All(100));
}

TEST(CudaClientTest, DonatedMemoryBecomesTheResults) {
  auto client = MakeClient();
  auto program = Compile(*client, AddOneImage(/*alias=*/true));
  auto in = FromHost<int32_t>(*client, All(1));
  const uintptr_t address = *in->UnsafePointer();
  Executed run = Execute(*program, {in.get()});
  EXPECT_TRUE(in->IsDeleted());
  EXPECT_EQ(*run.outputs[0]->UnsafePointer(), address);
  const int64_t kept[] = {0};
  pjrt::ExecuteOptions options;
  options.non_donatable_input_indices = kept;
  Executed copy = Execute(*program, {run.outputs[0].get()}, options);
  EXPECT_EQ(Values<int32_t>(*copy.outputs[0]), All(3));
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), All(2));
}

// A loop whose trip count is on the device: adds 1 until the first element is 10, which
// it writes before.
int32_t AddUntilTen(RunContext* context, const RunBuffer* args, const RunBuffer* results,
                    void*) {
  void* const out = results[0].data;
  if (int32_t code = context->table->copy(context, out, args[0].data, kSize * 4)) {
    return code;
  }
  int32_t first = 3;
  if (int32_t code = context->table->write(context, out, &first, sizeof first)) {
    return code;
  }
  first = -1;  // `write` has read it
  while (true) {
    if (int32_t code = context->table->read(context, out, &first, sizeof first)) {
      return code;
    }
    if (first >= 10) return 0;
    if (int32_t code = LaunchAddScalar(context, out, 1, out, kSize)) return code;
  }
}

TEST(CudaClientTest, LaunchersReadAndWriteTheDevice) {
  auto client = MakeClient();
  auto program = Compile(*client, ImageWith(AddUntilTen, 1, kSize));
  auto in = FromHost<int32_t>(*client, All(20));
  Executed run = Execute(*program, {in.get()});
  std::vector<int32_t> expected = All(27);
  expected[0] = 10;
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), expected);
}

TEST(CudaClientTest, KernelsUseMoreLocalMemoryThanIsUsual) {
  auto client = MakeClient();
  constexpr int64_t kItems = 64;
  auto program = Compile(*client, ImageWith(
                                      [](RunContext* context, const RunBuffer* args,
                                         const RunBuffer* results, void*) -> int32_t {
                                        const uint64_t arguments[] = {
                                            Word(args[0].data), Word(results[0].data)};
                                        return context->table->launch(
                                            context, kThroughLocal, arguments, 1);
                                      },
                                      1, kItems));
  auto in = FromHost<int32_t>(*client, std::vector<int32_t>(kItems, 100));
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < kItems; ++i) expected.push_back(100 + i);
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), expected);
}

TEST(CudaClientTest, ThreadsShareADevice) {
  auto client = MakeClient();
  auto add_one = Compile(*client, AddOneImage());
  auto until_ten = Compile(*client, ImageWith(AddUntilTen, 1, kSize));
  auto shared = FromHost<int32_t>(*client, All(5));
  const auto work = [&](int thread) {
    for (int run = 0; run < 20; ++run) {
      auto in = FromHost<int32_t>(*client, All(thread));
      Executed one = Execute(*add_one, {in.get()});
      in.reset();
      Executed two = Execute(*add_one, {one.outputs[0].get()});
      Executed three = Execute(*until_ten, {two.outputs[0].get()});
      Executed other = Execute(*add_one, {shared.get()});
      EXPECT_EQ(Values<int32_t>(*two.outputs[0]), All(thread + 2));
      EXPECT_EQ(Values<int32_t>(*three.outputs[0])[1], thread + 9);
      EXPECT_EQ(Values<int32_t>(*other.outputs[0]), All(6));
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
}

TEST(CudaClientTest, BuffersMayEndBeforeTheirPrograms) {
  auto client = MakeClient();
  auto program = Compile(*client, AddOneImage());
  for (int i = 0; i < 50; ++i) {
    auto in = FromHost<int32_t>(*client, All(i));
    Execute(*program, {in.get()});
  }
  program.reset();
}

TEST(CudaClientTest, MoreKernelsThanMayBeInFlight) {
  auto client = MakeClient();
  auto program =
      Compile(*client, ImageWith(
                           [](RunContext* context, const RunBuffer* args,
                              const RunBuffer* results, void*) -> int32_t {
                             int32_t code = AddOne(context, args, results, nullptr);
                             for (int i = 1; i < 3000 && code == 0; ++i) {
                               code = LaunchAddScalar(context, results[0].data, 1,
                                                      results[0].data, kSize);
                             }
                             return code;
                           },
                           1, kSize));
  auto in = FromHost<int32_t>(*client, All(0));
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(3000));
}

TEST(CudaClientTest, ArgumentsAndResultsMayBeInHostMemory) {
  auto client = MakeClient();
  auto first = FromHost<int32_t>(*client, All(1));
  for (const char* result_kind : {"device", "pinned_host", "unpinned_host"}) {
    Image image = AddOneImage();
    image.info.results[0].memory_kind = result_kind;
    auto program = Compile(*client, std::move(image));
    for (pjrt::MemorySpace* memory : client->addressable_memories()) {
      auto in = first->CopyToMemory(memory);
      ASSERT_TRUE(in.ok()) << in.status().ToString();
      EXPECT_EQ((*in)->is_on_cpu(), memory->kind() != "device");
      Executed run = Execute(*program, {in->get()});
      EXPECT_EQ(Values<int32_t>(*run.outputs[0]), All(2)) << memory->to_string();
      EXPECT_EQ(run.outputs[0]->memory()->kind(), result_kind);
    }
  }
  // A donated argument on the host.
  Image image = AddOneImage(/*alias=*/true);
  image.info.results[0].memory_kind = "unpinned_host";
  auto program = Compile(*client, std::move(image));
  for (pjrt::MemorySpace* memory : client->addressable_memories()) {
    auto in = first->CopyToMemory(memory);
    ASSERT_TRUE(in.ok());
    EXPECT_EQ(Values<int32_t>(*Execute(*program, {in->get()}).outputs[0]), All(2));
  }
}

// A handler that reads and writes host memory.
ffi::Error* Double(ffi::CallFrame* frame) {
  if (frame->extension_start) {
    reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start)
        ->metadata->api_version.minor_version = 3;
    return nullptr;
  }
  const auto* in = static_cast<const ffi::BufferView*>(frame->args.buffers[0]);
  auto* out = static_cast<ffi::BufferView*>(frame->rets.buffers[0]);
  for (int64_t i = 0; i < in->dims[0]; ++i) {
    static_cast<int32_t*>(out->data)[i] = 2 * static_cast<const int32_t*>(in->data)[i];
  }
  return nullptr;
}

TEST(CudaClientTest, CustomCallsRunOnTheHost) {
  auto client = MakeClient();
  static const bool registered =
      ffi::Registry::Global()
          .RegisterHandler("double", "tenon_cuda", {nullptr, nullptr, nullptr, Double})
          .ok();
  ASSERT_TRUE(registered);
  Image image = ImageWith(
      [](RunContext* context, const RunBuffer* args, const RunBuffer* results,
         void* arena) -> int32_t {
        // result = 2 (a + 1) + 1, with the operand in the arena.
        const RunBuffer sum = {arena, nullptr};
        if (int32_t code = AddOne(context, args, &sum, nullptr)) return code;
        if (int32_t code = context->table->call_ffi(context, 0, &sum, results)) {
          return code;
        }
        return AddOne(context, results, results, nullptr);
      },
      1, kSize);
  image.code_objects[0].arena_bytes = kSize * 4;
  ImageFfiCall& call = image.info.ffi_calls.emplace_back();
  call.target = "double";
  call.operands = call.results = image.info.results;
  auto program = Compile(*client, std::move(image));
  auto add_one = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(4));
  Executed run = Execute(*program, {in.get()});
  Executed next = Execute(*add_one, {run.outputs[0].get()});
  EXPECT_EQ(Values<int32_t>(*next.outputs[0]), All(12));
}

TEST(CudaClientTest, AFullMemoryIsAnErrorThatPasses) {
  auto client = MakeClient({{"memory_limit", int64_t{4096}}});
  const auto nothing = [](RunContext*, const RunBuffer*, const RunBuffer*,
                          void*) -> int32_t { return 0; };
  Image image = ImageWith(nothing, 1, kSize);
  image.info.results = {TensorOf(ElementType::kS32, {2000})};
  auto large = Compile(*client, image);
  // Its argument never gets memory, so its kernel must not run.
  image = ImageWith(
      [](RunContext* context, const RunBuffer* args, const RunBuffer* results,
         void*) -> int32_t {
        return LaunchAddScalar(context, args[0].data, 1, results[0].data, kSize);
      },
      1, kSize);
  image.info.parameters = {TensorOf(ElementType::kS32, {2000})};
  auto follower = Compile(*client, image);
  auto in = FromHost<int32_t>(*client, All(1));
  Executed run = Execute(*large, {in.get()});
  ASSERT_TRUE(run.status.ok());
  Executed next = Execute(*follower, {run.outputs[0].get()});
  for (Executed* failed : {&run, &next}) {
    const Status status = failed->outputs[0]->ReadyEvent().Await();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("is out of memory: 7.8 KiB asked for; of 4.0 KiB"),
              std::string_view::npos)
        << status.ToString();
  }
  auto small = Compile(*client, AddOneImage());
  EXPECT_EQ(Values<int32_t>(*Execute(*small, {in.get()}).outputs[0]), All(2));
  Image arena = AddOneImage();
  arena.code_objects[0].arena_bytes = 8000;
  Executed without = Execute(*Compile(*client, std::move(arena)), {in.get()});
  EXPECT_EQ(without.done.Await().code(), StatusCode::kResourceExhausted);
}

TEST(CudaClientTest, ArraysMoveBetweenDevices) {
  if (NumDevices() < 2) GTEST_SKIP() << "needs two GPUs";
  auto client = MakeClient({{"device_count", int64_t{2}}});
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(1), 1);
  EXPECT_EQ(Values<int32_t>(*in), All(1));
  auto there = in->CopyToMemory(client->devices()[0]->default_memory());
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {there->get()}).outputs[0]), All(2));
}

TEST(CudaClientTest, DevicesExchangeData) {
  if (NumDevices() < 2) GTEST_SKIP() << "needs two GPUs";
  auto client = MakeClient({{"device_count", int64_t{2}}});
  auto program = Compile(*client, streams::testing::SwapImage(TestKernels()));
  for (int run = 0; run < 5; ++run) {
    auto first = FromHost<int32_t>(*client, All(10), 0);
    auto second = FromHost<int32_t>(*client, All(20), 1);
    std::vector<std::unique_ptr<Buffer>> out;
    const Status status = pjrt::ExecuteOnAll(*program, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Values<int32_t>(*out[0]), All(22));
    EXPECT_EQ(Values<int32_t>(*out[1]), All(12));
  }
}

TEST(CudaClientTest, TracesHaveTheKernelsOfTheDevice) {
  auto client = MakeClient();
  Image image = ImageWith(
      [](RunContext* context, const RunBuffer* args, const RunBuffer* results,
         void*) -> int32_t {
        if (int32_t code = AddOne(context, args, results, nullptr)) return code;
        const uint64_t arguments[] = {Word(results[0].data), Word(results[0].data),
                                      Word(results[0].data), kSize};
        return context->table->launch(context, kAdd, arguments, 2);
      },
      1, kSize);
  image.code_objects[0].kernels = {{"sum", "", ""}, {"shift", "", ""}};
  auto program = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(1));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  runtime::Tracer& tracer = runtime::Tracer::Global();
  ASSERT_TRUE(tracer.Start().ok());
  const int64_t start = runtime::TraceClock();
  Executed run = Execute(*program, {in.get()});
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), All(4));
  const int64_t end = runtime::TraceClock();
  std::vector<runtime::TraceEvent> kernels, runs;
  for (const runtime::ThreadTrace& thread : tracer.Stop()) {
    for (const runtime::TraceEvent& event : thread.events) {
      (event.kind == runtime::TraceEvent::Kind::kKernel ? kernels : runs)
          .push_back(event);
    }
  }
  ASSERT_EQ(kernels.size(), 2u);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].kind, runtime::TraceEvent::Kind::kRun);
  EXPECT_EQ(kernels[0].index, 1);  // the number in the launcher's code object
  EXPECT_EQ(kernels[1].index, 0);
  // Clocks may differ by a little.
  constexpr int64_t kSlack = 1'000'000;
  EXPECT_GE(kernels[0].start_ns, start - kSlack);
  EXPECT_LE(kernels[0].start_ns, kernels[0].end_ns);
  EXPECT_LE(kernels[0].end_ns, kernels[1].start_ns);
  EXPECT_LE(kernels[1].end_ns, end + kSlack);
  EXPECT_EQ(runs[0].start_ns, kernels[0].start_ns);
  EXPECT_EQ(runs[0].end_ns, kernels[1].end_ns);
}

TEST(CudaClientTest, TwoClientsAreIndependent) {
  auto client = MakeClient();
  auto first = MakeClient();
  auto one = Compile(*first, AddOneImage());
  auto two = Compile(*client, AddOneImage());
  auto in_one = FromHost<int32_t>(*first, All(1));
  auto in_two = FromHost<int32_t>(*client, All(2));
  Executed run_one = Execute(*one, {in_one.get()}),
           run_two = Execute(*two, {in_two.get()});
  EXPECT_EQ(Values<int32_t>(*run_one.outputs[0]), All(2));
  run_one.outputs.clear();
  in_one.reset();
  one.reset();
  first.reset();
  EXPECT_EQ(Values<int32_t>(*run_two.outputs[0]), All(3));
}

}  // namespace
}  // namespace tenon::cuda
