#include "tenon/compiler/plan/fft_plan.h"

#include <algorithm>
#include <cmath>

#include "llvm/Support/MathExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/plan/group_fft_plan.h"

namespace tenon::compiler {
namespace {

// From this length on, if there are fewer transforms than lanes, each transform is
// vectorized along its own elements (FourStepFft) instead of one transform per lane.
constexpr int64_t kMinFourStepLength = 128;
constexpr int64_t kMaxChunks = 16;
// From this length on, threads share a transform if there are few.
constexpr int64_t kMinSharedLength = 1 << 15;
// An odd number of reals, from which on FftPhase::split is used. With fewer, 100 rows
// take the same time, and inverse transforms have up to 1.3 times the built-in's error.
constexpr int64_t kMinSequences = 96;
// Vector instructions per number of a convolution: two transforms of twice the length, of
// four or five steps with some 14 each. Of a step of radix r: r + 10.
constexpr double kConvolutionCost = 250;
// Of a convolution for each lane: two buffers, which stay in a share of the last-level
// cache. From 8 MB on, rows one by one are as fast.
constexpr int64_t kMaxRowBuffers = 6 << 20;
// Of an odd number of reals, for which the other algorithm has twice the work.
constexpr int64_t kMaxRealRowBuffers = 8 << 20;
// Rows longer than kMaxFftLaneLength, one per lane: two buffers, and as many vectors of
// rows as threads that rows one by one would use in the same time (on one core of a Zen
// 3, 32 rows of 10,000 take 0.6 of the time, of 32,768, of 4 MB, the same).
constexpr int64_t kMaxLongRowBuffers = 3 << 20;
constexpr int64_t kMinVectorsOfLongRows = 4;

// The radices of a transform, and what is left of the length: a product of primes above
// max_prime.
std::pair<llvm::SmallVector<int64_t>, int64_t> Factor(int64_t length, int64_t max_power,
                                                      int64_t max_prime) {
  llvm::SmallVector<int64_t> radices;
  int64_t left = length;
  int twos = 0;
  for (; left % 2 == 0; left /= 2) ++twos;
  if (max_power >= 8)
    for (; twos >= 5 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (; left % 9 == 0; left /= 9) radices.push_back(9);
  for (int64_t prime = 3; prime <= max_prime && left > 1; prime += 2)
    for (; left % prime == 0; left /= prime) radices.push_back(prime);
  return {radices, left};
}

llvm::SmallVector<FftStep> StepsOf(llvm::ArrayRef<int64_t> radices, int64_t length) {
  llvm::SmallVector<FftStep> steps;
  int64_t rest = length, columns = 1;
  for (int64_t radix : radices) {
    rest /= radix;
    steps.push_back({radix, rest, columns});
    columns *= radix;
  }
  return steps;
}

// See FftPhase::split: the divisor, 9 or a prime up to max_prime, with the least work,
// or 1.
int64_t SequencesOf(int64_t length, int64_t max_prime) {
  if (length < kMinSequences) return 1;
  const auto cost = [](int64_t radix) { return static_cast<double>(radix) + 10; };
  const auto [radices, primes] = Factor(length, 8, max_prime);
  double all = primes == 1 ? 0 : kConvolutionCost;
  for (int64_t radix : radices) all += cost(radix);
  int64_t best = 1;
  double least = all;
  for (int64_t radix : radices) {
    if (radix == length) continue;
    const double work = (all - cost(radix)) * static_cast<double>(radix + 1) /
                            static_cast<double>(2 * radix) +
                        cost(radix) / 2;
    if (work >= least) continue;
    best = radix;
    least = work;
  }
  return best;
}

struct FftPlanner {
  const FftSpec& spec;
  const CostModel& cost;
  int64_t real_bytes;
  FftPlan plan;

  double TransformNs(int64_t length) const {
    double n = static_cast<double>(length);
    return cost.transform_step_ns * std::log2(n + 1) * n;
  }

  // A transform of one row.
  double RowNs(const FftPhase& phase) const {
    const auto split = static_cast<double>(phase.split);
    double ns = TransformNs(phase.length) * (split == 1 ? 1 : (split + 1) / (2 * split));
    for (const FftStep& step : phase.steps)
      if (step.convolved)
        ns += 2 * TransformNs(step.convolved) * static_cast<double>(step.columns);
    return ns;
  }

  bool HasColumns(int64_t length) const {
    return length <= kMaxFftLaneLength && !FftStepsOf(length).empty();
  }

  // The longest row whose two buffers are not larger than `bytes`.
  int64_t LongestRow(int64_t bytes) const {
    return bytes / (2 * plan.lanes * 2 * real_bytes);
  }

  // The length of the convolution that is a transform of `length` numbers, if two buffers
  // of one for each lane are not too large; 0 otherwise.
  int64_t ConvolvedLength(int64_t length) const {
    const int64_t longest = LongestRow(kMaxRowBuffers);
    // In f64, more than one step of 3, 5 or 9 has up to 1.17 times the error of the
    // built-in CPU's transforms; steps of 8 have 0.8.
    const int64_t max_odd = real_bytes == 8 ? 9 : 4 * length;
    int64_t best = 0;
    double least = 0;
    for (int64_t fives = 1; fives <= max_odd; fives *= 5) {
      for (int64_t odd = fives; odd <= max_odd; odd *= 3) {
        int64_t padded = odd;
        while (padded < 2 * length - 1) padded *= 2;
        if (padded > longest) continue;
        const auto steps = static_cast<double>(FftStepsOf(padded, 8, 5).size());
        const double cost = static_cast<double>(padded) * steps;
        if (best && cost >= least) continue;
        best = padded;
        least = cost;
      }
    }
    return best;
  }

  // Steps whose last is a convolution, of the product of the primes above max_prime.
  // Empty if its buffers or the rows' are too large.
  llvm::SmallVector<FftStep> ConvolvedSteps(int64_t length, int64_t max_prime) const {
    if (length > LongestRow(kMaxRowBuffers)) return {};
    auto [radices, primes] = Factor(length, 8, max_prime);
    const int64_t convolved = ConvolvedLength(primes);
    if (!convolved) return {};
    radices.push_back(primes);
    llvm::SmallVector<FftStep> steps = StepsOf(radices, length);
    steps.back().convolved = convolved;
    return steps;
  }

  // Adds `rows` transforms of `last` numbers along the last dimension. Returns false if
  // they are not supported.
  bool AddLast(int64_t rows, int64_t last, FftArray from, FftArray to, double scale) {
    RealSide side = spec.real_side;
    FftPhase phase{FftPhase::Kind::kRows, rows, last, 1, from, to};
    phase.scale = scale;
    phase.real_side = side;
    // Pairs of reals form complex numbers.
    phase.real_pairs = side != RealSide::kNone && last % 2 == 0 && last >= kMinFftPairs;
    if (phase.real_pairs) phase.length = last / 2;
    return AddRows(phase) || AddFourStep(std::move(phase));
  }

  // Of reals and of f64, convolutions have a larger error than the built-in CPU's
  // transforms, and butterflies have not.
  bool IsExact(const FftPhase& phase) const {
    return phase.real_side != RealSide::kNone || real_bytes == 8;
  }

  // Whether rows of this length are fast with one row per lane.
  bool FitsLanes(const FftPhase& phase) const {
    if (phase.length <= kMaxFftLaneLength) return true;
    if (phase.split != 1) return phase.length <= LongestRow(kMaxRealRowBuffers);
    return phase.length <= LongestRow(kMaxLongRowBuffers) &&
           phase.outer >= kMinVectorsOfLongRows * plan.lanes;
  }

  // One transform per lane. Returns false if another algorithm is to be used.
  bool AddRows(FftPhase phase) {
    const bool few = phase.outer < plan.lanes;
    const bool exact = IsExact(phase);
    const int64_t max_prime = few && exact      ? kMaxPrimeOfFewExactRows
                              : few             ? kMaxPrimeOfFewRows
                              : plan.lanes < 16 ? kMaxPrimeOfFewLanes
                                                : kMaxPrime;
    if (phase.real_side != RealSide::kNone && !phase.real_pairs)
      phase.split = SequencesOf(phase.length, max_prime);
    const int64_t length = phase.length / phase.split;
    const int64_t max_butterfly = exact || few ? max_prime : kMaxPrimeOfRows;
    if (!few && FftStepsOf(length, 8, max_butterfly).empty())
      phase.steps = ConvolvedSteps(length, max_butterfly);
    if (phase.steps.size() == 1 && phase.split == 1)
      phase.steps[0].in_place = phase.steps[0].convolved != 0;
    if (phase.steps.empty()) {
      if (FftStepsOf(length, 8, max_prime).empty() || !FitsLanes(phase)) return false;
      // A prime has no factors for four steps, which would be a convolution.
      const bool butterfly = exact && FftStepsOf(phase.length).size() == 1;
      if (few && phase.length >= kMinFourStepLength && !butterfly) return false;
      phase.steps = FftStepsOf(length);
    }
    // One row needs no transpose tiles.
    if (phase.outer == 1 && phase.real_side == RealSide::kNone)
      phase.kind = FftPhase::Kind::kColumns;
    Add(std::move(phase));
    return true;
  }

  // Each transform vectorized along its own elements. `phase` is one of rows.
  bool AddFourStep(FftPhase phase) {
    const RealSide side = phase.real_side;
    const bool pairs = phase.real_pairs;
    FourStepFft& fft = plan.four_step =
        PlanFourStep(phase.length, plan.lanes, real_bytes, IsExact(phase));
    if (!fft.a) return false;
    fft.real_input = side == RealSide::kInput && !pairs;
    fft.half_output = fft.real_input;
    fft.real_output = side == RealSide::kOutput && !pairs;
    if (side == RealSide::kOutput)
      fft.parts.push_back(pairs ? FftPart::kFromHalf : FftPart::kHermitian);
    fft.parts.push_back(FftPart::kFirst);
    if (fft.convolution) fft.parts.push_back(FftPart::kMiddle);
    fft.parts.push_back(FftPart::kLast);
    if (side == RealSide::kInput && pairs) fft.parts.push_back(FftPart::kToHalf);
    phase.kind = FftPhase::Kind::kFourStep;
    phase.real_side = RealSide::kNone;
    phase.real_pairs = false;
    plan.memory_per_chunk = phase.outer >= kMaxChunks || fft.a * fft.b < kMinSharedLength;
    if (plan.memory_per_chunk) {
      phase.last_part = fft.parts.size() - 1;
      Add(phase);
    } else {
      for (size_t part = 0; part < fft.parts.size(); ++part) {
        phase.first_part = phase.last_part = part;
        Add(phase);
      }
    }
    return true;
  }

  void Add(FftPhase phase) {
    const FourStepFft& fft = plan.four_step;
    int64_t longest = phase.length;
    double ns;
    if (phase.kind == FftPhase::Kind::kFourStep) {
      phase.units = phase.outer;
      ns = static_cast<double>(phase.outer) * TransformNs(fft.a * fft.b) *
           (fft.convolution ? cost.convolved_transform : 1);
      if (!plan.memory_per_chunk) {
        phase.units *= UnitsOfPart(fft, fft.parts[phase.first_part], plan.lanes);
        ns /= static_cast<double>(fft.parts.size());
      }
      longest = std::max(fft.a, fft.b);
    } else {
      if (phase.steps.empty()) phase.steps = FftStepsOf(longest);
      if (phase.steps[0].in_place) longest = phase.steps[0].convolved;
      phase.units = phase.kind == FftPhase::Kind::kRows
                        ? CeilDiv(phase.outer, plan.lanes)
                        : phase.outer * CeilDiv(phase.inner, plan.lanes);
      ns = RowNs(phase) * static_cast<double>(phase.units * plan.lanes);
    }
    plan.estimated_ns += ns;
    phase.chunks =
        ns < cost.min_parallel_phase_ns ? 1 : std::min(phase.units, kMaxChunks);
    // Room for one number more, for the end of a transform with a real side, and for what
    // is loaded beyond it. Buffers lie an odd number of cache lines apart, so that they
    // do not share cache sets.
    int64_t bytes = (longest + 1 + plan.lanes) * 2 * plan.lanes * real_bytes;
    plan.buffer_bytes = std::max(plan.buffer_bytes, AlignUp(bytes, 128) + 64);
    auto reserve_butterfly = [&](llvm::ArrayRef<FftStep> steps) {
      for (const FftStep& step : steps) {
        int64_t numbers = step.radix > kMaxButterfly ? step.radix / 2 * 2 : 0;
        if (step.convolved) numbers = step.in_place ? 0 : 2 * ConvolutionBuffer(step);
        plan.butterfly_bytes = std::max(
            plan.butterfly_bytes, AlignUp(numbers * 2 * plan.lanes * real_bytes, 64));
      }
    };
    reserve_butterfly(phase.steps);
    reserve_butterfly(FftStep{phase.split, 1, 1});
    if (phase.kind == FftPhase::Kind::kFourStep) {
      reserve_butterfly(fft.steps_a);
      reserve_butterfly(fft.steps_b);
    }
    plan.phases.push_back(phase);
  }

  void AddScratch() {
    int64_t chunks = 1, transforms = 0;
    for (const FftPhase& phase : plan.phases) {
      chunks = std::max(chunks, phase.chunks);
      if (phase.kind == FftPhase::Kind::kFourStep)
        transforms = plan.memory_per_chunk ? phase.chunks : phase.outer;
    }
    plan.temporary_bytes = AlignUp(plan.temporary_bytes, 64);
    plan.buffers_offset = plan.temporary_bytes + transforms * plan.four_step.memory_bytes;
    plan.chunk_bytes = 2 * plan.buffer_bytes + plan.butterfly_bytes;
    plan.scratch_bytes = plan.buffers_offset + chunks * plan.chunk_bytes;
  }
};

}  // namespace

llvm::SmallVector<FftStep> FftStepsOf(int64_t length, int64_t max_power,
                                      int64_t max_prime) {
  auto [radices, left] = Factor(length, max_power, max_prime);
  if (left != 1) return {};
  // Equal radices share a function, except in the last step, which has no twiddle
  // factors. So a radix that occurs once comes last.
  auto once = [&, &radices = radices](int64_t radix) {
    return llvm::count(radices, radix) == 1;
  };
  auto last = llvm::find_if(llvm::reverse(radices), once);
  if (last != radices.rend()) std::rotate(last.base() - 1, last.base(), radices.end());
  return StepsOf(radices, length);
}

std::optional<FftPlan> PlanFft(const FftSpec& spec, const TargetTraits& target) {
  if (auto groups = PlanGroupFft(spec, target)) {
    // Has no phases of its own: code generation plans the groups again.
    FftPlan plan;
    plan.scratch_bytes = groups->scratch_bytes;
    return plan;
  }
  FftPlanner planner{spec, target.cost, spec.real == ElementType::kF64 ? 8 : 4, {}};
  FftPlan& plan = planner.plan;
  plan.lanes = std::max<int64_t>(2, target.vector_bits / 8 / planner.real_bytes);
  int64_t rank = spec.lengths.size(), last = spec.lengths.back();
  double total = static_cast<double>(spec.outer), count = 1;
  for (int64_t length : spec.lengths) {
    if (length < 2) return std::nullopt;
    total *= static_cast<double>(length);
    count *= static_cast<double>(length);
  }
  if (total > kMaxFftNumbers) return std::nullopt;
  double scale = spec.inverse ? 1 / count : 1;

  int64_t rows = static_cast<int64_t>(total) / last;
  bool to_real = spec.real_side == RealSide::kOutput;
  // The other dimensions are first if the last one is complete only after them.
  if (!to_real && !planner.AddLast(rows, last, FftArray::kInput, FftArray::kOutput,
                                   rank == 1 ? scale : 1))
    return std::nullopt;
  // Complex numbers per row.
  int64_t inner = spec.real_side == RealSide::kNone ? last : last / 2 + 1;
  if (to_real && rank > 1) plan.temporary_bytes = rows * inner * 2 * planner.real_bytes;
  FftArray from = to_real ? FftArray::kInput : FftArray::kOutput;
  FftArray to = to_real ? FftArray::kTemporary : FftArray::kOutput;
  int64_t outer = rows;
  for (int64_t d = rank - 2; d >= 0; --d) {
    int64_t length = spec.lengths[d];
    if (!planner.HasColumns(length)) return std::nullopt;
    outer /= length;
    FftPhase phase{FftPhase::Kind::kColumns, outer, length, inner, from, to};
    if (d == 0 && !to_real) phase.scale = scale;
    planner.Add(phase);
    inner *= length;
    from = to;
  }
  if (to_real &&
      !planner.AddLast(rows, last, rank > 1 ? FftArray::kTemporary : FftArray::kInput,
                       FftArray::kOutput, scale))
    return std::nullopt;
  planner.AddScratch();
  return plan;
}

}  // namespace tenon::compiler
