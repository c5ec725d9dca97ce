// Discrete Fourier transforms as generated code: which lengths, and in which steps. Plain
// values; any thread.
#ifndef TENON_COMPILER_PLAN_FFT_PLAN_H_
#define TENON_COMPILER_PLAN_FFT_PLAN_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/analysis/fft_lengths.h"
#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// Primes up to kMaxButterfly have a butterfly in registers. Primes up to kMaxPrime have a
// butterfly with loops over its inputs and outputs. Lengths with larger primes are
// convolutions (Bluestein), which have twice the error, and for 64 rows of 257 numbers of
// f32 the same time.
//
// A butterfly takes the time of all lanes for any number of rows. With fewer rows than
// lanes it is therefore limited to primes up to kMaxPrimeOfFewRows, or for reals and f64
// to kMaxPrimeOfFewExactRows, beyond which the built-in CPU convolves, too. With few
// lanes (64 rows of 223 numbers of f64) it is limited to kMaxPrimeOfFewLanes. With a row
// for each lane, and complex numbers of f32, convolutions with one row per lane are
// faster beyond kMaxPrimeOfRows.
inline constexpr int64_t kMaxButterfly = 13;
inline constexpr int64_t kMaxPrime = kMaxFftPrime;
inline constexpr int64_t kMaxPrimeOfFewLanes = 193;
inline constexpr int64_t kMaxPrimeOfFewRows = 113;
inline constexpr int64_t kMaxPrimeOfFewExactRows = 131;
inline constexpr int64_t kMaxPrimeOfRows = 109;

// The side of a transform that is real. The other side has half the elements plus one in
// its last dimension.
enum class RealSide { kNone, kInput, kOutput };

// A transform of the last dimensions of a dense array. The lengths are those of the real
// side if there is one.
struct FftSpec {
  ElementType real;   // kF32 or kF64
  int64_t outer = 1;  // product of the dimensions that are not transformed
  llvm::SmallVector<int64_t> lengths;  // at least one
  bool inverse = false;
  RealSide real_side = RealSide::kNone;
};

// One step of a transform: elements [radix, rest, columns] become [rest, radix, columns]
// (decimation in frequency, Stockham order). The columns of a step are part of the next
// step's columns. The last step of rows may be a convolution (Bluestein) of length
// `convolved`, a product of powers of 2, 3 and 5; 0: it is not. With `in_place`, it is
// the only step, and uses the two buffers of the rows.
struct FftStep {
  int64_t radix, rest, columns;
  int64_t convolved = 0;
  bool in_place = false;
};

// The steps of a transform; empty if there is a prime above max_prime or the length is 1.
// max_power is the largest power of two that is a radix: 4 or 8.
llvm::SmallVector<FftStep> FftStepsOf(int64_t length, int64_t max_power = 8,
                                      int64_t max_prime = kMaxPrime);

// The numbers from one buffer of a step's convolution to the other: 9 more than needed,
// so that the buffers do not share cache sets, and that a load does not wait for an
// earlier store whose address has the same low 12 bits. With 1, 40 rows of 1,009 numbers
// of f64 take 1.3 times the time.
inline int64_t ConvolutionBuffer(const FftStep& step) { return step.convolved + 9; }

enum class FftArray { kInput, kOutput, kTemporary };

// The four-step algorithm: one transform of `length` complex numbers, vectorized along
// its own elements. The elements are a matrix [a, b]. Each part reads and writes rows of
// `lanes` columns:
//   kFirst   [a, b]: transforms of the columns, times the twiddle factors; result [b, a]
//   kMiddle  of a convolution, [b, a]: transforms of the columns, times the filter,
//            transforms of the columns, times twiddle factors; result [a, b]
//   kLast    transforms of the columns, without a transposition
// A transform is kFirst, then kLast of [b, a]. A convolution is kFirst, kMiddle, kLast of
// [a, b]. Real numbers need one more pass before or after:
//   kHermitian  computes the upper half of the spectrum of `length` reals from the
//            lower one, by Hermitian symmetry
//   kToHalf, kFromHalf  convert between the spectrum of 2 * length reals and that of
//            `length` complex numbers, the pairs of reals
enum class FftPart { kHermitian, kFromHalf, kFirst, kMiddle, kLast, kToHalf };

struct FourStepFft {
  int64_t length = 0, a = 0, b = 0;
  bool convolution = false;
  bool real_input = false, real_output = false;  // one real for each complex number
  bool half_output = false;                      // length / 2 + 1 numbers are stored
  llvm::SmallVector<FftPart> parts;
  llvm::SmallVector<FftStep> steps_a, steps_b;
  // Offsets in the memory of one transform, in bytes: the numbers that the passes read or
  // write, the result of kFirst (rows stride_a numbers apart) and the result of kMiddle
  // (stride_b).
  int64_t numbers_offset = 0, first_offset = 0, middle_offset = 0, memory_bytes = 0;
  int64_t stride_a = 0, stride_b = 0;
};

// The numbers that one unit of a pass processes.
inline constexpr int64_t kPassNumbers = 4096;

// Transforms of `length` complex numbers.
struct FftPhase {
  // kRows: [outer, length], one lane per row, read and written through transpose
  // tiles. kColumns: [outer, length, inner], lanes along `inner`. kFourStep: [outer,
  // length], parts first_part to last_part of `four_step`: all parts in one phase, or
  // one part per phase if there are too few rows for all threads.
  enum class Kind { kRows, kColumns, kFourStep } kind;
  int64_t outer, length, inner;
  FftArray from, to;
  RealSide real_side = RealSide::kNone;  // kRows
  bool real_pairs = false;  // pairs of reals form complex numbers; else each real is one
  double scale = 1;
  // kRows: if not 1, `length` reals, an odd number, are this many sequences x[split * t +
  // j] (decimation in time). Sequences j and split - j are transformed together, as the
  // real and imaginary parts of complex numbers; `steps` are those of such a transform.
  int64_t split = 1;
  size_t first_part = 0, last_part = 0;
  llvm::SmallVector<FftStep> steps = {};
  // The independent pieces of work (vectors of transforms, rows, or parts of a row), and
  // the number of chunks that they are distributed to.
  int64_t units = 0, chunks = 0;
};

struct FftPlan {
  int lanes = 1;
  std::vector<FftPhase> phases;
  FourStepFft four_step;
  // Scratch memory: an array between dimensions, the memory of four-step transforms (one
  // for each row or one for each chunk), and for each chunk two buffers and a temporary
  // of large butterflies.
  int64_t temporary_bytes = 0;
  bool memory_per_chunk = true;
  int64_t buffer_bytes = 0, butterfly_bytes = 0;
  int64_t buffers_offset = 0, chunk_bytes = 0;
  int64_t scratch_bytes = 0;
  double estimated_ns = 0;
};

// Nullopt if a dimension before the last has length 1, is too long or has a large prime,
// if the last one has length 1, or if the array is too large.
std::optional<FftPlan> PlanFft(const FftSpec& spec, const TargetTraits& target);

// The number of independent pieces of work in a part of one row: blocks of columns, or
// blocks of kPassNumbers numbers.
int64_t UnitsOfPart(const FourStepFft& fft, FftPart part, int lanes);

// Chooses the factors of a four-step transform, and whether it is a convolution. With
// `exact`, it is one only for primes beyond kMaxPrimeOfFewExactRows. `a` is 0 if the
// algorithm does not support the length.
FourStepFft PlanFourStep(int64_t length, int lanes, int64_t real_bytes, bool exact);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_FFT_PLAN_H_
