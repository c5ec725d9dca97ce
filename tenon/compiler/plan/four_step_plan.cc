// Factors the lengths of four-step transforms, and chooses convolutions for lengths with
// large primes.
#include <algorithm>
#include <cmath>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/plan/fft_plan.h"

namespace tenon::compiler {
namespace {

// A block of columns up to this length stays in the second-level cache (16 lanes of pairs
// of f32: 512 KB). Each step of a longer one goes through the next cache level.
constexpr int64_t kCachedColumn = 1 << 12;
constexpr double kUncachedPenalty = 2;
// The transposed stores use transpose tiles of half a vector's width.
constexpr int64_t kMinColumn = 8;

// Transforms up to this length have no steps of radix 8: those are a quarter of the code
// and of the compile time, and save a tenth of the run time.
constexpr int64_t kMaxCompactLength = 1 << 13;

// Vector instructions per complex number of a step.
double StepCost(int64_t radix) {
  switch (radix) {
    case 2:
      return 9;
    case 4:
      return 12;
    case 8:
      return 16;
    default:
      return static_cast<double>(radix) + 10;
  }
}

double ColumnCost(int64_t length) {
  double cost = 4;  // for loads and stores
  for (const FftStep& step : FftStepsOf(length)) cost += StepCost(step.radix);
  if (length > kCachedColumn) cost *= kUncachedPenalty;
  return cost * static_cast<double>(length);
}

// The cost of a transform of length a * b: all columns of [a, b] and all columns of [b,
// a] are transformed.
double FactorsCost(int64_t a, double cost_a, int64_t b, double cost_b, int lanes) {
  double cost = static_cast<double>(CeilDiv(b, lanes)) * cost_a +
                static_cast<double>(CeilDiv(a, lanes)) * cost_b;
  // Equal columns share all code and tables.
  return a == b ? 0.9 * cost : cost;
}

struct Column {
  int64_t length;
  double cost;
};

// Lengths for convolutions: mostly powers of two, with few kinds of steps.
const std::vector<Column>& ConvolutionColumns() {
  static const auto* columns = [] {
    auto* result = new std::vector<Column>;
    for (int64_t odd : {1, 3, 5, 7, 9, 15, 25})
      for (int64_t length = odd; length <= kMaxFftColumn; length *= 2)
        if (length >= kMinColumn) result->push_back({length, ColumnCost(length)});
    std::sort(result->begin(), result->end(),
              [](const Column& x, const Column& y) { return x.length < y.length; });
    return result;
  }();
  return *columns;
}

}  // namespace

FourStepFft PlanFourStep(int64_t length, int lanes, int64_t real_bytes, bool exact) {
  FourStepFft fft;
  fft.length = length;
  double best = 0;
  if (!FftStepsOf(length).empty()) {
    int64_t root = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
    for (int64_t a = 2; a <= root; ++a) {
      if (length % a != 0 || length / a > kMaxFftColumn) continue;
      for (auto [x, y] : {std::pair(a, length / a), std::pair(length / a, a)}) {
        double cost = FactorsCost(x, ColumnCost(x), y, ColumnCost(y), lanes);
        if (fft.a && cost >= best) continue;
        best = cost;
        fft.a = x;
        fft.b = y;
      }
    }
  }
  // A convolution is less accurate than a transform of the same cost.
  constexpr double kConvolutionPenalty = 1.5;
  bool factored = fft.a != 0;
  const bool convolves =
      !factored || !exact || FftStepsOf(length, 8, kMaxPrimeOfFewExactRows).empty();
  const std::vector<Column>& columns = ConvolutionColumns();
  for (const Column& a : columns) {
    if (!convolves) break;
    int64_t min_length = CeilDiv(2 * length - 1, a.length);
    auto b = std::lower_bound(
        columns.begin(), columns.end(), min_length,
        [](const Column& column, int64_t size) { return column.length < size; });
    for (int tries = 0; tries < 4 && b != columns.end(); ++tries, ++b) {
      double cost = 2 * FactorsCost(a.length, a.cost, b->length, b->cost, lanes);
      if (factored ? cost * kConvolutionPenalty >= best : fft.a && cost >= best) continue;
      best = cost;
      factored = false;
      fft.convolution = true;
      fft.a = a.length;
      fft.b = b->length;
    }
  }
  if (!fft.a) return {};
  int64_t max_power = fft.a * fft.b <= kMaxCompactLength ? 4 : 8;
  fft.steps_a = FftStepsOf(fft.a, max_power);
  fft.steps_b = FftStepsOf(fft.b, max_power);
  // Rows of whole transpose tiles. They are not a multiple of 4 KB apart, because such
  // rows would all fall into one set of the first-level cache.
  auto stride = [&](int64_t count) {
    int64_t result = AlignUp(count, lanes);
    return result * 2 * real_bytes % 4096 == 0 ? result + lanes : result;
  };
  fft.stride_a = stride(fft.a);
  fft.stride_b = stride(fft.b);
  auto reserve = [&](int64_t numbers) {
    int64_t offset = fft.memory_bytes;
    // Loads of whole vectors read past the end.
    fft.memory_bytes += AlignUp((numbers + 2 * lanes) * 2 * real_bytes, 64);
    return offset;
  };
  fft.numbers_offset = reserve(length);
  fft.first_offset = reserve(AlignUp(fft.b, lanes) * fft.stride_a);
  if (fft.convolution) fft.middle_offset = reserve(AlignUp(fft.a, lanes) * fft.stride_b);
  return fft;
}

int64_t UnitsOfPart(const FourStepFft& fft, FftPart part, int lanes) {
  switch (part) {
    case FftPart::kFirst:
      return CeilDiv(fft.b, lanes);
    case FftPart::kMiddle:
      return CeilDiv(fft.a, lanes);
    case FftPart::kLast:
      return CeilDiv(fft.convolution ? fft.b : fft.a, lanes);
    default:
      return CeilDiv(fft.length, kPassNumbers);
  }
}

}  // namespace tenon::compiler
