// Products of many shapes, strides and types against plain loops. Operands are small
// integers, so results are compared exactly.
#include "tenon/compiler/codegen/contract/contract.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "gtest/gtest.h"
#include "tenon/compiler/codegen/contract/contract_jit.h"
#include "tenon/compiler/codegen/contract/element_memory.h"
#include "tenon/compiler/codegen/contract/test_tensor.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {
namespace {

ContractSpec Dense(int64_t batch, int64_t m, int64_t n, int64_t k,
                   bool lhs_transposed = false, bool rhs_transposed = false,
                   ElementType type = ElementType::kF32) {
  ContractSpec spec;
  spec.batch = batch, spec.m = m, spec.n = n, spec.k = k;
  spec.lhs_type = spec.rhs_type = spec.out_type = type;
  spec.lhs = lhs_transposed ? ContractStrides{m * k, 1, m} : ContractStrides{m * k, k, 1};
  spec.rhs = rhs_transposed ? ContractStrides{k * n, 1, k} : ContractStrides{k * n, n, 1};
  spec.out = {m * n, n, 1};
  return spec;
}

// The number of elements from the first to the last one; strides are not negative here.
int64_t Extent(const ContractStrides& s, int64_t batch, int64_t rows, int64_t cols) {
  if (batch == 0 || rows == 0 || cols == 0) return 0;
  return (batch - 1) * s.batch + (rows - 1) * s.row + (cols - 1) * s.col + 1;
}

TargetTraits Traits(int bits, int registers) {
  TargetTraits traits = HostTraits();
  traits.vector_bits = bits;
  traits.vector_registers = registers;
  return traits;
}

std::string Describe(const ContractSpec& spec) {
  auto strides = [](const ContractStrides& s) {
    return "(" + std::to_string(s.batch) + "," + std::to_string(s.row) + "," +
           std::to_string(s.col) + ")";
  };
  return "b" + std::to_string(spec.batch) + " m" + std::to_string(spec.m) + " n" +
         std::to_string(spec.n) + " k" + std::to_string(spec.k) + " " +
         std::string(ElementTypeName(spec.lhs_type)) + "x" +
         std::string(ElementTypeName(spec.rhs_type)) + "->" +
         std::string(ElementTypeName(spec.out_type)) + " lhs" + strides(spec.lhs) +
         " rhs" + strides(spec.rhs) + " out" + strides(spec.out);
}

Number Expected(const ContractSpec& spec, const TestTensor& lhs, const TestTensor& rhs,
                int64_t b, int64_t m, int64_t n) {
  Number sum = 0;
  for (int64_t k = 0; k < spec.k; ++k)
    sum += lhs.Get(b * spec.lhs.batch + m * spec.lhs.row + k * spec.lhs.col) *
           rhs.Get(b * spec.rhs.batch + k * spec.rhs.row + n * spec.rhs.col);
  return sum;
}

void Check(const ContractSpec& spec, const TargetTraits& target, int threads = 1) {
  SCOPED_TRACE(Describe(spec) + " " + std::to_string(target.vector_bits));
  auto kernel = JitKernel::Make(spec, target);
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  TestTensor lhs(spec.lhs_type, Extent(spec.lhs, spec.batch, spec.m, spec.k));
  TestTensor rhs(spec.rhs_type, Extent(spec.rhs, spec.batch, spec.k, spec.n));
  int64_t out_count = Extent(spec.out, spec.batch, spec.m, spec.n);
  TestTensor out(spec.out_type, out_count), expected(spec.out_type, out_count);
  lhs.FillSmall(1);
  rhs.FillSmall(2);
  for (int64_t b = 0; b < spec.batch; ++b)
    for (int64_t m = 0; m < spec.m; ++m)
      for (int64_t n = 0; n < spec.n; ++n)
        expected.Set(b * spec.out.batch + m * spec.out.row + n * spec.out.col,
                     Expected(spec, lhs, rhs, b, m, n));
  kernel->Run(lhs.data(), rhs.data(), out.data(), threads);
  // Compares every byte: the memory between the elements must be unchanged.
  if (std::memcmp(out.data(), expected.data(), out_count * ElementBytes(spec.out_type)) ==
      0)
    return;
  int shown = 0;
  for (int64_t i = 0; i < out_count && shown < 4; ++i)
    if (out.Get(i) != expected.Get(i))
      ADD_FAILURE() << "element " << i << " is " << out.Get(i) << ", not "
                    << expected.Get(i) << (++shown, "");
  if (shown == 0) ADD_FAILURE() << "bytes differ (negative zero or NaN)";
}

TEST(ContractTest, SmallSquareMatrices) {
  for (int64_t n = 1; n <= 40; n += 3) Check(Dense(1, n, n, n), HostTraits());
}

TEST(ContractTest, OddShapes) {
  const int64_t shapes[][3] = {
      {1, 1, 1},      {1, 100, 7},    {100, 1, 7},   {3, 5, 0},
      {15, 33, 17},   {29, 65, 3},    {14, 32, 100}, {64, 64, 64},
      {97, 101, 103}, {5, 200, 31},   {200, 5, 31},  {43, 3, 300},
      {2, 2, 1000},   {130, 260, 70}, {1, 16, 2000}, {16, 1, 2000}};
  for (auto [m, n, k] : shapes)
    for (bool lhs : {false, true})
      for (bool rhs : {false, true}) Check(Dense(1, m, n, k, lhs, rhs), HostTraits());
}

TEST(ContractTest, NarrowerVectors) {
  for (auto [bits, registers] :
       {std::pair(256, 16), std::pair(128, 16), std::pair(128, 32)})
    for (auto [m, n, k] :
         {std::tuple(7, 9, 11), std::tuple(33, 130, 65), std::tuple(64, 64, 64),
          std::tuple(1, 77, 50), std::tuple(77, 1, 50)})
      for (bool transposed : {false, true})
        Check(Dense(1, m, n, k, transposed, !transposed), Traits(bits, registers));
}

TEST(ContractTest, WithoutFma) {
  TargetTraits traits = Traits(128, 16);
  traits.fma = false;
  Check(Dense(1, 20, 30, 40), traits);
}

TEST(ContractTest, PackedAndBlocked) {
  // Small caches make small shapes use the code paths of large ones.
  TargetTraits traits = HostTraits();
  traits.l1_bytes = 1 << 10;
  traits.l2_bytes = 16 << 10;
  for (auto [m, n, k] : {std::tuple(100, 130, 300), std::tuple(64, 64, 512),
                         std::tuple(61, 67, 1001), std::tuple(200, 48, 128)})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        for (int threads : {0, 1, 2}) Check(Dense(1, m, n, k, lhs, rhs), traits, threads);
  // Columns of a are 4 KB apart.
  for (int threads : {0, 2}) Check(Dense(1, 1024, 100, 75, true), traits, threads);
  Check(Dense(1, 2048, 100, 38, true, false, ElementType::kBF16), traits, 2);
  // Few rows and many columns: b is packed in long pieces of its rows.
  for (ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kF16})
    for (int64_t n : {1024, 1100})
      for (int64_t k : {70, 77}) Check(Dense(2, 40, n, k, false, false, type), traits, 2);
}

TEST(ContractTest, PackingReadsWholeRows) {
  TargetTraits traits = HostTraits();
  traits.l2_bytes = 1 << 20;
  // Few rows: each chunk packs a k block of some micro-panels of b.
  KernelPlan few = PlanContract(Dense(1, 64, 4096, 4096), traits);
  EXPECT_TRUE(few.tiles->pack_blocks);
  EXPECT_EQ(few.phase_chunks.size(), 1u);
  EXPECT_FALSE(PlanContract(Dense(1, 1024, 4096, 4096), traits).tiles->pack_blocks);
  // A transposed a with rows of whole cache lines is packed a few rows at a time for all
  // micro-panels.
  for (int64_t m : {768, 1024})
    EXPECT_GT(PlanContract(Dense(1, m, 1024, 1024, true), traits).tiles->pack_a_k_count,
              0);
}

// Few rows times a matrix with short rows that does not fit the cache: slices of k, which
// are contiguous.
TEST(ContractTest, NarrowOperandsAreCutAlongK) {
  TargetTraits traits = HostTraits();
  traits.l2_bytes = 512 << 10;
  for (int64_t m : {4, 8}) {
    EXPECT_GT(PlanContract(Dense(1, m, 128, 4096), traits).tiles->k_slices, 1);
    EXPECT_EQ(PlanContract(Dense(1, m, 1024, 1024), traits).tiles->k_slices, 1);
    EXPECT_EQ(PlanContract(Dense(8, m, 128, 4096), traits).tiles->k_slices, 1);
    Check(Dense(1, m, 128, 4000), traits, 2);
  }
}

// Gradients with respect to weights.
TEST(ContractTest, SumsOfRowsReadTheirOperandsInPlace) {
  TargetTraits traits = HostTraits();
  traits.l2_bytes = 2 << 20;
  // Few results: slices of k that fit the cache, without packing.
  KernelPlan few = PlanContract(Dense(1, 256, 256, 2048, true), traits);
  EXPECT_EQ(few.tiles->a_storage, OperandStorage::kDirect);
  EXPECT_EQ(few.tiles->b_storage, OperandStorage::kDirect);
  EXPECT_EQ(few.tiles->k_slices, 8);
  EXPECT_EQ(few.phase_chunks.size(), 2u);
  // More results: each chunk packs a few k indices of b at a time.
  KernelPlan more = PlanContract(Dense(1, 512, 512, 2048, true), traits);
  EXPECT_EQ(more.tiles->a_storage, OperandStorage::kDirect);
  EXPECT_TRUE(more.tiles->pack_blocks);
  EXPECT_EQ(more.phase_chunks.size(), 1u);
  // Short sums, few rows, and rows that share cache lines.
  EXPECT_EQ(PlanContract(Dense(1, 128, 128, 1024, true), traits).tiles->k_slices, 1);
  EXPECT_TRUE(PlanContract(Dense(1, 10, 1024, 4096, true), traits).tiles->streaming);
  EXPECT_FALSE(PlanContract(Dense(1, 333, 333, 1000, true), traits).tiles->pack_blocks);
}

TEST(ContractTest, LargerThanOneChunk) {
  Check(Dense(1, 256, 256, 256), HostTraits(), 2);
  Check(Dense(1, 300, 500, 400), HostTraits(), 0);
  Check(Dense(1, 300, 500, 400, true, true), HostTraits(), 2);
  Check(Dense(1, 4000, 24, 40), HostTraits(), 0);
  Check(Dense(1, 8000, 40, 40), HostTraits(), 2);  // a is prefetched
}

TEST(ContractTest, SplitK) {
  Check(Dense(1, 10, 20, 40000, true), HostTraits(), 2);
  Check(Dense(1, 10, 20, 40000), HostTraits(), 0);
  Check(Dense(1, 1, 3, 100000), HostTraits(), 0);
}

TEST(ContractTest, FewRows) {
  for (int64_t m : {1, 2, 5, 8})
    for (bool transposed : {false, true})
      Check(Dense(1, m, 1100, 1030, false, transposed), HostTraits(), 0);
}

TEST(ContractTest, MatrixTimesVector) {
  for (bool transposed : {false, true}) {
    Check(Dense(1, 1000, 1, 900, transposed), HostTraits(), 0);
    Check(Dense(1, 1, 1000, 900, false, transposed), HostTraits(), 0);
  }
}

// Vectors run along k.
TEST(ContractTest, ContiguousSums) {
  for (int64_t m : {1, 2, 3, 5, 8})
    for (int64_t n : {1, 2, 3, 4, 7, 50})
      for (int64_t k : {8, 16, 31, 64, 333})
        Check(Dense(2, m, n, k, false, true), HostTraits(), 0);
  ContractSpec spec = Dense(1, 3, 50, 100, false, true);
  spec.lhs_type = ElementType::kBF16;
  Check(spec, HostTraits());
}

TEST(ContractTest, Batches) {
  for (auto [b, m, n, k] : {std::tuple(3, 4, 5, 6), std::tuple(70, 32, 32, 32),
                            std::tuple(9, 50, 40, 30), std::tuple(5, 1, 64, 64)})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true}) Check(Dense(b, m, n, k, lhs, rhs), HostTraits(), 0);
  ContractSpec shared_rhs = Dense(6, 10, 50, 40);
  shared_rhs.rhs.batch = 0;
  Check(shared_rhs, HostTraits());
  ContractSpec shared_lhs = Dense(6, 10, 50, 40);
  shared_lhs.lhs.batch = 0;
  Check(shared_lhs, HostTraits());
  // Like the heads of attention.
  ContractSpec interleaved = Dense(6, 10, 50, 40, false, true);
  interleaved.lhs = {40, 6 * 40, 1};
  interleaved.rhs = {40, 1, 6 * 40};
  interleaved.out = {50, 6 * 50, 1};
  Check(interleaved, HostTraits());
}

TEST(ContractTest, Empty) {
  for (auto [b, m, n, k] : {std::tuple(0, 4, 5, 6), std::tuple(2, 0, 5, 6),
                            std::tuple(2, 4, 0, 6), std::tuple(2, 4, 5, 0)})
    Check(Dense(b, m, n, k), HostTraits());
}

TEST(ContractTest, AnyStrides) {
  ContractSpec column_major = Dense(1, 50, 37, 20);
  column_major.out = {0, 1, 50};
  Check(column_major, HostTraits());
  ContractSpec gaps = Dense(2, 21, 35, 18);
  gaps.lhs = {21 * 60, 60, 3};
  gaps.rhs = {18 * 80, 80, 2};
  gaps.out = {21 * 90, 90, 2};
  Check(gaps, HostTraits());
  ContractSpec broadcast = Dense(1, 21, 35, 18);
  broadcast.lhs = {0, 0, 1};
  broadcast.rhs = {0, 1, 0};
  Check(broadcast, HostTraits());
}

class ContractTypeTest : public testing::TestWithParam<ElementType> {};

TEST_P(ContractTypeTest, Shapes) {
  for (auto [m, n, k] :
       {std::tuple(3, 5, 4), std::tuple(33, 47, 21), std::tuple(60, 70, 80),
        std::tuple(1, 50, 60), std::tuple(50, 1, 60)})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        Check(Dense(2, m, n, k, lhs, rhs, GetParam()), HostTraits(), 0);
  Check(Dense(1, 20, 30, 25, false, true, GetParam()), Traits(256, 16));
  ContractSpec column_major = Dense(1, 30, 17, 20, false, false, GetParam());
  column_major.out = {0, 1, 30};
  Check(column_major, HostTraits());
}

INSTANTIATE_TEST_SUITE_P(All, ContractTypeTest,
                         testing::Values(ElementType::kPred, ElementType::kS4,
                                         ElementType::kU4, ElementType::kS8,
                                         ElementType::kU8, ElementType::kS16,
                                         ElementType::kU16, ElementType::kS32,
                                         ElementType::kU32, ElementType::kS64,
                                         ElementType::kU64, ElementType::kF16,
                                         ElementType::kBF16, ElementType::kF64,
                                         ElementType::kC64, ElementType::kC128),
                         [](const auto& info) {
                           std::string name(ElementTypeName(info.param));
                           for (char& c : name)
                             if (!std::isalnum(c)) c = '_';
                           return name;
                         });

TEST(ContractTest, MixedTypes) {
  ContractSpec spec = Dense(1, 40, 50, 60);
  spec.lhs_type = ElementType::kBF16;
  Check(spec, HostTraits());
  spec.lhs_type = spec.rhs_type = ElementType::kS8;
  spec.out_type = ElementType::kS32;
  Check(spec, HostTraits());
  spec.lhs_type = spec.rhs_type = ElementType::kBF16;
  spec.out_type = ElementType::kF32;
  Check(spec, HostTraits());
}

// Pairs of bf16 and quads of bytes are multiplied as k-groups if the target supports it.
TEST(ContractTest, KGroups) {
  TargetTraits small = HostTraits(), vectors = HostTraits();
  small.l1_bytes = 1 << 10;
  small.l2_bytes = 16 << 10;
  vectors.matrix_unit = {};
  for (ElementType type : {ElementType::kBF16, ElementType::kS8, ElementType::kU8})
    for (auto [m, n, k] :
         {std::tuple(8, 16, 4), std::tuple(9, 17, 33), std::tuple(30, 50, 64),
          std::tuple(45, 100, 127), std::tuple(64, 96, 600), std::tuple(130, 70, 2),
          // K is padded with zeros.
          std::tuple(40, 40, 74), std::tuple(33, 20, 1001)})
      for (bool lhs : {false, true})
        for (bool rhs : {false, true})
          for (const TargetTraits& traits : {HostTraits(), small, vectors}) {
            ContractSpec spec = Dense(2, m, n, k, lhs, rhs, type);
            spec.out_type =
                type == ElementType::kBF16 ? ElementType::kF32 : ElementType::kS32;
            Check(spec, traits, 2);
          }
}

// The stack that a chunk uses does not grow with the product.
TEST(ContractTest, BlocksOfColumnTilesHaveFewRowTiles) {
  if (!HostTraits().matrix_unit.bf16_pairs) GTEST_SKIP() << "no matrix unit";
  bool blocks = false;
  for (int64_t batch : {1, 300})
    for (int64_t m : {256, 1024, 70000})
      for (bool one_thread : {false, true}) {
        ContractSpec spec = Dense(batch, m, 64, 1024, false, false, ElementType::kBF16);
        spec.one_thread = one_thread;
        KernelPlan plan = PlanContract(spec, HostTraits());
        blocks |= plan.tiles->column_tile_outer;
        if (plan.tiles->column_tile_outer) EXPECT_LE(plan.tiles->chunk_row_tiles, 16);
      }
  EXPECT_TRUE(blocks);
}

TEST(ContractTest, KGroupsOfExtremes) {
  constexpr int kSize = 32;
  ContractSpec spec = Dense(1, kSize, kSize, kSize, false, false, ElementType::kS8);
  spec.out_type = ElementType::kS32;
  auto kernel = JitKernel::Make(spec, HostTraits());
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  for (int8_t x : {-128, 127})
    for (int8_t y : {-128, 127}) {
      std::vector<int8_t> lhs(kSize * kSize, x), rhs(kSize * kSize, y);
      std::vector<int32_t> out(kSize * kSize);
      kernel->Run(lhs.data(), rhs.data(), out.data());
      EXPECT_EQ(out, std::vector<int32_t>(kSize * kSize, kSize * x * y));
    }
}

TEST(ContractTest, SmallFloats) {
  // f8E4M3FN: 1.0 is 0x38, 2.0 is 0x40; 40 products of 2 are 80.
  ContractSpec spec = Dense(1, 20, 33, 40, false, false, ElementType::kF8E4M3FN);
  spec.out_type = ElementType::kF32;
  auto kernel = JitKernel::Make(spec, HostTraits());
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  std::vector<uint8_t> lhs(20 * 40, 0x38), rhs(40 * 33, 0x40);
  std::vector<float> out(20 * 33);
  kernel->Run(lhs.data(), rhs.data(), out.data());
  for (float value : out) EXPECT_EQ(value, 80.0f);
}

void CheckHooks(ContractSpec spec, bool operands, const TargetTraits& target);

// Random sizes, orders of dimensions, gaps, vector widths and cache sizes. The
// environment can set the seed and the number of cases.
TEST(ContractTest, RandomSpecs) {
  const char* seed = std::getenv("TENON_TEST_SEED");
  const char* count = std::getenv("TENON_TEST_COUNT");
  std::mt19937 random(seed ? std::atoi(seed) : 1);
  auto upto = [&](int64_t n) { return int64_t(random() % n) + 1; };
  auto size = [&] { return random() % 4 == 0 ? upto(300) : upto(40); };
  for (int i = 0; i < (count ? std::atoi(count) : 30); ++i) {
    ContractSpec spec;
    spec.batch = random() % 2 ? 1 : upto(4);
    spec.m = size(), spec.n = size(), spec.k = size();
    const ElementType types[] = {ElementType::kF32,  ElementType::kF32, ElementType::kF32,
                                 ElementType::kBF16, ElementType::kF64, ElementType::kS32,
                                 ElementType::kC64};
    spec.lhs_type = spec.rhs_type = spec.out_type = types[random() % 7];
    auto strides = [&](int64_t rows, int64_t cols) {
      int order[] = {0, 1, 2};
      std::shuffle(order, order + 3, random);
      int64_t sizes[] = {spec.batch, rows, cols}, result[3], stride = 1;
      if (random() % 8 == 0) stride = 2;
      for (int dim : order) {
        result[dim] = stride;
        stride *= sizes[dim] + (random() % 6 == 0 ? 3 : 0);
      }
      return ContractStrides{result[0], result[1], result[2]};
    };
    spec.lhs = strides(spec.m, spec.k);
    spec.rhs = strides(spec.k, spec.n);
    spec.out = strides(spec.m, spec.n);
    TargetTraits traits = Traits(128 << random() % 3, random() % 2 ? 16 : 32);
    traits.shared_tiles = random() % 4 != 0;
    traits.l1_bytes = 1 << (10 + random() % 6);
    traits.l2_bytes = 1 << (12 + random() % 9);
    SCOPED_TRACE("case " + std::to_string(i) + " l2 " + std::to_string(traits.l2_bytes));
    Check(spec, traits, static_cast<int>(random() % 3));
    if (spec.lhs_type == ElementType::kF32) CheckHooks(spec, random() % 2, traits);
    if (HasFailure()) return;
  }
}

// out = 2 * (lhs * rhs) + row - col; the load hooks negate operands of f32.
void CheckHooks(ContractSpec spec, bool operands, const TargetTraits& target) {
  SCOPED_TRACE(Describe(spec));
  spec.has_store = true;
  spec.has_load_lhs = spec.has_load_rhs = operands;
  KernelPlan plan = PlanContract(spec, target);
  auto emit = [&](llvm::IRBuilder<>& b, int phase, const ContractPointers& pointers,
                  llvm::Value* chunk, llvm::Value*) {
    auto lane_vector = [&](const VectorAccess& access, int dim) -> llvm::Value* {
      llvm::Value* first = b.CreateSIToFP(access.index[dim], b.getFloatTy());
      if (access.lanes == 1) return first;
      llvm::SmallVector<llvm::Constant*> iota;
      for (int i = 0; i < access.lanes; ++i)
        iota.push_back(llvm::ConstantFP::get(b.getFloatTy(), i));
      llvm::Value* all = b.CreateVectorSplat(access.lanes, first);
      return dim == access.lane_dim ? b.CreateFAdd(all, llvm::ConstantVector::get(iota))
                                    : all;
    };
    auto address = [&](const VectorAccess& access, const ContractStrides& s,
                       ElementType type, llvm::Value* base) {
      llvm::Value* offset = AddI(
          b, AddI(b, MulI(b, access.index[0], s.batch), MulI(b, access.index[1], s.row)),
          MulI(b, access.index[2], s.col));
      return OffsetPointer(b, base, offset, ElementBytes(type));
    };
    auto stride = [](const VectorAccess& access, const ContractStrides& s) {
      return access.lane_dim == 0 ? s.batch : access.lane_dim == 1 ? s.row : s.col;
    };
    ContractHooks hooks;
    hooks.store = [&](llvm::IRBuilder<>&, const VectorAccess& access,
                      const ElementValue& value) {
      EXPECT_EQ(access.index.size(), 3u);
      ElementValue result = value;
      result.re =
          b.CreateFAdd(b.CreateFAdd(value.re, value.re),
                       b.CreateFSub(lane_vector(access, 1), lane_vector(access, 2)));
      StoreElements(b, result, address(access, spec.out, spec.out_type, pointers.out),
                    access.lanes, stride(access, spec.out), access.mask);
      return OkStatus();
    };
    auto load = [&](const ContractStrides& s, ElementType type, llvm::Value* base) {
      return [&b, s, type, base, address, stride](
                 llvm::IRBuilder<>&,
                 const VectorAccess& access) -> StatusOr<ElementValue> {
        ElementValue value = LoadElements(b, type, address(access, s, type, base),
                                          access.lanes, stride(access, s), access.mask);
        if (type == ElementType::kF32) value.re = b.CreateFNeg(value.re);
        return value;
      };
    };
    if (operands) {
      hooks.load_lhs = load(spec.lhs, spec.lhs_type, pointers.lhs);
      hooks.load_rhs = load(spec.rhs, spec.rhs_type, pointers.rhs);
    }
    return EmitContractPhase(b, spec, plan, phase, pointers, chunk, hooks);
  };
  auto kernel = JitKernel::Make(plan, emit);
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  TestTensor lhs(spec.lhs_type, Extent(spec.lhs, spec.batch, spec.m, spec.k));
  TestTensor rhs(spec.rhs_type, Extent(spec.rhs, spec.batch, spec.k, spec.n));
  TestTensor out(ElementType::kF32, Extent(spec.out, spec.batch, spec.m, spec.n));
  lhs.FillSmall(3);
  rhs.FillSmall(4);
  kernel->Run(lhs.data(), rhs.data(), out.data(), 0);
  int wrong = 0;
  for (int64_t b = 0; b < spec.batch; ++b)
    for (int64_t m = 0; m < spec.m; ++m)
      for (int64_t n = 0; n < spec.n; ++n) {
        Number expected = 2.0 * Expected(spec, lhs, rhs, b, m, n) + double(m - n);
        Number got = out.Get(b * spec.out.batch + m * spec.out.row + n * spec.out.col);
        if (got != expected && wrong++ < 4)
          ADD_FAILURE() << b << "," << m << "," << n << " is " << got << ", not "
                        << expected;
      }
}

TEST(ContractTest, SumsOfRows) {
  for (auto [bits, registers] : {std::pair(512, 32), std::pair(256, 16)}) {
    TargetTraits traits = Traits(bits, registers);
    traits.l2_bytes = 64 << 10;
    for (auto [m, n, k] : {std::tuple(40, 48, 600), std::tuple(33, 61, 701)})
      for (int threads : {0, 2}) Check(Dense(1, m, n, k, true), traits, threads);
    Check(Dense(1, 32, 30, 1100, true, false, ElementType::kF64), traits);
    CheckHooks(Dense(1, 40, 48, 600, true), /*operands=*/false, traits);
    // Blocks; the longest sums are also cut into slices.
    for (auto [m, n, k] : {std::tuple(128, 48, 515), std::tuple(144, 32, 4099)})
      for (int threads : {0, 2}) Check(Dense(1, m, n, k, true), traits, threads);
    CheckHooks(Dense(1, 128, 48, 515, true), /*operands=*/false, traits);
    CheckHooks(Dense(1, 144, 32, 4099, true), /*operands=*/false, traits);
  }
}

TEST(ContractTest, Hooks) {
  TargetTraits small = HostTraits();
  small.l1_bytes = 1 << 10;
  small.l2_bytes = 16 << 10;
  for (bool operands : {false, true})
    for (const TargetTraits& target : {HostTraits(), small, Traits(256, 16)})
      for (auto [b, m, n, k] : {std::tuple(1, 5, 7, 9), std::tuple(3, 40, 70, 50),
                                std::tuple(1, 1, 90, 80), std::tuple(1, 90, 1, 80),
                                std::tuple(1, 64, 64, 512), std::tuple(1, 10, 20, 20000)})
        for (bool transposed : {false, true})
          CheckHooks(Dense(b, m, n, k, transposed, transposed), operands, target);
  ContractSpec column_major = Dense(1, 50, 37, 20);
  column_major.out = {0, 1, 50};
  CheckHooks(column_major, true, HostTraits());
}

TEST(ContractTest, HooksOfKGroups) {
  for (bool operands : {false, true})
    for (auto [b, m, n, k] : {std::tuple(3, 40, 70, 50), std::tuple(1, 50, 40, 74)})
      for (bool transposed : {false, true}) {
        ContractSpec spec = Dense(b, m, n, k, transposed, transposed, ElementType::kBF16);
        spec.out_type = ElementType::kF32;
        CheckHooks(spec, operands, HostTraits());
      }
}

TEST(ContractTest, SameBitsForAnyTeamSize) {
  ContractSpec spec = Dense(1, 10, 20, 40000, true);
  TestTensor lhs(ElementType::kF32, 10 * 40000), rhs(ElementType::kF32, 20 * 40000);
  uint32_t seed = 7;
  for (TestTensor* tensor : {&lhs, &rhs})
    for (int64_t i = 0; i < tensor->count(); ++i)
      tensor->Set(i, double(int32_t(seed = seed * 1664525u + 1013904223u)) / 3e9);
  std::vector<float> first(200), other(200);
  auto kernel = JitKernel::Make(spec, HostTraits());
  ASSERT_TRUE(kernel.ok());
  kernel->Run(lhs.data(), rhs.data(), first.data(), 0);
  for (int threads : {1, 2}) {
    kernel->Run(lhs.data(), rhs.data(), other.data(), threads);
    EXPECT_EQ(std::memcmp(first.data(), other.data(), 800), 0);
  }
}

}  // namespace
}  // namespace tenon::codegen
