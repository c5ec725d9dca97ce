// Products with matrix instructions give the right results when their instructions are
// emulated: every type, order of the operands in memory, and size beside tiles.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/gpu/core_kernels.h"
#include "tests/gpu/emulator.h"

namespace tenon::gpu_test {
namespace {

// Small integers, so that sums are exact in every type.
int Lhs(int64_t row, int64_t k) { return static_cast<int>((row * 7 + k * 5) % 11) - 5; }
int Rhs(int64_t k, int64_t column) {
  return static_cast<int>((k * 3 + column * 13) % 7) - 3;
}
int Bias(int64_t column) { return static_cast<int>(column % 5) * 20 - 40; }

void Put(ElementType type, void* to, int value) {
  switch (type) {
    case ElementType::kF64: {
      const double wide = value;
      std::memcpy(to, &wide, 8);
      break;
    }
    case ElementType::kF32: {
      const auto wide = static_cast<float>(value);
      std::memcpy(to, &wide, 4);
      break;
    }
    case ElementType::kBF16: {
      const auto wide = static_cast<float>(value);
      std::memcpy(to, reinterpret_cast<const char*>(&wide) + 2, 2);
      break;
    }
    case ElementType::kF16: {
      const auto narrow = static_cast<_Float16>(value);
      std::memcpy(to, &narrow, 2);
      break;
    }
    default:
      *static_cast<int8_t*>(to) = static_cast<int8_t>(value);
  }
}

class Memory {
 public:
  Memory(int64_t elements, ElementType type)
      : bytes_(static_cast<size_t>((elements + 64) * ElementBytes(type))),
        memory_(std::aligned_alloc(256, (bytes_ + 255) / 256 * 256), std::free) {
    std::memset(memory_.get(), 0xff, bytes_);  // NaN, or -1
  }
  char* get() { return static_cast<char*>(memory_.get()); }

 private:
  size_t bytes_;
  std::shared_ptr<void> memory_;
};

double Number(ElementType operand, const char* result, int64_t index) {
  if (operand == ElementType::kF64) return reinterpret_cast<const double*>(result)[index];
  if (ElementBits(operand) == 8) return reinterpret_cast<const int32_t*>(result)[index];
  return reinterpret_cast<const float*>(result)[index];
}

// Runs a product and compares all of its elements. Returns how often the operations ran.
Counts Check(const ProductSpec& spec, bool backwards = false) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("product", *context);
  auto kernel = AddProduct(*module, spec);
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  if (!kernel.ok()) return {};
  auto emulator = Emulator::Make(std::move(context), std::move(module));
  EXPECT_TRUE(emulator.ok()) << emulator.status().ToString();
  if (!emulator.ok()) return {};

  const auto bytes = static_cast<size_t>(ElementBytes(spec.operand));
  const int64_t lhs_stride = spec.lhs_stride(), rhs_stride = spec.rhs_stride();
  Memory lhs(lhs_stride * (spec.lhs_along_depth ? spec.rows : spec.depth), spec.operand);
  Memory rhs(rhs_stride * (spec.rhs_along_depth ? spec.columns : spec.depth),
             spec.operand);
  Memory bias(spec.columns, ElementType::kF32);
  Memory result(spec.rows * spec.columns, ElementType::kF64);
  for (int64_t k = 0; k < spec.depth; ++k) {
    for (int64_t i = 0; i < spec.rows; ++i)
      Put(spec.operand,
          lhs.get() + bytes * size_t(spec.lhs_along_depth ? i * lhs_stride + k
                                                          : k * lhs_stride + i),
          Lhs(i, k));
    for (int64_t j = 0; j < spec.columns; ++j)
      Put(spec.operand,
          rhs.get() + bytes * size_t(spec.rhs_along_depth ? j * rhs_stride + k
                                                          : k * rhs_stride + j),
          Rhs(k, j));
  }
  for (int64_t j = 0; j < spec.columns; ++j)
    Put(ElementType::kF32, bias.get() + 4 * j, Bias(j));

  std::vector<uint64_t> words;
  for (Memory* memory : {&lhs, &rhs, &bias, &result})
    words.push_back(reinterpret_cast<uint64_t>(memory->get()));
  const Status status =
      (*emulator)->Run(spec.name,
                       {kernel->groups, kernel->items, backwards,
                        static_cast<size_t>(kernel->dynamic_local_bytes)},
                       words.data());
  EXPECT_TRUE(status.ok()) << status.ToString();
  int wrong = 0;
  for (int64_t i = 0; i < spec.rows && wrong < 3; ++i) {
    for (int64_t j = 0; j < spec.columns && wrong < 3; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < spec.depth; ++k) sum += Lhs(i, k) * Rhs(k, j);
      if (spec.bias_relu) sum = std::max(sum + Bias(j), 0.0);
      const double got = Number(spec.operand, result.get(), i * spec.columns + j);
      if (!(got == sum)) {
        ++wrong;
        ADD_FAILURE() << "(" << i << ", " << j << "): " << got << " instead of " << sum;
      }
    }
  }
  return (*emulator)->counts();
}

ProductSpec Spec(ElementType operand, int64_t rows, int64_t columns, int64_t depth) {
  ProductSpec spec;
  spec.name = "product";
  spec.operand = operand;
  spec.rows = rows;
  spec.columns = columns;
  spec.depth = depth;
  return spec;
}

int64_t Count(const Counts& counts, const std::string& part) {
  int64_t sum = 0;
  for (const auto& [name, count] : counts)
    if (name.find(part) != std::string::npos) sum += count;
  return sum;
}

class ProductTest : public testing::TestWithParam<ElementType> {};

INSTANTIATE_TEST_SUITE_P(Types, ProductTest,
                         testing::Values(ElementType::kBF16, ElementType::kF16,
                                         ElementType::kF32, ElementType::kS8,
                                         ElementType::kF64),
                         [](const auto& info) {
                           return std::string(ElementTypeName(info.param));
                         });

TEST_P(ProductTest, WholeTilesInEveryOrder) {
  for (bool lhs_along_depth : {true, false}) {
    for (bool rhs_along_depth : {true, false}) {
      SCOPED_TRACE(testing::Message() << lhs_along_depth << rhs_along_depth);
      ProductSpec spec = Spec(GetParam(), 128, 128, 128);
      spec.lhs_along_depth = lhs_along_depth;
      spec.rhs_along_depth = rhs_along_depth;
      auto counts = Check(spec, /*backwards=*/lhs_along_depth != rhs_along_depth);
      EXPECT_GT(Count(counts, "llvm.nvvm.mma."), 0);
      EXPECT_GT(Count(counts, "cp.async.cg"), 0);
      const bool matrices =
          ElementBits(GetParam()) == 16 ||
          (ElementBits(GetParam()) < 64 && (lhs_along_depth || rhs_along_depth));
      EXPECT_EQ(Count(counts, "ldmatrix") > 0, matrices);
    }
  }
}

TEST_P(ProductTest, SizesBesideTiles) {
  for (auto [rows, columns, depth] : {std::array<int64_t, 3>{1, 1, 1},
                                      {7, 130, 33},
                                      {130, 9, 100},
                                      {20, 18, 7},
                                      {65, 66, 200}}) {
    for (bool along_depth : {true, false}) {
      SCOPED_TRACE(testing::Message() << rows << " " << columns << " " << depth);
      ProductSpec spec = Spec(GetParam(), rows, columns, depth);
      spec.lhs_along_depth = spec.rhs_along_depth = along_depth;
      Check(spec, along_depth);
    }
  }
}

TEST_P(ProductTest, ElementsThatAreLoadedOneByOne) {
  for (bool along_depth : {true, false}) {
    ProductSpec spec = Spec(GetParam(), 37, 50, 70);
    spec.lhs_along_depth = along_depth;
    spec.rhs_along_depth = !along_depth;
    spec.copies = false;
    auto counts = Check(spec, along_depth);
    EXPECT_EQ(Count(counts, "cp.async"), 0);
  }
}

TEST(FusedProductTest, BiasAndActivation) {
  ProductSpec spec = Spec(ElementType::kBF16, 100, 71, 64);
  spec.bias_relu = true;
  Check(spec);
  spec.columns = 72;  // pairs
  Check(spec);
}

class WideProductTest : public testing::TestWithParam<ElementType> {};

INSTANTIATE_TEST_SUITE_P(Types, WideProductTest,
                         testing::Values(ElementType::kBF16, ElementType::kF16),
                         [](const auto& info) {
                           return std::string(ElementTypeName(info.param));
                         });

ProductSpec Wide(ElementType operand, int64_t rows, int64_t columns, int64_t depth) {
  ProductSpec spec = Spec(operand, rows, columns, depth);
  spec.processor = "sm_90a";
  spec.wide = true;
  spec.dynamic_local_bytes = 227 << 10;
  return spec;
}

TEST_P(WideProductTest, EveryOrder) {
  for (bool lhs_along_depth : {true, false}) {
    for (bool rhs_along_depth : {true, false}) {
      SCOPED_TRACE(testing::Message() << lhs_along_depth << rhs_along_depth);
      ProductSpec spec = Wide(GetParam(), 128, 256, 192);
      spec.lhs_along_depth = lhs_along_depth;
      spec.rhs_along_depth = rhs_along_depth;
      auto counts = Check(spec, lhs_along_depth);
      EXPECT_GT(Count(counts, "wgmma.mma_async"), 0);
      EXPECT_EQ(Count(counts, "ldmatrix"), 0);
    }
  }
}

TEST(LargeF64ProductTest, EveryOrder) {
  for (bool lhs_along_depth : {true, false}) {
    for (bool rhs_along_depth : {true, false}) {
      ProductSpec spec = Wide(ElementType::kF64, 130, 70, 100);
      spec.lhs_along_depth = lhs_along_depth;
      spec.rhs_along_depth = rhs_along_depth;
      auto counts = Check(spec, lhs_along_depth);
      EXPECT_GT(Count(counts, "m16n8k8.row.col.f64"), 0);
    }
  }
}

TEST_P(WideProductTest, SizesBesideTiles) {
  for (auto [rows, columns, depth] :
       {std::array<int64_t, 3>{64, 64, 16}, {100, 70, 130}, {200, 129, 63}}) {
    for (bool along_depth : {true, false}) {
      SCOPED_TRACE(testing::Message() << rows << " " << columns << " " << depth);
      ProductSpec spec = Wide(GetParam(), rows, columns, depth);
      spec.lhs_along_depth = spec.rhs_along_depth = along_depth;
      spec.copies = depth != 63;
      Check(spec);
    }
  }
}

}  // namespace
}  // namespace tenon::gpu_test
