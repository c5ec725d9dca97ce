#include "tenon/compiler/plan/group_fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tenon/compiler/targets/device_target.h"

namespace tenon::compiler {
namespace {

// The numbers of short rows that a group transforms together.
constexpr int64_t kGroupNumbers = 1024;

// The numbers of rows of long transforms: memory is accessed some rows at a time.
constexpr int64_t kLongGroupNumbers = 4096;
// The longest transform; its roots of unity are products of two from tables.
constexpr int64_t kMaxLong = int64_t{1} << 26;

// Two factors of `length`, as equal as can be, that groups can transform; {0, 0} if there
// are none.
std::pair<int64_t, int64_t> FactorsOf(int64_t length, int64_t most) {
  if (length > kMaxLong) return {0, 0};
  for (auto a = static_cast<int64_t>(std::sqrt(static_cast<double>(length))); a > 1;
       --a) {
    if (length % a != 0) continue;
    const int64_t b = length / a;
    if (b > most) break;
    if (!FftStepsOf(a, 8, kMaxButterfly).empty() &&
        !FftStepsOf(b, 8, kMaxButterfly).empty())
      return {a, b};
  }
  return {0, 0};
}

// The length of the convolution that transforms `length` numbers; 0: none is needed.
int64_t ConvolutionOf(int64_t length) {
  if (!FftStepsOf(length, 8, kMaxButterfly).empty()) return 0;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * length - 1)));
}

int64_t RowsOfGroup(const GroupFftPhase& phase, int64_t numbers) {
  const int64_t fitting = numbers / phase.Padded();
  return static_cast<int64_t>(std::bit_floor(
      static_cast<uint64_t>(std::clamp<int64_t>(fitting, 1, phase.Rows()))));
}

std::optional<GroupFftPlan> PlanLong(const FftSpec& spec, int64_t most,
                                     int64_t number_bytes) {
  const int64_t length = spec.lengths[0];
  const auto [rows, columns] = FactorsOf(length, most);
  if (rows == 0) return std::nullopt;
  GroupFftPhase phase;
  phase.real_side = spec.real_side;
  phase.matrix_rows = rows;
  phase.matrix_columns = columns;
  GroupFftPlan plan;
  for (auto part : {GroupFftPhase::Part::kColumns, GroupFftPhase::Part::kRows}) {
    const bool first = part == GroupFftPhase::Part::kColumns;
    phase.part = part;
    phase.outer = first ? spec.outer : spec.outer * rows;
    phase.inner = first ? columns : 1;
    phase.length = first ? rows : columns;
    phase.from = first ? FftArray::kInput : FftArray::kTemporary;
    phase.to = first ? FftArray::kTemporary : FftArray::kOutput;
    phase.scale = !first && spec.inverse ? 1 / static_cast<double>(length) : 1;
    phase.steps = FftStepsOf(phase.length, 8, kMaxButterfly);
    phase.group_rows = RowsOfGroup(phase, std::min(kLongGroupNumbers, most));
    plan.phases.push_back(phase);
  }
  plan.scratch_bytes = spec.outer * length * number_bytes;
  return plan;
}

}  // namespace

std::optional<GroupFftPlan> PlanGroupFft(const FftSpec& spec,
                                         const TargetTraits& target) {
  if (!target.device) return std::nullopt;
  const int64_t number_bytes = spec.real == ElementType::kF64 ? 16 : 8;
  const int64_t local_bytes =
      std::max(target.device->local_bytes, target.device->dynamic_local_bytes);
  const int64_t most = local_bytes / (2 * number_bytes);
  double count = 1;
  for (int64_t length : spec.lengths) {
    if (length < 2) return std::nullopt;
    if (std::max(length, ConvolutionOf(length)) > most)
      return spec.lengths.size() == 1 ? PlanLong(spec, most, number_bytes) : std::nullopt;
    count *= static_cast<double>(length);
  }
  GroupFftPlan plan;
  auto add = [&](GroupFftPhase phase) {
    phase.convolution = ConvolutionOf(phase.length);
    phase.steps = FftStepsOf(phase.Padded(), 8, kMaxButterfly);
    phase.group_rows = RowsOfGroup(phase, std::min(kGroupNumbers, most));
    plan.phases.push_back(phase);
  };
  // The last dimension is first, unless it is complete only after the others.
  const bool to_real = spec.real_side == RealSide::kOutput;
  const auto rank = spec.lengths.size();
  const int64_t last = spec.lengths.back();
  int64_t outer = spec.outer;
  for (size_t d = 0; d + 1 < rank; ++d) outer *= spec.lengths[d];
  GroupFftPhase rows;
  rows.outer = outer;
  rows.length = last;
  rows.real_side = spec.real_side;
  if (to_real && rank > 1) rows.from = FftArray::kTemporary;
  if (!to_real) add(rows);
  int64_t inner = spec.real_side == RealSide::kNone ? last : last / 2 + 1;
  if (to_real && rank > 1) plan.scratch_bytes = outer * inner * number_bytes;
  FftArray from = to_real ? FftArray::kInput : FftArray::kOutput;
  const FftArray to = to_real ? FftArray::kTemporary : FftArray::kOutput;
  for (size_t d = rank - 1; d-- > 0;) {
    outer /= spec.lengths[d];
    GroupFftPhase columns;
    columns.outer = outer;
    columns.length = spec.lengths[d];
    columns.inner = inner;
    columns.from = from;
    columns.to = to;
    add(columns);
    inner *= spec.lengths[d];
    from = to;
  }
  if (to_real) add(rows);
  if (spec.inverse) plan.phases.back().scale = 1 / count;
  return plan;
}

}  // namespace tenon::compiler
