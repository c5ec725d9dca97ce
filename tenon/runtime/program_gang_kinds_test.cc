// A gang that meets in collectives of all kinds, with arrays that are large enough for
// the compute team. Meant for ThreadSanitizer, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <future>
#include <limits>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "tenon/executable/testing.h"
#include "tenon/runtime/program_gang.h"

namespace tenon::runtime {
namespace {

using testing::ImageOf;
using testing::TensorOf;

constexpr int kDevices = 8;
constexpr int kIterations = 3;
constexpr int kElements = 4096, kPart = kElements / kDevices, kTile = 512;
using Array = std::array<uint32_t, kElements>;
using Part = std::array<uint32_t, kPart>;
using HalfArray = std::array<uint32_t, kElements / 2>;

const FloatMode kMode = {.enter = [](bool) -> uint64_t { return 0; },
                         .leave = [](uint64_t) {}};

void Add(RunContext*, const void* a, const void* b, void* result) {
  for (int i = 0; i < kTile; ++i) {
    static_cast<uint32_t*>(result)[i] =
        static_cast<const uint32_t*>(a)[i] + static_cast<const uint32_t*>(b)[i];
  }
}

// The arena of a device. The addresses are those of shared segments, if there are any.
struct Arena {
  int64_t state;
  Array* shared_sum;
  HalfArray* shared_gathered;
  Array value, sum, exchanged, moved, sent, rows;
  Part part;
  HalfArray gathered;
  std::array<int32_t, kDevices> starts, sizes, places;
};

void Update(Arena& a, const Array& sum, const HalfArray& gathered) {
  for (size_t i = 0; i < kElements; ++i) {
    a.value[i] = 3 * a.value[i] + sum[i] + 5 * a.exchanged[i] + 7 * a.sent[i] +
                 11 * a.rows[i] + a.part[i % kPart] + gathered[i % gathered.size()];
  }
}

// The sites of an iteration, in the order of the program.
enum Site {
  kReduce,
  kScatter,
  kGather,
  kExchange,
  kPermute,
  kBroadcast,
  kRagged,
  kSites
};

// With kShared, the members of a group have the results of kReduce and kGather in common.
template <bool kShared>
int32_t RunSites(RunContext* context, const RunBuffer* args, const RunBuffer* results,
                 void* memory) {
  Arena& a = *static_cast<Arena*>(memory);
  static_assert(offsetof(Arena, shared_sum) == kSegmentAddressesOffset);
  const auto of = [](auto& array) { return RunBuffer{array.data(), nullptr}; };
  Array& sum = kShared ? *a.shared_sum : a.sum;
  HalfArray& gathered = kShared ? *a.shared_gathered : a.gathered;
  if (a.state == 0) {
    std::copy_n(static_cast<const uint32_t*>(args[0].data), kElements, a.value.data());
    for (int32_t i = 0; i < kDevices; ++i) {
      a.starts[static_cast<size_t>(i)] = i * kPart;
      a.sizes[static_cast<size_t>(i)] = kPart;
      a.places[static_cast<size_t>(i)] = context->partition_id * kPart;
    }
  } else if (a.state % kSites == 0) {
    Update(a, sum, gathered);
  }
  if (a.state == int64_t{kIterations} * kSites) {
    std::copy_n(a.value.data(), kElements, static_cast<uint32_t*>(results[0].data));
    return 0;
  }
  const auto site = static_cast<Site>(a.state++ % kSites);
  std::vector<RunBuffer> in = {of(a.value)}, out = {of(a.exchanged)};
  switch (site) {
    case kReduce:
      out = {of(sum)};
      break;
    case kScatter:
      in = {of(sum)}, out = {of(a.part)};
      break;
    case kGather:
      in = {of(a.part)}, out = {of(gathered)};
      break;
    case kExchange:
      break;
    case kPermute:
      in = {of(a.exchanged)}, out = {of(a.moved)};
      break;
    case kBroadcast:
      in = {of(a.moved)}, out = {of(a.sent)};
      break;
    default:
      a.rows.fill(0);
      in = {of(a.value), of(a.rows),   of(a.starts),
            of(a.sizes), of(a.places), of(a.sizes)};
      out = {of(a.rows)};
  }
  context->table->arrive(context, site, in.data(), out.data(), Add);
  return kSuspended;
}

std::vector<ImageCollective> Sites() {
  const ImageTensor whole = TensorOf(ElementType::kU32, {kElements});
  const ImageTensor part = TensorOf(ElementType::kU32, {kPart});
  const ImageTensor numbers = TensorOf(ElementType::kS32, {kDevices});
  std::vector<ImageCollective> sites(kSites);
  for (ImageCollective& site : sites) {
    site.groups = {{0, 1, 2, 3, 4, 5, 6, 7}};
    site.operands = site.results = {whole};
  }
  sites[kReduce].groups = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  sites[kReduce].tile_elements = sites[kScatter].tile_elements = kTile;
  sites[kScatter].kind = CollectiveKind::kReduceScatter;
  sites[kScatter].results = {part};
  sites[kGather].kind = CollectiveKind::kAllGather;
  sites[kGather].groups = {{0, 2, 4, 6}, {1, 3, 5, 7}};
  sites[kGather].operands = {part};
  sites[kGather].results = {TensorOf(ElementType::kU32, {kElements / 2})};
  sites[kExchange].kind = CollectiveKind::kAllToAll;
  sites[kPermute].kind = CollectiveKind::kPermute;
  sites[kPermute].groups.clear();
  for (int64_t d = 0; d + 1 < kDevices; ++d) sites[kPermute].groups.push_back({d, d + 1});
  sites[kBroadcast].kind = CollectiveKind::kBroadcast;
  sites[kBroadcast].groups = {{3, 0, 1, 2}, {7, 4, 5, 6}};
  sites[kRagged].kind = CollectiveKind::kRaggedAllToAll;
  sites[kRagged].operands = {whole, whole, numbers, numbers, numbers, numbers};
  return sites;
}

// What the iterations do, device by device.
void Model(std::vector<Arena>& devices) {
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (size_t d = 0; d < kDevices; ++d) {
      Arena& a = devices[d];
      for (size_t i = 0; i < kElements; ++i) {
        a.sum[i] = 0;
        for (size_t m = d / 4 * 4; m < d / 4 * 4 + 4; ++m) {
          a.sum[i] += devices[m].value[i];
        }
        a.exchanged[i] = a.rows[i] = devices[i / kPart].value[d * kPart + i % kPart];
      }
    }
    for (size_t d = 0; d < kDevices; ++d) {
      for (size_t i = 0; i < kPart; ++i) {
        devices[d].part[i] =
            4 * (devices[0].sum[d * kPart + i] + devices[4].sum[d * kPart + i]);
      }
      devices[d].moved = d > 0 ? devices[d - 1].exchanged : Array{};
    }
    for (size_t d = 0; d < kDevices; ++d) {
      for (size_t i = 0; i < kElements / 2; ++i) {
        devices[d].gathered[i] = devices[i / kPart * 2 + d % 2].part[i % kPart];
      }
      devices[d].sent = devices[d / 4 * 4 + 3].moved;
    }
    for (Arena& a : devices) Update(a, a.sum, a.gathered);
  }
}

class ProgramGangKindsTest : public ::testing::TestWithParam<std::tuple<int, bool>> {};
INSTANTIATE_TEST_SUITE_P(ThreadsAndSharing, ProgramGangKindsTest,
                         ::testing::Combine(::testing::Values(1, 2, 16),
                                            ::testing::Bool()));

TEST_P(ProgramGangKindsTest, TwoGangsAtATimeGiveWhatTheModelGives) {
  const auto [threads, shared] = GetParam();
  Image image = ImageOf(shared ? RunSites<true> : RunSites<false>);
  image.info.num_partitions = kDevices;
  image.info.collectives = Sites();
  image.code_objects[0].arena_bytes = sizeof(Arena);
  if (shared) {
    image.code_objects[0].shared_segments = {{kReduce, sizeof(Array)},
                                             {kGather, sizeof(HalfArray)}};
  }
  image.code_objects[0].estimated_nanoseconds = std::numeric_limits<double>::infinity();
  auto loaded = LoadImage(std::move(image), testing::TestMachine());
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  auto program = Program::Create(*loaded, "test");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  RuntimeOptions options{.float_mode = kMode};
  options.team.num_threads = threads;
  Runtime runtime(options);

  std::vector<Array> in(kDevices);
  std::vector<Arena> model(kDevices);
  for (size_t d = 0; d < kDevices; ++d) {
    for (size_t i = 0; i < kElements; ++i) {
      in[d][i] = static_cast<uint32_t>(d * 1000003 + i * 7919);
    }
    model[d].value = in[d];
  }
  Model(model);
  const auto run = [&] {
    for (int repetition = 0; repetition < 5; ++repetition) {
      std::vector<Array> out(kDevices);
      std::vector<RunBuffer> args(kDevices), results(kDevices);
      std::vector<GangMember> members(kDevices);
      for (size_t d = 0; d < kDevices; ++d) {
        args[d] = {in[d].data(), nullptr};
        results[d] = {out[d].data(), nullptr};
        members[d] = {.args = &args[d], .results = &results[d], .ids = {}};
        members[d].ids.partition_id = static_cast<int32_t>(d);
      }
      std::promise<Status> ended;
      StartGang(*program, runtime, std::move(members), {},
                [&](Status result) { ended.set_value(std::move(result)); });
      const Status status = ended.get_future().get();
      EXPECT_TRUE(status.ok()) << status.ToString();
      for (size_t d = 0; d < kDevices; ++d) EXPECT_EQ(out[d], model[d].value) << d;
    }
  };
  std::thread other(run);
  run();
  other.join();
}

}  // namespace
}  // namespace tenon::runtime
