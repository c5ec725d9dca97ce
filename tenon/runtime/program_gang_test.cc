// Programs that suspend, with code of the test instead of compiled code.
#include "tenon/runtime/program_gang.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "tenon/executable/testing.h"

namespace tenon::runtime {
namespace {

using testing::ImageOf;
using testing::TensorOf;

constexpr int kDevices = 8;
constexpr int kRounds = 5;

const FloatMode kMode = {.enter = [](bool) -> uint64_t { return 0; },
                         .leave = [](uint64_t) {}};

void Add(RunContext*, const void* a, const void* b, void* result) {
  *static_cast<int32_t*>(result) =
      *static_cast<const int32_t*>(a) + *static_cast<const int32_t*>(b);
}

// The arena of a device: the state, then what is kept between the collectives.
struct Arena {
  int64_t state;
  int32_t value, sum;
};

// Adds the sum over all devices to the own value, several times.
int32_t SumRepeatedly(RunContext* context, const RunBuffer* args,
                      const RunBuffer* results, void* memory) {
  Arena& arena = *static_cast<Arena*>(memory);
  if (arena.state == 0) {
    arena.value = *static_cast<const int32_t*>(args[0].data) + context->partition_id;
  } else {
    arena.value += arena.sum;
  }
  if (arena.value < 0) return 9;  // FAILED_PRECONDITION
  if (arena.state == kRounds) {
    *static_cast<int32_t*>(results[0].data) = arena.value;
    return 0;
  }
  ++arena.state;
  const RunBuffer input = {&arena.value, nullptr}, output = {&arena.sum, nullptr};
  context->table->arrive(context, 0, &input, &output, Add);
  return kSuspended;
}

StatusOr<std::shared_ptr<const Program>> Load(double nanoseconds) {
  Image image = ImageOf(SumRepeatedly);
  image.info.num_partitions = kDevices;
  ImageCollective site;
  site.groups = {{0, 1, 2, 3, 4, 5, 6, 7}};
  site.operands = site.results = {TensorOf(ElementType::kS32, {})};
  site.tile_elements = 1;
  image.info.collectives = {site};
  image.code_objects[0].arena_bytes = 64;
  image.code_objects[0].estimated_nanoseconds = nanoseconds;
  TENON_ASSIGN_OR_RETURN(auto loaded,
                         LoadImage(std::move(image), testing::TestMachine()));
  return Program::Create(loaded, "test");
}

struct Buffers {
  std::vector<int32_t> in = std::vector<int32_t>(kDevices, 1), out = in;
  std::vector<RunBuffer> args, results;
  std::vector<GangMember> Members() {
    std::vector<GangMember> members(kDevices);
    for (size_t d = 0; d < kDevices; ++d) {
      args.push_back({&in[d], nullptr});
      results.push_back({&out[d], nullptr});
    }
    for (size_t d = 0; d < kDevices; ++d) {
      members[d] = {.args = &args[d], .results = &results[d], .ids = {}};
      members[d].ids.partition_id = static_cast<int32_t>(d);
    }
    return members;
  }
};

std::vector<int32_t> Expected() {
  std::vector<int32_t> values;
  for (int d = 0; d < kDevices; ++d) values.push_back(1 + d);
  for (int round = 0; round < kRounds; ++round) {
    int32_t sum = 0;
    for (int32_t value : values) sum += value;
    for (int32_t& value : values) value += sum;
  }
  return values;
}

Status RunAndWait(const std::shared_ptr<const Program>& program, Runtime& runtime,
                  Buffers& buffers) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  Status result;
  StartGang(program, runtime, buffers.Members(), {}, [&](Status status) {
    std::lock_guard lock(mutex);
    result = std::move(status);
    ended = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended; });
  return result;
}

class ProgramGangTest : public ::testing::TestWithParam<int> {
 protected:
  ProgramGangTest() : runtime_(Options()) {}
  static RuntimeOptions Options() {
    RuntimeOptions options{.float_mode = kMode};
    options.team.num_threads = GetParam();
    return options;
  }
  Runtime runtime_;
};
INSTANTIATE_TEST_SUITE_P(Threads, ProgramGangTest, ::testing::Values(1, 2, 16));

TEST_P(ProgramGangTest, AllDevicesGetTheSums) {
  auto program = Load(std::numeric_limits<double>::infinity());
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  for (int i = 0; i < 100; ++i) {
    Buffers buffers;
    const Status status = RunAndWait(*program, runtime_, buffers);
    EXPECT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(buffers.out, Expected());
  }
  EXPECT_EQ(runtime_.allocator().stats().in_use, 0);
}

TEST_P(ProgramGangTest, GangsRunAtTheSameTime) {
  auto program = Load(std::numeric_limits<double>::infinity());
  ASSERT_TRUE(program.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Buffers buffers;
        EXPECT_TRUE(RunAndWait(*program, runtime_, buffers).ok());
        EXPECT_EQ(buffers.out, Expected());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ProgramGangTest, ShortProgramsRunOnTheCallersThread) {
  auto program = Load(100);
  ASSERT_TRUE(program.ok());
  EXPECT_TRUE((*program)->RunsGangInline());
  Buffers buffers;
  const Status status = RunGang(*program, runtime_, buffers.Members());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(buffers.out, Expected());
}

TEST_P(ProgramGangTest, OneErrorEndsAllDevices) {
  auto program = Load(std::numeric_limits<double>::infinity());
  ASSERT_TRUE(program.ok());
  EXPECT_FALSE((*program)->RunsGangInline());
  Buffers buffers;
  buffers.in[5] = -100;
  EXPECT_EQ(RunAndWait(*program, runtime_, buffers).ToString(),
            "FAILED_PRECONDITION: program 'test' failed");
  EXPECT_EQ(runtime_.allocator().stats().in_use, 0);
}

TEST_P(ProgramGangTest, AMemberAloneIsAnError) {
  auto program = Load(100);
  ASSERT_TRUE(program.ok());
  Buffers buffers;
  std::vector<GangMember> members = buffers.Members();
  EXPECT_EQ((*program)->Run(runtime_, members[0].args, members[0].results, {}).code(),
            StatusCode::kInternal);
  members.pop_back();
  EXPECT_EQ(RunGang(*program, runtime_, members).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace tenon::runtime
