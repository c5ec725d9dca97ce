#include "tenon/compiler/codegen/fft/fft_plan.h"

#include <cmath>

#include "tenon/base/integer_division.h"

namespace tenon::codegen {
namespace {

// What a chunk works on (as many numbers as a vector has lanes, in two buffers) should
// stay in the cache.
constexpr int64_t kLongest = 8192;
// Single transforms from this length on are cut in two, to have work for all lanes.
constexpr int64_t kCutFrom = 128;
constexpr int64_t kMostChunks = 16;
constexpr double kSmallNs = 30e3;  // not worth a second thread

// The radices of a transform, the large ones first; empty if there is a prime that has no
// butterfly.
llvm::SmallVector<int64_t> Radices(int64_t length) {
  llvm::SmallVector<int64_t> radices;
  int twos = 0;
  for (; length % 2 == 0; length /= 2) ++twos;
  for (; twos >= 5 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (int64_t prime : {13, 11, 7, 5, 3})
    for (; length % prime == 0; length /= prime) radices.push_back(prime);
  if (length != 1) radices.clear();
  return radices;
}

llvm::SmallVector<FftStep> Steps(int64_t length) {
  llvm::SmallVector<FftStep> steps;
  int64_t rest = length, columns = 1;
  for (int64_t radix : Radices(length)) {
    rest /= radix;
    steps.push_back({radix, rest, columns});
    columns *= radix;
  }
  return steps;
}

// The factor nearest to the square root for which both parts are short enough; 0: none.
int64_t Cut(int64_t length) {
  for (int64_t factor = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
       factor > 1; --factor)
    if (length % factor == 0) return length / factor <= kLongest ? factor : 0;
  return 0;
}

}  // namespace

std::optional<FftPlan> PlanFft(const FftSpec& spec, const TargetTraits& target) {
  FftPlan plan;
  int64_t real_bytes = spec.real == ElementType::kF64 ? 8 : 4;
  plan.lanes = std::max<int64_t>(2, target.vector_bits / 8 / real_bytes);
  int64_t rank = spec.lengths.size(), last = spec.lengths.back();
  bool is_real = spec.real_side != RealSide::kNone;
  if (is_real && (last % 2 != 0 || last < 4)) return std::nullopt;
  double total = spec.outer, count = 1;
  for (int64_t length : spec.lengths) {
    if (length < 2 || Radices(length).empty()) return std::nullopt;
    total *= static_cast<double>(length);
    count *= static_cast<double>(length);
  }
  if (total > 1e10) return std::nullopt;
  double scale = spec.inverse ? 1 / count : 1;

  // Along the last dimension.
  int64_t rows = static_cast<int64_t>(total) / last;
  int64_t half = last / 2 + 1;
  int64_t inner = is_real ? half : last;  // complex numbers in a row
  std::vector<FftPhase> along_rows;
  auto add_rows = [&](FftPlace from, FftPlace to, double by) {
    FftPhase phase{FftPhase::Kind::kRows, rows, is_real ? last / 2 : last, 1, from, to};
    phase.real_side = spec.real_side;
    phase.scale = by;
    plan.phases.push_back(phase);
  };
  bool cut = !is_real && (last > kLongest || (rows < plan.lanes && last >= kCutFrom));
  int64_t factor = cut ? Cut(last) : 0;
  if (!factor && (is_real ? last / 2 : last) > kLongest) return std::nullopt;
  if (spec.real_side == RealSide::kOutput) {
    // Other dimensions first, as the last one has all of its numbers only afterwards.
    if (rank > 1) plan.temporary_bytes = rows * half * 2 * real_bytes;
  } else if (factor) {
    FftPhase first{
        FftPhase::Kind::kTwisted, rows, factor, last / factor, FftPlace::kInput,
        FftPlace::kTemporary};
    FftPhase second{
        FftPhase::Kind::kColumns, rows, last / factor, factor, FftPlace::kTemporary,
        FftPlace::kOutput};
    if (rank == 1) second.scale = scale;
    plan.phases = {first, second};
    plan.temporary_bytes = rows * last * 2 * real_bytes;
  } else {
    add_rows(FftPlace::kInput, FftPlace::kOutput, rank == 1 ? scale : 1);
  }
  // Along the others, in place.
  bool to_real = spec.real_side == RealSide::kOutput;
  FftPlace from = to_real ? FftPlace::kInput : FftPlace::kOutput;
  FftPlace to = to_real ? FftPlace::kTemporary : FftPlace::kOutput;
  int64_t outer = rows;
  for (int64_t d = rank - 2; d >= 0; --d) {
    int64_t length = spec.lengths[d];
    if (length > kLongest) return std::nullopt;
    outer /= length;
    FftPhase phase{FftPhase::Kind::kColumns, outer, length, inner, from, to};
    if (d == 0 && !to_real) phase.scale = scale;
    plan.phases.push_back(phase);
    inner *= length;
    from = to;
  }
  if (to_real)
    add_rows(rank > 1 ? FftPlace::kTemporary : FftPlace::kInput, FftPlace::kOutput,
             scale);

  int64_t chunks = 1;
  for (FftPhase& phase : plan.phases) {
    phase.steps = Steps(phase.length);
    phase.units = phase.kind == FftPhase::Kind::kRows
                      ? CeilDiv(phase.outer, plan.lanes)
                      : phase.outer * CeilDiv(phase.inner, plan.lanes);
    double ns = 0.2 * std::log2(static_cast<double>(phase.length) + 1) *
                static_cast<double>(phase.units * plan.lanes * phase.length);
    plan.estimated_ns += ns;
    phase.chunks = ns < kSmallNs ? 1 : std::min(phase.units, kMostChunks);
    chunks = std::max(chunks, phase.chunks);
    // One number more, for the end of a transform with a real side. An odd number of
    // cache lines apart, so that the buffers do not fall on each other.
    int64_t bytes = (phase.length + 1) * 2 * plan.lanes * real_bytes;
    plan.buffer_bytes = std::max(plan.buffer_bytes, CeilDiv(bytes, 128) * 128 + 64);
  }
  plan.temporary_bytes = CeilDiv(plan.temporary_bytes, 64) * 64;
  plan.scratch_bytes = plan.temporary_bytes + 2 * chunks * plan.buffer_bytes;
  return plan;
}

}  // namespace tenon::codegen
