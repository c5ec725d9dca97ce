// What clients over every kind of device with streams do, with programs written by hand.
// Each kind of device includes this header in one test and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StreamsClientTest, ::testing::Values(...), NameOf);
#ifndef TENON_DEVICES_STREAMS_CLIENT_TESTS_H_
#define TENON_DEVICES_STREAMS_CLIENT_TESTS_H_

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tenon/devices/streams/testing.h"
#include "tenon/ffi/abi.h"
#include "tenon/ffi/registry.h"
#include "tenon/pjrt/client/testing.h"
#include "tenon/runtime/trace.h"

namespace tenon::streams::testing {

using pjrt::Buffer;
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::NamedValueMap;
using pjrt::Values;

// A kind of device, and how its tests reach it.
struct TestedDevice {
  std::string name;      // of the instance of the suite
  std::string platform;  // of its clients
  // Null, after marking the test as skipped, if this machine has no such device.
  std::function<std::unique_ptr<pjrt::LocalClient>(const NamedValueMap& options)> start;
  // The options that give a client two devices; nothing if there is only one.
  std::function<std::optional<NamedValueMap>()> two_devices;
  std::function<DeviceCode()> kernels;  // see TestKernels
};

inline void PrintTo(const TestedDevice& device, std::ostream* out) {
  *out << device.name;
}
inline std::string NameOf(const ::testing::TestParamInfo<TestedDevice>& info) {
  return info.param.name;
}

class StreamsClientTest : public ::testing::TestWithParam<TestedDevice> {
 protected:
  // Sets client_ to null and skips the test if there is no device.
  void Start(const NamedValueMap& options = {}) { client_ = GetParam().start(options); }
  void StartTwo() {
    const auto options = GetParam().two_devices();
    if (options) return Start(*options);
    client_ = nullptr;
    GTEST_SKIP() << "needs two devices";
  }
  Image ImageOf(EntryPoint entry, int64_t size = kSize) const {
    return ImageWith(entry, 1, size, GetParam().kernels());
  }
  Image AddOneImage(bool alias = false) const {
    Image image = ImageOf(AddOne);
    if (alias) image.info.aliases = {{.result = 0, .parameter = 0}};
    return image;
  }
  std::unique_ptr<pjrt::LocalClient> client_;
};

#define TENON_START(...) \
  Start(__VA_ARGS__);    \
  if (!client_) return

TEST_P(StreamsClientTest, KernelsReadArgumentsConstantsAndScalars) {
  TENON_START();
  Image image = ImageOf([](RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void* arena) -> int32_t {
    // arena = a + constants; result = arena + 5.
    const uint64_t arguments[] = {Word(args[0].data), Word(context->constants),
                                  Word(arena), kSize};
    if (int32_t code = context->table->launch(context, kAdd, arguments, 2)) {
      return code;
    }
    return LaunchAddScalar(context, arena, 5, results[0].data, kSize);
  });
  image.code_objects[0].arena_bytes = kSize * 4;
  ConstantData constants(kSize * 4);
  std::memcpy(constants.data(), All(100).data(), constants.size());
  ::tenon::testing::SetConstants(image, std::move(constants));
  auto program = Compile(*client_, std::move(image));
  auto in = FromHost<int32_t>(*client_, All(7));
  EXPECT_FALSE(in->is_on_cpu());
  for (int run = 0; run < 3; ++run) {
    Executed executed = Execute(*program, {in.get()});
    EXPECT_EQ(Values<int32_t>(*executed.outputs[0]), All(112));
  }
  EXPECT_EQ(client_->platform_name(), GetParam().platform);
}

TEST_P(StreamsClientTest, ChainsRunInOrder) {
  TENON_START();
  auto program = Compile(*client_, AddOneImage());
  auto in = FromHost<int32_t>(*client_, All(0));
  std::vector<Executed> runs;
  for (int i = 0; i < 300; ++i) {
    Buffer* last = runs.empty() ? in.get() : runs.back().outputs[0].get();
    runs.push_back(Execute(*program, {last}));
    ASSERT_TRUE(runs.back().status.ok());
  }
  EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(300));
  EXPECT_EQ(Values<int32_t>(*runs[99].outputs[0]), All(100));
}

TEST_P(StreamsClientTest, DonatedMemoryBecomesTheResults) {
  TENON_START();
  auto program = Compile(*client_, AddOneImage(/*alias=*/true));
  auto in = FromHost<int32_t>(*client_, All(1));
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
inline int32_t AddUntilTen(RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void*) {
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

TEST_P(StreamsClientTest, LaunchersReadAndWriteTheDevice) {
  TENON_START();
  auto program = Compile(*client_, ImageOf(AddUntilTen));
  auto in = FromHost<int32_t>(*client_, All(20));
  Executed run = Execute(*program, {in.get()});
  std::vector<int32_t> expected = All(27);
  expected[0] = 10;
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), expected);
}

TEST_P(StreamsClientTest, ThreadsShareADevice) {
  TENON_START();
  auto add_one = Compile(*client_, AddOneImage());
  auto until_ten = Compile(*client_, ImageOf(AddUntilTen));
  auto shared = FromHost<int32_t>(*client_, All(5));
  const auto work = [&](int thread) {
    for (int run = 0; run < 20; ++run) {
      auto in = FromHost<int32_t>(*client_, All(thread));
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

TEST_P(StreamsClientTest, BuffersMayEndBeforeTheirPrograms) {
  TENON_START();
  auto program = Compile(*client_, AddOneImage());
  for (int i = 0; i < 50; ++i) {
    auto in = FromHost<int32_t>(*client_, All(i));
    Execute(*program, {in.get()});
  }
  program.reset();
}

TEST_P(StreamsClientTest, MoreKernelsThanMayBeInFlight) {
  TENON_START();
  auto program =
      Compile(*client_, ImageOf([](RunContext* context, const RunBuffer* args,
                                   const RunBuffer* results, void*) -> int32_t {
        int32_t code = AddOne(context, args, results, nullptr);
        for (int i = 1; i < 3000 && code == 0; ++i) {
          code = LaunchAddScalar(context, results[0].data, 1, results[0].data, kSize);
        }
        return code;
      }));
  auto in = FromHost<int32_t>(*client_, All(0));
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(3000));
}

TEST_P(StreamsClientTest, ArgumentsAndResultsMayBeInHostMemory) {
  TENON_START();
  auto first = FromHost<int32_t>(*client_, All(1));
  for (const char* result_kind : {"device", "pinned_host", "unpinned_host"}) {
    Image image = AddOneImage();
    image.info.results[0].memory_kind = result_kind;
    auto program = Compile(*client_, std::move(image));
    for (pjrt::MemorySpace* memory : client_->addressable_memories()) {
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
  auto program = Compile(*client_, std::move(image));
  for (pjrt::MemorySpace* memory : client_->addressable_memories()) {
    auto in = first->CopyToMemory(memory);
    ASSERT_TRUE(in.ok());
    EXPECT_EQ(Values<int32_t>(*Execute(*program, {in->get()}).outputs[0]), All(2));
  }
}

// A handler that reads and writes host memory.
inline ffi::Error* Double(ffi::CallFrame* frame) {
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

TEST_P(StreamsClientTest, CustomCallsRunOnTheHost) {
  TENON_START();
  static const bool registered =
      ffi::Registry::Global()
          .RegisterHandler("double", "cpu", {nullptr, nullptr, nullptr, Double})
          .ok();
  ASSERT_TRUE(registered);
  Image image = ImageOf([](RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void* arena) -> int32_t {
    // result = 2 (a + 1) + 1, with the operand in the arena.
    const RunBuffer sum = {arena, nullptr};
    if (int32_t code = AddOne(context, args, &sum, nullptr)) return code;
    if (int32_t code = context->table->call_ffi(context, 0, &sum, results)) {
      return code;
    }
    return AddOne(context, results, results, nullptr);
  });
  image.code_objects[0].arena_bytes = kSize * 4;
  ImageFfiCall& call = image.info.ffi_calls.emplace_back();
  call.target = "double";
  call.operands = call.results = image.info.results;
  auto program = Compile(*client_, std::move(image));
  auto add_one = Compile(*client_, AddOneImage());
  auto in = FromHost<int32_t>(*client_, All(4));
  Executed run = Execute(*program, {in.get()});
  Executed next = Execute(*add_one, {run.outputs[0].get()});
  EXPECT_EQ(Values<int32_t>(*next.outputs[0]), All(12));
}

TEST_P(StreamsClientTest, AFullMemoryIsAnErrorThatPasses) {
  TENON_START({{"memory_limit", int64_t{4096}}});
  const auto nothing = [](RunContext*, const RunBuffer*, const RunBuffer*,
                          void*) -> int32_t { return 0; };
  Image image = ImageOf(nothing);
  image.info.results = {TensorOf(ElementType::kS32, {2000})};
  auto large = Compile(*client_, image);
  // Its argument never gets memory, so its kernel must not run.
  image = ImageOf([](RunContext* context, const RunBuffer* args, const RunBuffer* results,
                     void*) -> int32_t {
    return LaunchAddScalar(context, args[0].data, 1, results[0].data, kSize);
  });
  image.info.parameters = {TensorOf(ElementType::kS32, {2000})};
  auto follower = Compile(*client_, image);
  auto in = FromHost<int32_t>(*client_, All(1));
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
  auto small = Compile(*client_, AddOneImage());
  EXPECT_EQ(Values<int32_t>(*Execute(*small, {in.get()}).outputs[0]), All(2));
  Image arena = AddOneImage();
  arena.code_objects[0].arena_bytes = 8000;
  Executed without = Execute(*Compile(*client_, std::move(arena)), {in.get()});
  EXPECT_EQ(without.done.Await().code(), StatusCode::kResourceExhausted);
}

TEST_P(StreamsClientTest, ArraysMoveBetweenDevices) {
  StartTwo();
  if (!client_) return;
  auto program = Compile(*client_, AddOneImage());
  auto in = FromHost<int32_t>(*client_, All(1), 1);
  EXPECT_EQ(Values<int32_t>(*in), All(1));
  auto there = in->CopyToMemory(client_->devices()[0]->default_memory());
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {there->get()}).outputs[0]), All(2));
}

TEST_P(StreamsClientTest, DevicesExchangeData) {
  StartTwo();
  if (!client_) return;
  auto program = Compile(*client_, SwapImage(GetParam().kernels()));
  for (int run = 0; run < 5; ++run) {
    auto first = FromHost<int32_t>(*client_, All(10), 0);
    auto second = FromHost<int32_t>(*client_, All(20), 1);
    std::vector<std::unique_ptr<Buffer>> out;
    const Status status = pjrt::ExecuteOnAll(*program, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Values<int32_t>(*out[0]), All(22));
    EXPECT_EQ(Values<int32_t>(*out[1]), All(12));
  }
}

TEST_P(StreamsClientTest, TracesHaveTheKernelsOfTheDevice) {
  TENON_START();
  Image image = ImageOf([](RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void*) -> int32_t {
    if (int32_t code = AddOne(context, args, results, nullptr)) return code;
    const uint64_t arguments[] = {Word(results[0].data), Word(results[0].data),
                                  Word(results[0].data), kSize};
    return context->table->launch(context, kAdd, arguments, 2);
  });
  image.code_objects[0].kernels = {{"sum", "", ""}, {"shift", "", ""}};
  auto program = Compile(*client_, std::move(image));
  auto in = FromHost<int32_t>(*client_, All(1));
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
  // Clocks differ by a little, and are compared some time after the mark is reached.
  constexpr int64_t kSlack = 50'000'000;
  EXPECT_GE(kernels[0].start_ns, start - kSlack);
  EXPECT_LE(kernels[0].start_ns, kernels[0].end_ns);
  EXPECT_LE(kernels[0].end_ns, kernels[1].start_ns);
  EXPECT_LE(kernels[1].end_ns, end + kSlack);
  EXPECT_EQ(runs[0].start_ns, kernels[0].start_ns);
  EXPECT_EQ(runs[0].end_ns, kernels[1].end_ns);
}

TEST_P(StreamsClientTest, TwoClientsAreIndependent) {
  TENON_START();
  std::unique_ptr<pjrt::LocalClient> first = std::move(client_);
  TENON_START();
  auto one = Compile(*first, AddOneImage());
  auto two = Compile(*client_, AddOneImage());
  auto in_one = FromHost<int32_t>(*first, All(1));
  auto in_two = FromHost<int32_t>(*client_, All(2));
  Executed run_one = Execute(*one, {in_one.get()}),
           run_two = Execute(*two, {in_two.get()});
  EXPECT_EQ(Values<int32_t>(*run_one.outputs[0]), All(2));
  run_one.outputs.clear();
  in_one.reset();
  one.reset();
  first.reset();
  EXPECT_EQ(Values<int32_t>(*run_two.outputs[0]), All(3));
}

// Another library's part is played by a stream that waits for a result, and a view of its
// memory that is ready when the stream has come so far.
TEST_P(StreamsClientTest, StreamsOfOthersWaitForResultsAndViewsForStreams) {
  TENON_START();
  const auto stream = client_->devices()[0]->GetExternalStream();
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  ASSERT_NE(*stream, 0);
  EXPECT_EQ(*client_->devices()[0]->GetExternalStream(), *stream);
  auto program = Compile(*client_, AddOneImage());
  auto in = FromHost<int32_t>(*client_, All(0));
  for (int length : {1, 200}) {
    std::vector<Executed> runs;
    for (int i = 0; i < length; ++i) {
      Buffer* last = runs.empty() ? in.get() : runs.back().outputs[0].get();
      runs.push_back(Execute(*program, {last}));
    }
    Buffer& result = *runs.back().outputs[0];
    const Status waits = result.WaitOnStream(*stream);
    ASSERT_TRUE(waits.ok()) << waits.ToString();
    bool released = false;
    const int64_t dims[] = {kSize};
    auto view = client_->CreateViewOfDeviceBuffer(
        reinterpret_cast<void*>(*result.UnsafePointer()),
        {ElementType::kS32, dims, std::nullopt}, result.memory(), *stream,
        [&] { released = true; });
    ASSERT_TRUE(view.ok()) << view.status().ToString();
    Executed next = Execute(*program, {view->get()});
    EXPECT_EQ(Values<int32_t>(*next.outputs[0]), All(length + 1));
    EXPECT_TRUE(next.done.Await().ok());
    view->reset();
    next.outputs.clear();
    EXPECT_TRUE(released);
    result.Delete();
    EXPECT_EQ(result.WaitOnStream(*stream).code(), StatusCode::kInvalidArgument);
  }
}

#undef TENON_START

}  // namespace tenon::streams::testing

#endif  // TENON_DEVICES_STREAMS_CLIENT_TESTS_H_
