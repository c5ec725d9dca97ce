// Collectives against loops over single elements.
#include "tenon/runtime/collectives.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>

#include "tenon/executable/testing.h"

namespace tenon::runtime {
namespace {

using testing::TensorOf;

// Serial, in reverse order.
void Backwards(int64_t count, const std::function<void(int64_t)>& body) {
  while (count-- > 0) body(count);
}

struct Group {
  Group(const ImageCollective& collective, size_t size)
      : site(collective), members(size) {
    for (CollectiveBuffers& member : members) {
      for (const ImageTensor& tensor : site.operands) {
        member.inputs.push_back(New(tensor));
      }
      for (const ImageTensor& tensor : site.results) {
        member.outputs.push_back(New(tensor));
      }
    }
  }
  // 64-byte aligned, as buffers of programs are.
  void* New(const ImageTensor& tensor) {
    const auto size = static_cast<size_t>((tensor.ByteSize() + 64) / 64 * 64);
    void* data = std::aligned_alloc(64, size);
    std::memset(data, 0xab, size);
    owned.emplace_back(data, std::free);
    return data;
  }
  template <typename T>
  T* In(size_t member, size_t operand = 0) {
    return static_cast<T*>(const_cast<void*>(members[member].inputs[operand]));
  }
  template <typename T>
  T* Out(size_t member, size_t operand = 0) {
    return static_cast<T*>(members[member].outputs[operand]);
  }
  void Perform(Combiner combiner = nullptr, std::vector<int32_t> sources = {}) {
    status = PerformCollective(site, members, sources, combiner, nullptr, Backwards);
  }

  ImageCollective site;
  Status status;  // of Perform
  std::vector<CollectiveBuffers> members;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> owned;
};

ImageCollective Site(CollectiveKind kind, ImageTensor operand, ImageTensor result,
                     int64_t dim = 0, int64_t concat = 0) {
  ImageCollective site;
  site.kind = kind;
  site.operands = {std::move(operand)};
  site.results = {std::move(result)};
  site.dimension = dim;
  site.concat_dimension = concat;
  return site;
}

// Not associative, so that the result shows the order: a and b give "a * 3 + b".
constexpr int64_t kTile = 16;
void Combine(RunContext*, const void* a, const void* b, void* result) {
  for (int64_t i = 0; i < kTile; ++i) {
    static_cast<int32_t*>(result)[i] =
        static_cast<const int32_t*>(a)[i] * 3 + static_cast<const int32_t*>(b)[i];
  }
}

int32_t Tree(const std::vector<int32_t>& values, size_t low, size_t high) {
  if (high - low == 1) return values[low];
  size_t half = 1;
  while (half * 2 < high - low) half *= 2;
  return Tree(values, low, low + half) * 3 + Tree(values, low + half, high);
}

class ReductionTest : public ::testing::TestWithParam<std::tuple<int, int>> {};
INSTANTIATE_TEST_SUITE_P(CollectivesTest, ReductionTest,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5, 8, 13),
                                            ::testing::Values(16, 17, 160, 10007)));

TEST_P(ReductionTest, AllReduceCombinesInABalancedTree) {
  const auto [count, elements] = GetParam();
  const ImageTensor tensor = TensorOf(ElementType::kS32, {elements});
  ImageCollective site = Site(CollectiveKind::kAllReduce, tensor, tensor);
  site.tile_elements = kTile;
  Group group(site, static_cast<size_t>(count));
  for (int m = 0; m < count; ++m) {
    for (int i = 0; i < elements; ++i) {
      group.In<int32_t>(static_cast<size_t>(m))[i] = m * 7 + i;
    }
  }
  group.Perform(Combine);
  for (int i = 0; i < elements; ++i) {
    std::vector<int32_t> values;
    for (int m = 0; m < count; ++m) values.push_back(m * 7 + i);
    for (int m = 0; m < count; ++m) {
      ASSERT_EQ(group.Out<int32_t>(static_cast<size_t>(m))[i],
                Tree(values, 0, values.size()))
          << i;
    }
  }
}

TEST_P(ReductionTest, AllReduceInPlace) {
  const auto [count, elements] = GetParam();
  const ImageTensor tensor = TensorOf(ElementType::kS32, {elements});
  ImageCollective site = Site(CollectiveKind::kAllReduce, tensor, tensor);
  site.tile_elements = kTile;
  Group group(site, static_cast<size_t>(count)), other(site, static_cast<size_t>(count));
  for (size_t m = 0; m < group.members.size(); ++m) {
    for (int i = 0; i < elements; ++i) {
      group.In<int32_t>(m)[i] = other.In<int32_t>(m)[i] = static_cast<int32_t>(m) * 7 + i;
    }
    // Some members only: the others keep their inputs.
    if (m % 3 != 1) group.members[m].outputs[0] = group.In<int32_t>(m);
  }
  group.Perform(Combine);
  other.Perform(Combine);
  const auto bytes = static_cast<size_t>(elements) * sizeof(int32_t);
  for (size_t m = 0; m < group.members.size(); ++m) {
    EXPECT_EQ(std::memcmp(group.Out<int32_t>(m), other.Out<int32_t>(m), bytes), 0) << m;
  }
}

TEST_P(ReductionTest, ReduceScatterGivesTheSlicesOfAnAllReduce) {
  const auto [count, elements] = GetParam();
  const int64_t n = elements % 100 + 1, inner = 3;
  ImageCollective site = Site(CollectiveKind::kReduceScatter,
                              TensorOf(ElementType::kS32, {2, n * count, inner}),
                              TensorOf(ElementType::kS32, {2, n, inner}), 1);
  site.tile_elements = kTile;
  Group group(site, static_cast<size_t>(count));
  const int64_t total = 2 * n * count * inner;
  for (int m = 0; m < count; ++m) {
    for (int64_t i = 0; i < total; ++i) {
      group.In<int32_t>(static_cast<size_t>(m))[i] = static_cast<int32_t>(m * 7 + i);
    }
  }
  group.Perform(Combine);
  for (int64_t m = 0; m < count; ++m) {
    for (int64_t i = 0; i < 2 * n * inner; ++i) {
      const int64_t outer = i / (n * inner), rest = i % (n * inner);
      const int64_t whole = outer * n * count * inner + m * n * inner + rest;
      std::vector<int32_t> values;
      for (int k = 0; k < count; ++k) {
        values.push_back(static_cast<int32_t>(k * 7 + whole));
      }
      ASSERT_EQ(group.Out<int32_t>(static_cast<size_t>(m))[i],
                Tree(values, 0, values.size()));
    }
  }
}

// Rows that are longer than the piece that is copied at a time, and pieces of many rows.
TEST(CollectivesTest, AllGatherOfLargeArrays) {
  for (const auto& [outer, inner] :
       {std::pair<int64_t, int64_t>{2, 70'001}, {3'001, 37}, {1, 65'536}, {5, 16'384}}) {
    Group group(
        Site(CollectiveKind::kAllGather, TensorOf(ElementType::kU8, {outer, inner}),
             TensorOf(ElementType::kU8, {outer, 3 * inner}), 1),
        3);
    const auto value = [](size_t m, int64_t i) {
      return static_cast<uint8_t>(m * 91 + static_cast<size_t>(i) % 251);
    };
    for (size_t m = 0; m < 3; ++m) {
      for (int64_t i = 0; i < outer * inner; ++i) group.In<uint8_t>(m)[i] = value(m, i);
    }
    group.Perform();
    int64_t wrong = 0;
    for (size_t m = 0; m < 3; ++m) {
      for (int64_t i = 0; i < outer * 3 * inner; ++i) {
        const int64_t row = i / (3 * inner), column = i % (3 * inner);
        wrong += group.Out<uint8_t>(m)[i] !=
                 value(static_cast<size_t>(column / inner), row * inner + column % inner);
      }
    }
    EXPECT_EQ(wrong, 0) << outer << " x " << inner;
  }
}

// All members may have the same memory for a result that is equal for all.
TEST_P(ReductionTest, MembersShareTheOutputOfAnAllReduce) {
  const auto [count, elements] = GetParam();
  const ImageTensor tensor = TensorOf(ElementType::kS32, {elements});
  ImageCollective site = Site(CollectiveKind::kAllReduce, tensor, tensor);
  site.tile_elements = kTile;
  Group group(site, static_cast<size_t>(count)), other(site, static_cast<size_t>(count));
  for (size_t m = 0; m < group.members.size(); ++m) {
    for (int i = 0; i < elements; ++i) {
      group.In<int32_t>(m)[i] = other.In<int32_t>(m)[i] = static_cast<int32_t>(m) * 7 + i;
    }
    group.members[m].outputs = group.members[0].outputs;
  }
  group.Perform(Combine);
  other.Perform(Combine);
  EXPECT_EQ(std::memcmp(group.Out<int32_t>(0), other.Out<int32_t>(0),
                        static_cast<size_t>(elements) * sizeof(int32_t)),
            0);
}

TEST(CollectivesTest, MembersShareTheOutputOfAnAllGather) {
  Group group(Site(CollectiveKind::kAllGather, TensorOf(ElementType::kU8, {2, 3}),
                   TensorOf(ElementType::kU8, {2, 9}), 1),
              3);
  for (size_t m = 0; m < 3; ++m) {
    for (uint8_t i = 0; i < 6; ++i)
      group.In<uint8_t>(m)[i] = static_cast<uint8_t>(m * 50 + i);
    group.members[m].outputs = group.members[0].outputs;
  }
  group.Perform();
  for (size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(group.Out<uint8_t>(2)[i], i % 9 / 3 * 50 + i / 9 * 3 + i % 3);
  }
}

TEST(CollectivesTest, AllGatherJoinsAlongADimension) {
  Group group(Site(CollectiveKind::kAllGather, TensorOf(ElementType::kU8, {2, 3, 2}),
                   TensorOf(ElementType::kU8, {2, 9, 2}), 1),
              3);
  for (size_t m = 0; m < 3; ++m) {
    for (uint8_t i = 0; i < 12; ++i) {
      group.In<uint8_t>(m)[i] = static_cast<uint8_t>(m * 50 + i);
    }
  }
  group.Perform();
  for (size_t m = 0; m < 3; ++m) {
    for (size_t outer = 0; outer < 2; ++outer) {
      for (size_t from = 0; from < 3; ++from) {
        for (size_t i = 0; i < 6; ++i) {
          EXPECT_EQ(group.Out<uint8_t>(m)[outer * 18 + from * 6 + i],
                    from * 50 + outer * 6 + i);
        }
      }
    }
  }
}

TEST(CollectivesTest, AllToAllSplitsAndJoins) {
  // Every order of split and concatenated dimension, and both the same.
  for (const auto& [split, concat] :
       {std::pair{0, 2}, {2, 0}, {1, 1}, {0, 0}, {2, 2}, {1, 2}, {2, 1}}) {
    std::vector<int64_t> in{4, 4, 4}, out = in;
    out[static_cast<size_t>(split)] /= 2;
    out[static_cast<size_t>(concat)] *= 2;
    Group group(Site(CollectiveKind::kAllToAll, TensorOf(ElementType::kS16, in),
                     TensorOf(ElementType::kS16, out), split, concat),
                2);
    for (size_t m = 0; m < 2; ++m) {
      std::iota(group.In<int16_t>(m), group.In<int16_t>(m) + 64,
                static_cast<int16_t>(m * 100));
    }
    group.Perform();
    std::vector<int64_t> at(3);
    for (int64_t m = 0; m < 2; ++m) {
      int64_t position = 0;
      for (at[0] = 0; at[0] < out[0]; ++at[0]) {
        for (at[1] = 0; at[1] < out[1]; ++at[1]) {
          for (at[2] = 0; at[2] < out[2]; ++at[2], ++position) {
            std::vector<int64_t> source = at;
            const int64_t part = out[static_cast<size_t>(concat)] / 2;
            const int64_t from = at[static_cast<size_t>(concat)] / part;
            source[static_cast<size_t>(concat)] %= part;
            source[static_cast<size_t>(split)] += m * 2;
            EXPECT_EQ(group.Out<int16_t>(static_cast<size_t>(m))[position],
                      from * 100 + source[0] * 16 + source[1] * 4 + source[2])
                << split << " " << concat;
          }
        }
      }
    }
  }
}

TEST(CollectivesTest, CopiesComeFromTheSourceOrAreZeros) {
  const ImageTensor tensor = TensorOf(ElementType::kC64, {3});
  Group group(Site(CollectiveKind::kPermute, tensor, tensor), 3);
  for (size_t m = 0; m < 3; ++m) {
    for (size_t i = 0; i < 6; ++i) group.In<float>(m)[i] = static_cast<float>(m * 10 + i);
  }
  group.Perform(nullptr, {2, -1, 0});
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(group.Out<float>(0)[i], static_cast<float>(20 + i));
    EXPECT_EQ(group.Out<float>(1)[i], 0);
    EXPECT_EQ(group.Out<float>(2)[i], static_cast<float>(i));
  }
}

// The example of jax.lax.ragged_all_to_all's documentation.
TEST(CollectivesTest, RaggedRowsGoWhereTheirSendersSay) {
  const ImageTensor numbers = TensorOf(ElementType::kS64, {2});
  ImageCollective site;
  site.kind = CollectiveKind::kRaggedAllToAll;
  site.operands = {TensorOf(ElementType::kS32, {3}),
                   TensorOf(ElementType::kS32, {4}),
                   numbers,
                   numbers,
                   numbers,
                   numbers};
  site.results = {TensorOf(ElementType::kS32, {4})};
  Group group(site, 2);
  const auto set = [&]<typename T>(size_t member, size_t operand, std::vector<T> values) {
    std::copy(values.begin(), values.end(), group.In<T>(member, operand));
  };
  const std::vector<int64_t> rows[][3] = {{{0, 1}, {1, 2}, {0, 0}},
                                          {{0, 1}, {1, 1}, {1, 2}}};
  for (size_t m : {0u, 1u}) {
    set(m, 0, m ? std::vector<int32_t>{3, 4, 0} : std::vector<int32_t>{1, 2, 2});
    set(m, 1, std::vector<int32_t>{7, 7, 7, 7});
    for (size_t array : {0u, 1u, 2u}) set(m, 2 + array, rows[m][array]);
  }
  group.Perform();
  EXPECT_TRUE(group.status.ok());
  const int32_t expected[2][4] = {{1, 3, 7, 7}, {2, 2, 4, 7}};
  for (size_t m : {0u, 1u}) {
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(group.Out<int32_t>(m)[i], expected[m][i]);
  }
}

TEST(CollectivesTest, EmptyTensorsAreSkipped) {
  const ImageTensor none = TensorOf(ElementType::kF32, {0, 4});
  for (CollectiveKind kind : {CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                              CollectiveKind::kReduceScatter, CollectiveKind::kAllToAll,
                              CollectiveKind::kPermute, CollectiveKind::kBroadcast}) {
    Group(Site(kind, none, none), 2).Perform(nullptr, {0, 0});
  }
}

}  // namespace
}  // namespace tenon::runtime
