// Fourier transforms on a device whose rows fit the local memory of a group: one group
// transforms a few rows of one dimension. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_
#define TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_

#include <optional>
#include <vector>

#include "tenon/compiler/plan/fft_plan.h"

namespace tenon::compiler {

// Transforms of `length` numbers along the middle dimension of [outer, length, inner].
struct GroupFftPhase {
  int64_t outer = 1, length = 1, inner = 1;
  FftArray from = FftArray::kInput, to = FftArray::kOutput;
  RealSide real_side = RealSide::kNone;  // the real side has `length` reals
  double scale = 1;
  int64_t group_rows = 1;  // that a group transforms
  // Lengths with large primes are convolutions of so many numbers (Bluestein); 0 for
  // others.
  int64_t convolution = 0;
  llvm::SmallVector<FftStep> steps;  // of Padded() numbers

  int64_t Rows() const { return outer * inner; }
  int64_t Padded() const { return convolution ? convolution : length; }
  // Of local memory: two buffers.
  int64_t LocalBytes(int64_t number_bytes) const {
    return 2 * group_rows * Padded() * number_bytes;
  }
  int64_t Groups() const { return (Rows() + group_rows - 1) / group_rows; }
  // The numbers of a row in the arrays.
  int64_t Loaded() const {
    return real_side == RealSide::kOutput ? length / 2 + 1 : length;
  }
  int64_t Stored() const {
    return real_side == RealSide::kInput ? length / 2 + 1 : length;
  }
};

struct GroupFftPlan {
  std::vector<GroupFftPhase> phases;
  int64_t scratch_bytes = 0;  // the temporary array
};

// Nullopt if the target has no device, or for a length whose steps do not fit local
// memory twice.
std::optional<GroupFftPlan> PlanGroupFft(const FftSpec& spec, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_
