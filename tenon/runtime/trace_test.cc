#include "tenon/runtime/trace.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "tenon/executable/testing.h"
#include "tenon/runtime/program.h"

namespace tenon::runtime {
namespace {

using Kind = TraceEvent::Kind;

TraceEvent Compile(const char* name) {
  TraceEvent event;
  event.name = name;
  return event;
}

TEST(TracerTest, RecordsEventsByThreadWhileActive) {
  Tracer& tracer = Tracer::Global();
  tracer.Record(Compile("before"));
  ASSERT_TRUE(tracer.Start().ok());
  EXPECT_EQ(tracer.Start().code(), StatusCode::kFailedPrecondition);
  tracer.Record(Compile("here"));
  std::thread other([&] {
    pthread_setname_np(pthread_self(), "other");
    tracer.Record(Compile("there"));
  });
  other.join();
  std::vector<ThreadTrace> threads = tracer.Stop();
  tracer.Record(Compile("after"));
  EXPECT_TRUE(tracer.Stop().empty());
  ASSERT_EQ(threads.size(), 2u);
  ASSERT_EQ(threads[0].events.size(), 1u);
  EXPECT_EQ(threads[0].events[0].name, "here");
  EXPECT_EQ(threads[1].thread_name, "other");
  EXPECT_NE(threads[1].thread_id, threads[0].thread_id);

  ASSERT_TRUE(tracer.Start().ok());
  EXPECT_TRUE(tracer.Stop().empty());
}

TEST(TracerTest, DropsEventsBeyondTheLimit) {
  Tracer& tracer = Tracer::Global();
  ASSERT_TRUE(tracer.Start().ok());
  for (size_t i = 0; i < Tracer::kMaxEvents + 5; ++i) tracer.Record(Compile(""));
  std::vector<ThreadTrace> threads = tracer.Stop();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].events.size(), Tracer::kMaxEvents);
  EXPECT_EQ(threads[0].num_dropped, 5);
}

int marks_refused = 0;

TEST(TracerTest, RunsRecordTheirKernels) {
  Image image = testing::ImageOf(
      [](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        if (!context->trace_kernel) {
          ++marks_refused;
          return 0;
        }
        for (int64_t kernel : {1, 0, -1, 1}) context->trace_kernel(context, kernel);
        return 0;
      });
  image.code_objects[0].kernels = {{"a", "jit(f)/a", "f.py:1:1"}, {"b", "", ""}};
  auto loaded = LoadImage(std::move(image), testing::TestMachine());
  ASSERT_TRUE(loaded.ok());
  auto program = Program::Create(*loaded, "test");
  ASSERT_TRUE(program.ok());
  RuntimeOptions options{.float_mode = {.enter = [](bool) { return uint64_t{0}; },
                                        .leave = [](uint64_t) {}}};
  Runtime runtime(options);
  const RunIds ids{.run_id = 7, .device_id = 2};
  ASSERT_TRUE((*program)->Run(runtime, nullptr, nullptr, ids).ok());
  EXPECT_EQ(marks_refused, 1);

  ASSERT_TRUE(Tracer::Global().Start().ok());
  ASSERT_TRUE((*program)->Run(runtime, nullptr, nullptr, ids).ok());
  std::vector<ThreadTrace> threads = Tracer::Global().Stop();
  ASSERT_EQ(threads.size(), 1u);
  std::vector<std::pair<Kind, int64_t>> seen;
  for (const TraceEvent& event : threads[0].events) {
    seen.emplace_back(event.kind, event.index);
    EXPECT_LE(event.start_ns, event.end_ns);
    EXPECT_EQ(event.run_id, 7);
    EXPECT_EQ(event.device_id, 2);
    EXPECT_EQ(event.program->code().kernels[0].op_name, "jit(f)/a");
  }
  EXPECT_EQ(
      seen,
      (std::vector<std::pair<Kind, int64_t>>{
          {Kind::kKernel, 1}, {Kind::kKernel, 0}, {Kind::kKernel, 1}, {Kind::kRun, 0}}));
}

}  // namespace
}  // namespace tenon::runtime
