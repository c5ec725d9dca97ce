// Gangs whose devices belong to several processes, which are objects of this process.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "tenon/executable/testing.h"
#include "tenon/runtime/exchange_testing.h"
#include "tenon/runtime/program_gang.h"

namespace tenon::runtime {
namespace {

constexpr int kDevices = 8;
constexpr int kSteps = 6;

const FloatMode kMode = {.enter = [](bool) -> uint64_t { return 0; },
                         .leave = [](uint64_t) {}};

// The sum depends on the order.
void Add(RunContext*, const void* a, const void* b, void* result) {
  *static_cast<float*>(result) =
      *static_cast<const float*>(a) + *static_cast<const float*>(b);
}

struct Arena {
  int64_t state;
  float value, sum;
};

// Sums up in turn over all devices (site 0) and over halves (site 1). A negative argument
// fails in the middle.
int32_t Work(RunContext* context, const RunBuffer* args, const RunBuffer* results,
             void* memory) {
  Arena& arena = *static_cast<Arena*>(memory);
  const float argument = *static_cast<const float*>(args[0].data);
  if (arena.state == 0) {
    arena.value = argument;
  } else {
    arena.value = arena.value * 0.5f + arena.sum;
  }
  if (argument < 0 && arena.state == kSteps / 2) return 9;  // FAILED_PRECONDITION
  if (arena.state == kSteps) {
    *static_cast<float*>(results[0].data) = arena.value;
    return 0;
  }
  const int64_t site = arena.state++ % 2;
  const RunBuffer input = {&arena.value, nullptr}, output = {&arena.sum, nullptr};
  context->table->arrive(context, site, &input, &output, Add);
  return kSuspended;
}

std::shared_ptr<const Program> Load(double nanoseconds) {
  Image image = tenon::testing::ImageOf(Work);
  image.info.num_partitions = kDevices;
  ImageCollective site;
  site.groups = {{0, 1, 2, 3, 4, 5, 6, 7}};
  site.operands = site.results = {tenon::testing::TensorOf(ElementType::kF32, {})};
  site.tile_elements = 1;
  ImageCollective halves = site;
  halves.groups = {{0, 3, 5, 6}, {7, 4, 2, 1}};
  image.info.collectives = {site, halves};
  image.code_objects[0].arena_bytes = 64;
  image.code_objects[0].estimated_nanoseconds = nanoseconds;
  auto loaded = LoadImage(std::move(image), tenon::testing::TestMachine());
  auto program = Program::Create(*loaded, "test");
  EXPECT_TRUE(program.ok());
  return *program;
}

struct Process {
  std::unique_ptr<Exchanges> exchanges;
  std::vector<int> devices;
  std::vector<float> in, out;
  std::vector<RunBuffer> args, results;
  std::promise<Status> ended;
};

class SharedGangTest : public ::testing::TestWithParam<int> {
 protected:
  SharedGangTest() : runtime_(Options()) {}
  static RuntimeOptions Options() {
    RuntimeOptions options{.float_mode = kMode};
    options.team.num_threads = GetParam();
    return options;
  }

  // Runs the program on processes; returns their statuses and all results.
  std::vector<Status> Run(const std::vector<int32_t>& process_of, std::vector<float> in,
                          std::vector<float>& out, double nanoseconds = 1e6) {
    const auto program = Load(nanoseconds);
    const auto placement = std::make_shared<const std::vector<int32_t>>(process_of);
    testing::Network network;
    std::vector<Process> processes(kDevices);
    for (int d = 0; d < kDevices; ++d) {
      Process& process = processes[static_cast<size_t>(process_of[d])];
      process.devices.push_back(d);
      process.in.push_back(in[static_cast<size_t>(d)]);
      process.out.push_back(0);
    }
    std::erase_if(processes, [](const Process& p) { return p.devices.empty(); });
    for (size_t p = 0; p < processes.size(); ++p) {
      processes[p].exchanges = network.Process(static_cast<int>(p));
    }
    for (size_t p = 0; p < processes.size(); ++p) {
      Process& process = processes[p];
      std::vector<GangMember> members(process.devices.size());
      for (size_t i = 0; i < members.size(); ++i) {
        process.args.push_back({&process.in[i], nullptr});
        process.results.push_back({&process.out[i], nullptr});
      }
      for (size_t i = 0; i < members.size(); ++i) {
        members[i] = {
            .args = &process.args[i], .results = &process.results[i], .ids = {}};
        members[i].ids.partition_id = process.devices[i];
      }
      StartGang(program, runtime_, std::move(members),
                {.processes = process.exchanges.get(),
                 .key = process.exchanges->BeginRun(1),
                 .process = static_cast<int>(p),
                 .process_of = placement},
                [&](Status status) { process.ended.set_value(std::move(status)); });
    }
    std::vector<Status> statuses;
    out.assign(kDevices, 0);
    for (Process& process : processes) {
      statuses.push_back(process.ended.get_future().get());
      for (size_t i = 0; i < process.devices.size(); ++i) {
        out[static_cast<size_t>(process.devices[i])] = process.out[i];
      }
    }
    return statuses;
  }

  Runtime runtime_;
};

std::vector<float> Inputs() {
  std::vector<float> in;
  for (int d = 0; d < kDevices; ++d)
    in.push_back(1.1f + 1000.0f * static_cast<float>(d * d));
  return in;
}

TEST_P(SharedGangTest, EverySplitGivesTheSameBits) {
  std::vector<float> expected, found;
  ASSERT_TRUE(Run({0, 0, 0, 0, 0, 0, 0, 0}, Inputs(), expected)[0].ok());
  const std::vector<std::vector<int32_t>> splits = {{0, 0, 0, 0, 1, 1, 1, 1},
                                                    {0, 1, 0, 1, 0, 1, 0, 1},
                                                    {0, 0, 1, 1, 2, 2, 3, 3},
                                                    {0, 1, 2, 3, 4, 5, 6, 7},
                                                    {2, 0, 0, 1, 2, 2, 0, 0}};
  for (const std::vector<int32_t>& split : splits) {
    for (double nanoseconds : {100.0, 1e6}) {
      for (const Status& status : Run(split, Inputs(), found, nanoseconds)) {
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
      EXPECT_EQ(found, expected);
    }
  }
}

TEST_P(SharedGangTest, AFailureEndsTheRunInAllProcesses) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<float> in = Inputs(), out;
    in[5] = -1;
    const auto statuses = Run({0, 0, 1, 1, 2, 2, 3, 3}, in, out);
    for (size_t p = 0; p < statuses.size(); ++p) {
      EXPECT_EQ(statuses[p].code(), StatusCode::kFailedPrecondition);
      if (p != 2) {
        EXPECT_NE(statuses[p].message().find("process 2: "), std::string::npos)
            << statuses[p].message();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, SharedGangTest, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace tenon::runtime
