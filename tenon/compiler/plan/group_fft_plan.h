// Fourier transforms on a device whose rows fit the local memory of a group: one group
// transforms a few rows of one dimension. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_
#define TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_

#include <optional>
#include <vector>

#include "tenon/compiler/plan/fft_plan.h"

namespace tenon::compiler {

// Transforms of `length` numbers along the middle dimension of [outer, length, inner].
//
// A long transform has two phases (the four-step algorithm): its numbers are a matrix.
// The first transforms the columns, and multiplies the results by roots of unity. The
// second transforms the rows, and stores the transpose. Real sides are those of the whole
// transform.
struct GroupFftPhase {
  enum class Part { kWhole, kColumns, kRows };
  int64_t outer = 1, length = 1, inner = 1;
  FftArray from = FftArray::kInput, to = FftArray::kOutput;
  RealSide real_side = RealSide::kNone;  // the real side has `length` reals
  double scale = 1;
  Part part = Part::kWhole;
  int64_t matrix_rows = 1, matrix_columns = 1;  // of a long transform
  int64_t group_rows = 1;                       // that a group transforms
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
  int64_t Whole() const { return matrix_rows * matrix_columns; }
  // The numbers of a row in the arrays.
  int64_t Loaded() const {
    const bool half = part == Part::kWhole && real_side == RealSide::kOutput;
    return half ? length / 2 + 1 : length;
  }
  int64_t Stored() const {
    const bool half = part == Part::kWhole && real_side == RealSide::kInput;
    return half ? length / 2 + 1 : length;
  }
};

struct GroupFftPlan {
  std::vector<GroupFftPhase> phases;
  int64_t scratch_bytes = 0;  // the temporary array, or that of a long transform
};

// Nullopt if the target has no device, and for lengths that do not fit local memory
// twice; but a transform of one dimension may be the product of two that do.
std::optional<GroupFftPlan> PlanGroupFft(const FftSpec& spec, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_GROUP_FFT_PLAN_H_
