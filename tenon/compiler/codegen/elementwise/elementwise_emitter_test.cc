// Tests of the parts that are not arithmetic of one type: names, structure, comparisons,
// 16-bit floats, errors.
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tenon/compiler/codegen/elementwise/accuracy.h"
#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

namespace tenon::compiler {
namespace {

TEST(ElementwiseOpTest, NamesRoundTrip) {
  EXPECT_EQ(ElementwiseOpFromName("exponential_minus_one"),
            ElementwiseOp::kExponentialMinusOne);
  EXPECT_EQ(ElementwiseOpFromName("no_such_op"), std::nullopt);
  EXPECT_EQ(ElementwiseOpName(ElementwiseOp::kSine), "sine");
  EXPECT_EQ(ElementwiseOpArity(ElementwiseOp::kClamp), 3);
  EXPECT_EQ(ComparisonDirectionFromName("GE"), ComparisonDirection::kGe);
  EXPECT_EQ(ComparisonTypeFromName("TOTALORDER"), ComparisonType::kTotalOrder);
}

// Runs `spec` on one vector of 16 elements.
template <typename Result, typename... Operands>
std::vector<Result> RunOnce(KernelSpec spec, std::vector<Operands>... operands) {
  auto kernel = Kernel::Make(spec);
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  size_t count = std::max({operands.size()...});
  (operands.resize(16), ...);
  std::vector<Result> results(16);
  kernel->Run({operands.data()...}, results.data(), 16);
  results.resize(count);
  return results;
}

constexpr ElementType kF32 = ElementType::kF32;
constexpr ElementType kPred = ElementType::kPred;

TEST(ElementwiseEmitterTest, SelectsAndClamps) {
  auto selected = RunOnce<float>(
      {ElementwiseOp::kSelect, {kPred, kF32, kF32}, kF32}, std::vector<uint8_t>{1, 0, 2},
      std::vector<float>{1, 2, 3}, std::vector<float>{4, 5, 6});
  EXPECT_EQ(selected, (std::vector<float>{1, 5, 3}));
  auto clamped = RunOnce<float>(
      {ElementwiseOp::kClamp, {kF32, kF32, kF32}, kF32}, std::vector<float>{0, 0, 0, 0},
      std::vector<float>{-1, 0.5f, 7, NAN}, std::vector<float>{1, 1, 1, 1});
  EXPECT_EQ(clamped[0], 0);
  EXPECT_EQ(clamped[1], 0.5f);
  EXPECT_EQ(clamped[2], 1);
  EXPECT_TRUE(std::isnan(clamped[3]));
}

TEST(ElementwiseEmitterTest, ComparesFloats) {
  const std::vector<float> values = {-INFINITY, -1, -0.0f, 0.0f, 1, INFINITY, NAN, -NAN};
  for (int first = 0; first < 8; ++first) {
    std::vector<float> x(8, values[static_cast<size_t>(first)]);
    auto compare = [&](ComparisonDirection direction, ComparisonType type) {
      ElementwiseAttrs attrs;
      attrs.comparison_direction = direction;
      attrs.comparison_type = type;
      return RunOnce<uint8_t>({ElementwiseOp::kCompare, {kF32, kF32}, kPred, attrs}, x,
                              values);
    };
    auto less = compare(ComparisonDirection::kLt, ComparisonType::kFloat);
    auto differ = compare(ComparisonDirection::kNe, ComparisonType::kDefault);
    auto before = compare(ComparisonDirection::kLt, ComparisonType::kTotalOrder);
    auto same = compare(ComparisonDirection::kEq, ComparisonType::kTotalOrder);
    // Rank in the total order: -NaN is the first, NaN the last.
    auto place = [](int i) { return i == 7 ? -1 : i; };
    for (int second = 0; second < 8; ++second) {
      auto i = static_cast<size_t>(second);
      EXPECT_EQ(less[i], x[0] < values[i]) << first << " " << second;
      EXPECT_EQ(differ[i], x[0] != values[i]) << first << " " << second;
      EXPECT_EQ(before[i], place(first) < place(second)) << first << " " << second;
      EXPECT_EQ(same[i], first == second) << first << " " << second;
    }
  }
}

TEST(ElementwiseEmitterTest, Predicates) {
  const std::vector<uint8_t> x = {0, 0, 1, 1}, y = {0, 1, 0, 1};
  auto run = [&](ElementwiseOp op) {
    return RunOnce<uint8_t>({op, {kPred, kPred}, kPred}, x, y);
  };
  using Bits = std::vector<uint8_t>;
  EXPECT_EQ(run(ElementwiseOp::kAnd), (Bits{0, 0, 0, 1}));
  EXPECT_EQ(run(ElementwiseOp::kMultiply), (Bits{0, 0, 0, 1}));
  EXPECT_EQ(run(ElementwiseOp::kOr), (Bits{0, 1, 1, 1}));
  EXPECT_EQ(run(ElementwiseOp::kAdd), (Bits{0, 1, 1, 1}));
  EXPECT_EQ(run(ElementwiseOp::kXor), (Bits{0, 1, 1, 0}));
  EXPECT_EQ(RunOnce<uint8_t>({ElementwiseOp::kNot, {kPred}, kPred}, x),
            (Bits{1, 1, 0, 0}));
}

TEST(ElementwiseEmitterTest, Bitcasts) {
  auto bits = RunOnce<uint32_t>({ElementwiseOp::kBitcast, {kF32}, ElementType::kU32},
                                std::vector<float>{1.0f, -0.0f});
  EXPECT_EQ(bits, (std::vector<uint32_t>{0x3f800000, 0x80000000}));
  auto half = RunOnce<uint16_t>(
      {ElementwiseOp::kBitcast, {ElementType::kS16}, ElementType::kBF16},
      std::vector<int16_t>{0x3f80});
  EXPECT_EQ(half[0], 0x3f80);
  auto nibble = RunOnce<int8_t>(
      {ElementwiseOp::kBitcast, {ElementType::kF4E2M1FN}, ElementType::kS4},
      std::vector<uint8_t>{0x0f, 0x07});
  EXPECT_EQ(nibble, (std::vector<int8_t>{-1, 7}));
}

TEST(ElementwiseEmitterTest, ReducesPrecision) {
  ElementwiseAttrs half;
  half.exponent_bits = 5;
  half.mantissa_bits = 10;
  auto run = [](ElementwiseAttrs attrs, std::vector<float> values) {
    return RunOnce<float>({ElementwiseOp::kReducePrecision, {kF32}, kF32, attrs}, values);
  };
  auto results = run(half, {1 + 0x1p-11f, 1 + 0x1.8p-10f, 65504, 65520, -1e9f, 0x1p-14f,
                            0x1p-15f, -0x1p-20f, INFINITY});
  EXPECT_EQ(results, (std::vector<float>{1, 1 + 0x1p-9f, 65504, INFINITY, -INFINITY,
                                         0x1p-14f, 0, -0.0f, INFINITY}));
  EXPECT_TRUE(std::isnan(run(half, {NAN})[0]));
  ElementwiseAttrs bf16;
  bf16.exponent_bits = 8;
  bf16.mantissa_bits = 7;
  EXPECT_EQ(run(bf16, {1 + 0x1p-8f, 1 + 0x1.8p-7f, 3e38f}),
            (std::vector<float>{1, 1 + 0x1p-6f, 0x1.c4p127f}));
}

TEST(ElementwiseEmitterTest, IsFinite) {
  for (ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    uint16_t infinity = type == ElementType::kF16 ? 0x7c00 : 0x7f80;
    auto finite = RunOnce<uint8_t>(
        {ElementwiseOp::kIsFinite, {type}, kPred},
        std::vector<uint16_t>{0, infinity, static_cast<uint16_t>(infinity - 1),
                              static_cast<uint16_t>(infinity + 1),
                              static_cast<uint16_t>(infinity | 0x8000)});
    EXPECT_EQ(finite, (std::vector<uint8_t>{1, 0, 1, 0, 0}));
  }
}

// For every 16-bit float, the result is that of the f32 function, rounded once.
TEST(ElementwiseEmitterTest, SixteenBitFloats) {
  std::vector<uint16_t> codes;
  for (int code = 0; code < 1 << 16; ++code) codes.push_back(static_cast<uint16_t>(code));
  auto count = static_cast<int64_t>(codes.size());
  for (ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    auto convert = [&](ElementType from, ElementType to, const void* in, void* out) {
      auto kernel = Kernel::Make({ElementwiseOp::kConvert, {from}, to});
      kernel->Run({in}, out, count);
    };
    std::vector<float> wide(codes.size()), wide_result(codes.size());
    convert(type, kF32, codes.data(), wide.data());
    for (ElementwiseOp op :
         {ElementwiseOp::kExponential, ElementwiseOp::kLog, ElementwiseOp::kTanh,
          ElementwiseOp::kSine, ElementwiseOp::kRsqrt, ElementwiseOp::kLogistic,
          ElementwiseOp::kErf, ElementwiseOp::kFloor, ElementwiseOp::kAbs,
          ElementwiseOp::kNegate, ElementwiseOp::kSign, ElementwiseOp::kCbrt}) {
      std::vector<uint16_t> narrow(codes.size()), want(codes.size());
      Kernel::Make({op, {type}, type})->Run({codes.data()}, narrow.data(), count);
      Kernel::Make({op, {kF32}, kF32})->Run({wide.data()}, wide_result.data(), count);
      convert(kF32, type, wide_result.data(), want.data());
      for (size_t i = 0; i < codes.size(); ++i) {
        if (std::isnan(wide_result[i])) continue;
        // bf16's denormals may be flushed at either step.
        if (std::fabs(wide[i]) < 0x1p-126f && wide[i] != 0) continue;
        if (std::fabs(wide_result[i]) < 0x1p-126f) continue;
        ASSERT_EQ(narrow[i], want[i]) << ElementwiseOpName(op).str() << " on "
                                      << ElementTypeName(type) << " of " << wide[i];
      }
    }
  }
}

// Arithmetic of the smallest floats is done in f32 and rounded once.
TEST(ElementwiseEmitterTest, SmallFloatArithmetic) {
  constexpr ElementType kType = ElementType::kF8E4M3FN;
  auto sum = RunOnce<uint8_t>({ElementwiseOp::kAdd, {kType, kType}, kType},
                              std::vector<uint8_t>{0x38, 0x7e, 0x38},
                              std::vector<uint8_t>{0x38, 0x7e, 0xb8});
  // 1 + 1, 448 + 448 and 1 - 1.
  EXPECT_EQ(sum, (std::vector<uint8_t>{0x40, 0x7f, 0x00}));
}

TEST(ElementwiseEmitterTest, ConstantBoundsOfMaximum) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::IRBuilder<> b(context);
  auto* type = llvm::FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  ElementwiseEmitter emitter(b, HostOptions());
  ElementValue x{kF32, function->getArg(0)};
  ElementValue one{kF32, llvm::ConstantFP::get(b.getFloatTy(), 1.0)};
  ASSERT_TRUE(emitter.Emit(ElementwiseOp::kMaximum, {x, one}, kF32).ok());
  // A comparison and a select: one instruction on most machines.
  EXPECT_EQ(function->getEntryBlock().size(), 2u);
}

TEST(ElementwiseEmitterTest, ErrorsNameOpAndType) {
  auto sine =
      Kernel::Make({ElementwiseOp::kSine, {ElementType::kS32}, ElementType::kS32});
  ASSERT_FALSE(sine.ok());
  EXPECT_EQ(sine.status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(sine.status().message(), "sine on i32");
  auto shift = Kernel::Make({ElementwiseOp::kShiftLeft, {kF32, kF32}, kF32});
  ASSERT_FALSE(shift.ok());
  EXPECT_EQ(shift.status().message(), "shift_left on f32");
  auto arity = Kernel::Make({ElementwiseOp::kAdd, {kF32}, kF32});
  ASSERT_FALSE(arity.ok());
  EXPECT_EQ(arity.status().code(), StatusCode::kInvalidArgument);
  auto widths = Kernel::Make({ElementwiseOp::kBitcast, {kF32}, ElementType::kS16});
  ASSERT_FALSE(widths.ok());
  EXPECT_EQ(widths.status().code(), StatusCode::kUnimplemented);
}

TEST(ElementwiseEmitterTest, HonoursOrRefusesResultAccuracy) {
  ElementwiseAttrs attrs;
  attrs.result_accuracy = {ResultAccuracy::Mode::kTolerance, 0, 0, 4};
  EXPECT_TRUE(Kernel::Make({ElementwiseOp::kExponential, {kF32}, kF32, attrs}).ok());
  attrs.result_accuracy.ulps = 1;
  auto tight = Kernel::Make({ElementwiseOp::kExponential, {kF32}, kF32, attrs});
  ASSERT_FALSE(tight.ok());
  EXPECT_EQ(tight.status().code(), StatusCode::kUnimplemented);
  attrs.result_accuracy.rtol = 1e-3;
  EXPECT_TRUE(Kernel::Make({ElementwiseOp::kExponential, {kF32}, kF32, attrs}).ok());
  attrs.result_accuracy = {ResultAccuracy::Mode::kHighest};
  EXPECT_TRUE(Kernel::Make({ElementwiseOp::kExponential, {kF32}, kF32, attrs}).ok());
}

}  // namespace
}  // namespace tenon::compiler
