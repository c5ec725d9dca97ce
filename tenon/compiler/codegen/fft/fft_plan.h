// Discrete Fourier transforms as generated code: which lengths, in which steps. Plain
// values; any thread.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_PLAN_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_PLAN_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/codegen/contract/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

// Which side of a transform is real; the other has half the elements and one more in its
// last dimension.
enum class RealSide { kNone, kInput, kOutput };

// A transform of the last dimensions of a dense array, given by the real or longer side.
struct FftSpec {
  ElementType real;                    // kF32 or kF64
  int64_t outer = 1;                   // of the dimensions that are not transformed
  llvm::SmallVector<int64_t> lengths;  // at least one
  bool inverse = false;
  RealSide real_side = RealSide::kNone;
};

// One step of a transform: elements [radix, rest, columns] become [rest, radix, columns]
// (decimation in frequency, Stockham's order). The columns join the next step's.
struct FftStep {
  int64_t radix, rest, columns;
};

enum class FftPlace { kInput, kOutput, kTemporary };

// Transforms of `length` complex numbers, a lane each.
struct FftPhase {
  // kRows: [outer, length], read and written through transposed squares. kColumns:
  // [outer, length, inner], the lanes along `inner`. kTwisted: as kColumns, but the
  // result is [outer, inner, length], times the roots that join two halves of a long
  // transform.
  enum class Kind { kRows, kColumns, kTwisted } kind;
  int64_t outer, length, inner;
  FftPlace from, to;
  RealSide real_side = RealSide::kNone;  // kRows only: pairs of reals are complex numbers
  double scale = 1;
  llvm::SmallVector<FftStep> steps = {};
  int64_t units = 0;   // vectors of transforms
  int64_t chunks = 0;  // that share them
};

struct FftPlan {
  int lanes = 1;
  std::vector<FftPhase> phases;
  int64_t temporary_bytes = 0;  // at the start of the scratch memory
  int64_t buffer_bytes = 0;     // a chunk has two of them
  int64_t scratch_bytes = 0;
  double estimated_ns = 0;
};

// Nothing where a length has a prime factor above 13, is 1, or is too long.
std::optional<FftPlan> PlanFft(const FftSpec& spec, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_PLAN_H_
