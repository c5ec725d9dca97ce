// Collectives split over processes give the bits of the same collective in one process.
#include "tenon/runtime/remote_collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "tenon/executable/testing.h"

namespace tenon::runtime {
namespace {

using testing::TensorOf;

constexpr int64_t kTile = 16;

void Serial(int64_t count, const std::function<void(int64_t)>& body) {
  for (int64_t i = 0; i < count; ++i) body(i);
}

// Float sums depend on the order, as do these products.
template <typename T>
void Combine(RunContext*, const void* a, const void* b, void* result) {
  for (int64_t i = 0; i < kTile; ++i) {
    const T x = static_cast<const T*>(a)[i], y = static_cast<const T*>(b)[i];
    if constexpr (std::is_floating_point_v<T>) {
      static_cast<T*>(result)[i] = x + y;
    } else {
      static_cast<T*>(result)[i] =
          static_cast<T>(static_cast<unsigned>(x) * 3 + static_cast<unsigned>(y));
    }
  }
}

// As code for bf16 does: computed in f32 and rounded to the nearest.
void CombineBf16(RunContext*, const void* a, const void* b, void* result) {
  const auto widen = [](uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  };
  for (int64_t i = 0; i < kTile; ++i) {
    const uint32_t sum =
        std::bit_cast<uint32_t>(widen(static_cast<const uint16_t*>(a)[i]) +
                                widen(static_cast<const uint16_t*>(b)[i]));
    static_cast<uint16_t*>(result)[i] =
        static_cast<uint16_t>((sum + 0x7fff + ((sum >> 16) & 1)) >> 16);
  }
}

struct Case {
  ImageCollective site;
  GangPlan::Group group;
  Combiner combiner = nullptr;
};

ImageTensor Tensor(ElementType type, std::vector<int64_t> dims) {
  return TensorOf(type, std::move(dims));
}

Case MakeCase(CollectiveKind kind, ElementType type, Combiner combiner, int devices,
              int64_t scale) {
  Case test;
  test.site.kind = kind;
  test.site.tile_elements = kTile;
  test.combiner = combiner;
  for (int d = 0; d < devices; ++d) test.group.members.push_back(devices - 1 - d);
  const int64_t n = devices;
  if (kind == CollectiveKind::kRaggedAllToAll) {
    const ImageTensor numbers = Tensor(ElementType::kS32, {2 * n});
    const ImageTensor output = Tensor(type, {3 * n, scale});
    test.site.operands = {
        Tensor(type, {2 * n, scale}), output, numbers, numbers, numbers, numbers};
    test.site.results = {output};
    return test;
  }
  for (int64_t inner : {int64_t{3}, scale}) {  // two operands
    ImageTensor in = Tensor(type, {2, 2 * n, inner}), out = in;
    if (kind == CollectiveKind::kAllGather) {
      out.dims[1] *= n;
      test.site.dimension = 1;
    } else if (kind == CollectiveKind::kReduceScatter) {
      out.dims[1] /= n;
      test.site.dimension = 1;
    } else if (kind == CollectiveKind::kAllToAll) {
      out.dims[1] /= n;
      out.dims[2] *= n;
      test.site.dimension = 1;
      test.site.concat_dimension = 2;
    }
    test.site.operands.push_back(in);
    test.site.results.push_back(out);
  }
  if (kind == CollectiveKind::kPermute) {
    for (int d = 0; d < devices; ++d) test.group.sources.push_back(d == 1 ? -1 : 2 * d);
    for (int32_t& source : test.group.sources) {
      if (source >= devices) source -= devices + 1 - devices % 2;
      if (source >= devices) source = 0;
    }
  } else if (kind == CollectiveKind::kBroadcast) {
    test.group.sources.assign(static_cast<size_t>(devices), 0);
  }
  return test;
}

struct Data {
  explicit Data(const Case& test) : members(test.group.members.size()) {
    std::mt19937 random(17);
    for (CollectiveBuffers& member : members) {
      for (size_t o = 0; o < test.site.operands.size(); ++o) {
        char* in = New(test.site.operands[o]);
        const ElementType type = test.site.operands[o].type;
        for (int64_t i = 0; i < test.site.operands[o].ByteSize() / ElementBytes(type);
             ++i) {
          const float value = std::ldexp(static_cast<float>(random() % 1000) - 500,
                                         static_cast<int>(random() % 20));
          if (type == ElementType::kF32) {
            std::memcpy(in + 4 * i, &value, 4);
          } else if (type == ElementType::kF64) {
            const double wide = value * 1.000000001;
            std::memcpy(in + 8 * i, &wide, 8);
          } else {
            // The upper half of a float is a bf16.
            std::memcpy(in + ElementBytes(type) * i,
                        reinterpret_cast<const char*>(&value) + 2,
                        static_cast<size_t>(std::min<int64_t>(ElementBytes(type), 2)));
          }
        }
        member.inputs.push_back(in);
        if (o < test.site.results.size()) {
          member.outputs.push_back(New(test.site.results[o]));
        }
      }
    }
    if (test.site.kind == CollectiveKind::kRaggedAllToAll) FillRagged(test);
  }
  // Random parts, which overlap in the results.
  void FillRagged(const Case& test) {
    std::mt19937 random(29);
    const auto below = [&](int64_t limit) {
      return static_cast<int32_t>(random() % static_cast<uint64_t>(limit));
    };
    const int64_t in = test.site.operands[0].dims[0], out = test.site.operands[1].dims[0];
    for (CollectiveBuffers& member : members) {
      const auto numbers = [&](size_t operand) {
        return static_cast<int32_t*>(const_cast<void*>(member.inputs[operand]));
      };
      for (int64_t i = 0; i < test.site.operands[2].dims[0]; ++i) {
        numbers(2)[i] = below(in + 1);
        numbers(3)[i] = below(in - numbers(2)[i] + 1);
        numbers(4)[i] = below(out - numbers(3)[i] + 1);
      }
    }
  }
  char* New(const ImageTensor& tensor) {
    owned.emplace_back(static_cast<size_t>(tensor.ByteSize()) + 1);
    std::memset(owned.back().data(), 0, owned.back().size());
    return owned.back().data();
  }
  std::vector<CollectiveBuffers> members;
  std::vector<AlignedBytes> owned;
};

// Runs all processes in turn.
void RunSplit(const Case& test, const std::vector<int32_t>& process_of, Data& data) {
  const int processes = *std::ranges::max_element(process_of) + 1;
  std::vector<std::optional<RemoteCollective>> parts(static_cast<size_t>(processes));
  std::vector<RemoteCollective::Messages> messages(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    std::vector<CollectiveBuffers> members(data.members.size());
    for (size_t i = 0; i < members.size(); ++i) {
      const auto device = static_cast<size_t>(test.group.members[i]);
      if (process_of[device] == static_cast<int>(p)) members[i] = data.members[i];
    }
    parts[p].emplace(test.site, test.group, process_of, static_cast<int>(p),
                     std::move(members), test.combiner, nullptr);
    messages[p] = *parts[p]->Begin(Serial);
  }
  for (int step = 0;; ++step) {
    ASSERT_LT(step, 3);
    std::map<std::pair<int, int>, AlignedBytes> sent;
    for (size_t p = 0; p < parts.size(); ++p) {
      for (auto& message : messages[p].send) {
        sent.emplace(std::pair(static_cast<int>(p), message.process),
                     std::move(message.data));
      }
    }
    bool more = false;
    for (size_t p = 0; p < parts.size(); ++p) {
      std::vector<AlignedBytes> received;
      for (const auto& expected : messages[p].receive) {
        const auto found = sent.find({expected.process, static_cast<int>(p)});
        ASSERT_NE(found, sent.end());
        ASSERT_EQ(found->second.size(), expected.size);
        received.push_back(std::move(found->second));
        sent.erase(found);
      }
      RemoteCollective::Messages next;
      more |= *parts[p]->Take(std::move(received), Serial, &next);
      messages[p] = std::move(next);
    }
    EXPECT_TRUE(sent.empty());
    if (!more) return;
  }
}

void ExpectEqualBits(const Case& test, const std::vector<int32_t>& process_of) {
  Data whole(test), split(test);
  ASSERT_TRUE(PerformCollective(test.site, whole.members, test.group.sources,
                                test.combiner, nullptr, Serial)
                  .ok());
  RunSplit(test, process_of, split);
  for (size_t m = 0; m < whole.members.size(); ++m) {
    for (size_t o = 0; o < test.site.results.size(); ++o) {
      EXPECT_EQ(std::memcmp(whole.members[m].outputs[o], split.members[m].outputs[o],
                            static_cast<size_t>(test.site.results[o].ByteSize())),
                0)
          << CollectiveName(test.site.kind) << " member " << m << " result " << o;
    }
  }
}

TEST(RemoteCollectiveTest, EverySplitGivesTheSameBits) {
  const std::pair<ElementType, Combiner> types[] = {
      {ElementType::kF32, Combine<float>}, {ElementType::kF64, Combine<double>},
      {ElementType::kBF16, CombineBf16},   {ElementType::kS32, Combine<int32_t>},
      {ElementType::kS8, Combine<int8_t>},
  };
  for (int kind = 0; kind < kNumCollectiveKinds; ++kind) {
    for (const auto& [type, combiner] : types) {
      for (int64_t scale : {0, 5, 700}) {
        for (int devices : {2, 3, 8}) {
          const Case test =
              MakeCase(static_cast<CollectiveKind>(kind), type, combiner, devices, scale);
          // Contiguous, alternating, and irregular.
          for (int processes = 2; processes <= devices; ++processes) {
            std::vector<int32_t> blocks, turns;
            for (int d = 0; d < devices; ++d) {
              blocks.push_back(d * processes / devices);
              turns.push_back(d % processes);
            }
            ExpectEqualBits(test, blocks);
            ExpectEqualBits(test, turns);
          }
          if (devices == 8) ExpectEqualBits(test, {0, 1, 1, 0, 2, 2, 2, 0});
        }
      }
    }
  }
}

// Every process checks the roots of all members.
TEST(RemoteCollectiveTest, RootsKnownAtRunTime) {
  Case test = MakeCase(CollectiveKind::kBroadcast, ElementType::kF32, nullptr, 8, 5);
  test.site.operands.push_back(Tensor(ElementType::kS32, {2}));
  const std::vector<int32_t> process_of = {0, 0, 1, 1, 1, 2, 2, 0};
  for (int32_t wrong : {0, 5, 8, -1}) {
    Data whole(test), split(test);
    for (Data* data : {&whole, &split}) {
      for (size_t m = 0; m < 8; ++m) {
        auto* roots =
            static_cast<int32_t*>(const_cast<void*>(data->members[m].inputs[2]));
        roots[0] = 6;
        roots[1] = m == 3 && wrong ? wrong : 1;
      }
    }
    const Status status = PerformCollective(test.site, whole.members, test.group.sources,
                                            nullptr, nullptr, Serial);
    EXPECT_EQ(status.ok(), wrong == 0) << wrong;
    if (!status.ok()) {
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      continue;
    }
    RunSplit(test, process_of, split);
    for (size_t m = 0; m < 8; ++m) {
      for (size_t o = 0; o < 2; ++o) {
        const auto size = static_cast<size_t>(test.site.results[o].ByteSize());
        const void* sent = whole.members[o ? 1 : 6].inputs[o];
        EXPECT_EQ(std::memcmp(whole.members[m].outputs[o], sent, size), 0);
        EXPECT_EQ(std::memcmp(split.members[m].outputs[o], sent, size), 0);
      }
    }
  }
}

TEST(RemoteCollectiveTest, RaggedPartsOutsideOfArraysAreErrors) {
  Case test = MakeCase(CollectiveKind::kRaggedAllToAll, ElementType::kF32, nullptr, 2, 5);
  const std::vector<int32_t> process_of = {0, 1};
  for (size_t operand : {2u, 3u, 4u}) {
    for (int32_t wrong : {-1, 7, 1 << 30}) {
      Data data(test);
      static_cast<int32_t*>(const_cast<void*>(data.members[0].inputs[operand]))[1] =
          wrong;
      RemoteCollective part(test.site, test.group, process_of, 1,
                            {data.members[0], CollectiveBuffers()}, nullptr, nullptr);
      EXPECT_EQ(part.Begin(Serial).status().code(), StatusCode::kInvalidArgument);
      EXPECT_EQ(
          PerformCollective(test.site, data.members, {}, nullptr, nullptr, Serial).code(),
          StatusCode::kInvalidArgument);
    }
  }
}

// Contiguous devices: a process sends one sum, not one value per device.
TEST(RemoteCollectiveTest, SumsOfOwnDevicesAreSentOnce) {
  Case test =
      MakeCase(CollectiveKind::kAllReduce, ElementType::kF32, Combine<float>, 8, 4000);
  const std::vector<int32_t> process_of = {0, 0, 0, 0, 1, 1, 1, 1};
  Data data(test);
  std::vector<CollectiveBuffers> members = data.members;
  for (size_t i = 0; i < 4; ++i) members[i] = {};  // members are in reverse order
  RemoteCollective first(test.site, test.group, process_of, 0, std::move(members),
                         test.combiner, nullptr);
  int64_t bytes = 0;
  for (const ImageTensor& operand : test.site.operands) bytes += operand.ByteSize();
  const auto messages = *first.Begin(Serial);
  ASSERT_EQ(messages.send.size(), 1u);
  EXPECT_LE(static_cast<int64_t>(messages.send[0].data.size()), bytes / 2 + 1024);
}

}  // namespace
}  // namespace tenon::runtime
