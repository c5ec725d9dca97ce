#include "tenon/compiler/plan/fft_plan.h"

#include "gtest/gtest.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler {
namespace {

FftSpec Spec(int64_t outer, llvm::SmallVector<int64_t> lengths,
             RealSide side = RealSide::kNone) {
  FftSpec spec;
  spec.real = ElementType::kF32;
  spec.outer = outer;
  spec.lengths = std::move(lengths);
  spec.real_side = side;
  spec.inverse = side == RealSide::kOutput;
  return spec;
}

TargetTraits Wide() {
  TargetTraits target;
  target.vector_bits = 512;
  return target;
}

TEST(FftPlanTest, StepsMultiplyToTheLength) {
  for (int64_t length : {2, 3, 4, 8, 16, 32, 64, 96, 128, 1000, 1001, 1024, 8192}) {
    auto plan = PlanFft(Spec(64, {length}), Wide());
    ASSERT_TRUE(plan) << length;
    ASSERT_EQ(plan->phases.size(), 1u);
    int64_t columns = 1;
    for (const FftStep& step : plan->phases[0].steps) {
      EXPECT_EQ(step.columns, columns);
      EXPECT_EQ(step.rest * step.radix * step.columns, length);
      columns *= step.radix;
    }
    EXPECT_EQ(columns, length);
  }
}

TEST(FftPlanTest, LongSingleTransformsAreFourStep) {
  auto plan = PlanFft(Spec(1, {1 << 20}), Wide());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->four_step.a, 1024);
  EXPECT_EQ(plan->four_step.b, 1024);
  EXPECT_FALSE(plan->four_step.convolution);
  // Threads share one row: a phase for each part.
  ASSERT_EQ(plan->phases.size(), 2u);
  EXPECT_EQ(plan->phases[0].units, 64);
  EXPECT_FALSE(plan->memory_per_chunk);
}

TEST(FftPlanTest, LargePrimesAreConvolutions) {
  for (int64_t length : {127, 131, 1021, 4093, 2 * 1021, 65537, 1000003}) {
    auto plan = PlanFft(Spec(1, {length}), Wide());
    ASSERT_TRUE(plan) << length;
    EXPECT_TRUE(plan->four_step.convolution) << length;
    EXPECT_GE(plan->four_step.a * plan->four_step.b, 2 * length - 1);
    // Memory, tables and work are linear in the length.
    if (length > 500) EXPECT_LT(plan->four_step.a * plan->four_step.b, 3 * length);
    EXPECT_LT(plan->four_step.memory_bytes, 100 * length + 40000);
  }
  // With many short rows, a chunk computes a whole row.
  auto plan = PlanFft(Spec(15, {4093}), Wide());
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->phases.size(), 1u);
  EXPECT_TRUE(plan->memory_per_chunk);
  EXPECT_EQ(plan->phases[0].units, 15);
}

// Loads of chirps rely on it: columns begin within the transform.
TEST(FftPlanTest, ConvolutionsHaveFewerColumnsThanNumbers) {
  for (int lanes : {2, 4, 8, 16}) {
    for (int64_t length = kMaxPrimeOfFewRows + 1; length < 5000; ++length) {
      const FourStepFft fft = PlanFourStep(length, lanes, 4, /*exact=*/length % 2 != 0);
      if (fft.convolution) EXPECT_LE(fft.b, length) << lanes;
    }
  }
}

TEST(FftPlanTest, SmallPrimesAreSteps) {
  for (int64_t length : {17, 37, 97, 109, 2 * 53, 17 * 97}) {
    auto plan = PlanFft(Spec(64, {length}), Wide());
    ASSERT_TRUE(plan) << length;
    ASSERT_EQ(plan->phases.size(), 1u);
    EXPECT_EQ(plan->phases[0].kind, FftPhase::Kind::kRows);
    EXPECT_GT(plan->butterfly_bytes, 0);
  }
}

TEST(FftPlanTest, PrimesOfFewRowsAreConvolutions) {
  EXPECT_FALSE(PlanFft(Spec(1, {113}), Wide())->four_step.convolution);
  EXPECT_TRUE(PlanFft(Spec(1, {131}), Wide())->four_step.convolution);
}

// Butterflies of 127 and 131 have a smaller error than convolutions, where that counts.
TEST(FftPlanTest, FewRowsOfRealsAreConvolvedFromLargerPrimesOn) {
  const auto convolved = [](int64_t length, RealSide side, ElementType real) {
    FftSpec spec = Spec(3, {length}, side);
    spec.real = real;
    return PlanFft(spec, Wide())->four_step.convolution;
  };
  for (int64_t length : {127, 131, 254, 262, 381, 508, 524, 127 * 131}) {
    EXPECT_FALSE(convolved(length, RealSide::kInput, ElementType::kF32)) << length;
    EXPECT_FALSE(convolved(length, RealSide::kOutput, ElementType::kF32)) << length;
    EXPECT_FALSE(convolved(length, RealSide::kNone, ElementType::kF64)) << length;
  }
  for (int64_t length : {137, 274, 3 * 137})
    EXPECT_TRUE(convolved(length, RealSide::kInput, ElementType::kF32)) << length;
  for (int64_t length : {127, 131, 508})
    EXPECT_TRUE(convolved(length, RealSide::kNone, ElementType::kF32)) << length;
}

TEST(FftPlanTest, LanesConvolveRowsOfTheirOwn) {
  const auto convolved = [](const FftSpec& spec) {
    auto plan = PlanFft(spec, Wide());
    EXPECT_FALSE(plan->four_step.convolution);
    EXPECT_EQ(plan->phases[0].kind, FftPhase::Kind::kRows);
    const FftStep& last = plan->phases[0].steps.back();
    EXPECT_EQ(last.rest, 1);
    return last.convolved;
  };
  EXPECT_EQ(convolved(Spec(64, {109})), 0);
  for (int64_t length : {113, 131, 257, 1021}) {
    const int64_t padded = convolved(Spec(16, {length}));
    EXPECT_GE(padded, 2 * length - 1);
    EXPECT_LE(padded, 4 * length);
    EXPECT_FALSE(FftStepsOf(padded, 8, 5).empty());
  }
  // Butterflies have a smaller error.
  EXPECT_EQ(convolved(Spec(64, {131}, RealSide::kInput)), 0);
  FftSpec wide_numbers = Spec(64, {131});
  wide_numbers.real = ElementType::kF64;
  EXPECT_EQ(convolved(wide_numbers), 0);
  EXPECT_GT(convolved(Spec(64, {263}, RealSide::kInput)), 0);
  EXPECT_GT(convolved(Spec(16, {10007})), 0);
  wide_numbers.lengths = {5003};
  EXPECT_EQ(convolved(wide_numbers), 10240);  // f32: 10125, which is 3^4 times 5^3
  // Lanes without a row, and buffers that are too large.
  EXPECT_TRUE(PlanFft(Spec(15, {1021}), Wide())->four_step.convolution);
  EXPECT_TRUE(PlanFft(Spec(64, {20011}), Wide())->four_step.convolution);
}

TEST(FftPlanTest, ManyLongRowsAreOnePerLane) {
  const auto kind = [](int64_t rows, int64_t length, RealSide side = RealSide::kNone) {
    auto plan = PlanFft(Spec(rows, {length}, side), Wide());
    EXPECT_FALSE(plan->four_step.convolution);
    return plan->phases[0].kind;
  };
  EXPECT_EQ(kind(64, 10000), FftPhase::Kind::kRows);
  EXPECT_EQ(kind(63, 10000), FftPhase::Kind::kFourStep);
  EXPECT_EQ(kind(64, 20000), FftPhase::Kind::kFourStep);  // 5 MB
  EXPECT_EQ(kind(64, 20000, RealSide::kInput), FftPhase::Kind::kRows);
  // An odd number of reals takes half the time with one row per lane.
  EXPECT_EQ(kind(16, 19683, RealSide::kInput), FftPhase::Kind::kRows);
  EXPECT_EQ(kind(15, 19683, RealSide::kInput), FftPhase::Kind::kFourStep);
  EXPECT_EQ(kind(64, 59049, RealSide::kInput), FftPhase::Kind::kFourStep);  // 15 MB
}

TEST(FftPlanTest, OnlyLargePrimesOfALengthAreConvolved) {
  for (auto [length, primes] : {std::pair(2 * 521, 521), std::pair(3 * 7 * 1009, 1009)}) {
    const FftPhase phase = PlanFft(Spec(64, {length}), Wide())->phases[0];
    int64_t columns = 1;
    for (const FftStep& step : phase.steps) {
      EXPECT_EQ(step.convolved != 0, step.rest == 1);
      EXPECT_EQ(step.columns, columns);
      columns *= step.radix;
    }
    EXPECT_EQ(columns, length);
    EXPECT_EQ(phase.steps.back().radix, primes);
  }
  // A prime is convolved in the buffers of the rows, others in memory of their own.
  auto prime = PlanFft(Spec(64, {1009}), Wide());
  EXPECT_TRUE(prime->phases[0].steps[0].in_place);
  EXPECT_GE(prime->buffer_bytes, 2 * 1009 * 128);
  EXPECT_EQ(prime->butterfly_bytes, 0);
  for (auto [length, side] :
       {std::pair(2 * 1009, RealSide::kNone), std::pair(3 * 1009, RealSide::kInput)}) {
    auto plan = PlanFft(Spec(64, {length}, side), Wide());
    EXPECT_FALSE(plan->phases[0].steps.back().in_place);
    EXPECT_LT(plan->buffer_bytes, (length + 64) * 128);
    EXPECT_GE(plan->butterfly_bytes, 2 * 2 * 1009 * 128);
  }
}

TEST(FftPlanTest, OddNumbersOfRealsAreSequences) {
  const auto split = [](int64_t rows, int64_t length, RealSide side) {
    return PlanFft(Spec(rows, {length}, side), Wide())->phases[0].split;
  };
  for (RealSide side : {RealSide::kInput, RealSide::kOutput}) {
    EXPECT_EQ(split(64, 2187, side), 9);
    EXPECT_EQ(split(64, 3 * 1009, side), 3);
    EXPECT_EQ(split(64, 101 * 103, side), 103);
    EXPECT_EQ(split(64, 19683, side), 9);
    // Primes, even and short lengths.
    for (int64_t length : {131, 1009, 2186, 45}) EXPECT_EQ(split(64, length, side), 1);
    // A butterfly of a large prime needs memory.
    EXPECT_GT(PlanFft(Spec(64, {3 * 131}, side), Wide())->butterfly_bytes,
              131 / 2 * 2 * 64);
  }
  EXPECT_EQ(split(64, 2187, RealSide::kNone), 1);
}

TEST(FftPlanTest, TwoFactorsOfThreeAreOneRadix9Step) {
  auto steps = FftStepsOf(2187);
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].radix, 9);
  EXPECT_EQ(steps[3].radix, 3);
}

TEST(FftPlanTest, RadixThatOccursOnceComesLast) {
  auto radices = [](int64_t length) {
    std::vector<int64_t> result;
    for (const FftStep& step : FftStepsOf(length)) result.push_back(step.radix);
    return result;
  };
  EXPECT_EQ(radices(500), (std::vector<int64_t>{5, 5, 5, 4}));
  EXPECT_EQ(radices(1024), (std::vector<int64_t>{8, 8, 4, 4}));
  EXPECT_EQ(radices(360), (std::vector<int64_t>{8, 9, 5}));
}

TEST(FftPlanTest, RealsOfAnyLength) {
  for (RealSide side : {RealSide::kInput, RealSide::kOutput}) {
    for (int64_t length : {2, 3, 15, 101, 202, 1001, 4095, 100000, 131072}) {
      for (int64_t outer : {1, 3, 64}) {
        auto plan = PlanFft(Spec(outer, {length}, side), Wide());
        ASSERT_TRUE(plan) << length;
        bool pairs = length % 2 == 0 && length > 64;
        EXPECT_EQ(plan->phases[0].length, pairs ? length / 2 : length);
      }
    }
  }
}

TEST(FftPlanTest, DimensionsBeforeTheLastAreColumns) {
  auto forward = PlanFft(Spec(3, {6, 20}, RealSide::kInput), Wide());
  ASSERT_TRUE(forward);
  ASSERT_EQ(forward->phases.size(), 2u);
  EXPECT_EQ(forward->phases[0].kind, FftPhase::Kind::kRows);
  EXPECT_EQ(forward->phases[0].length, 20);
  EXPECT_EQ(forward->phases[1].inner, 11);
  // For a real result the last dimension is transformed last.
  auto backward = PlanFft(Spec(3, {6, 20}, RealSide::kOutput), Wide());
  ASSERT_TRUE(backward);
  EXPECT_EQ(backward->phases[0].from, FftArray::kInput);
  EXPECT_EQ(backward->phases[0].to, FftArray::kTemporary);
  EXPECT_EQ(backward->phases[1].kind, FftPhase::Kind::kRows);
  EXPECT_DOUBLE_EQ(backward->phases[1].scale, 1.0 / 120);
}

TEST(FftPlanTest, UnsupportedLengths) {
  EXPECT_FALSE(PlanFft(Spec(1, {1}), Wide()));
  EXPECT_FALSE(PlanFft(Spec(1, {263, 8}), Wide()));
  EXPECT_FALSE(PlanFft(Spec(1, {int64_t{1} << 33}), Wide()));
}

bool HasKernel(const FftSpec& spec) {
  llvm::SmallVector<int64_t> shape{spec.outer};
  llvm::append_range(shape, spec.lengths);
  return HasFftKernel(shape, spec.lengths.size(), spec.real_side != RealSide::kNone);
}

// Legalization asks without a target; kernels are planned with one.
TEST(FftPlanTest, HasFftKernelAgreesWithEveryTarget) {
  TargetTraits narrow;
  narrow.vector_bits = 128;
  auto check = [&](const FftSpec& spec) {
    bool has_kernel = HasKernel(spec);
    for (const TargetTraits& target : {narrow, Wide()})
      EXPECT_EQ(PlanFft(spec, target).has_value(), has_kernel)
          << spec.outer << " of " << spec.lengths.back();
  };
  for (int64_t length = 1; length < 600; ++length)
    for (int64_t outer : {1, 64})
      for (RealSide side : {RealSide::kNone, RealSide::kInput, RealSide::kOutput})
        check(Spec(outer, {length}, side));
  // Around the longest lengths that two columns, or a convolution, support.
  for (int64_t length : {int64_t{1} << 29, (int64_t{1} << 29) + 1, int64_t{1} << 30,
                         (int64_t{1} << 30) + 2, int64_t{257} << 22, int64_t{263} << 21})
    for (RealSide side : {RealSide::kNone, RealSide::kInput})
      check(Spec(1, {length}, side));
  for (int64_t first : {1, 2, 257, 263, 8192, 8193, 16384})
    for (int64_t last : {1, 8, 1021}) check(Spec(3, {first, last}));
}

}  // namespace
}  // namespace tenon::compiler
