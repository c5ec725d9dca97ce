// Which discrete Fourier transforms are kernels. That does not depend on the target: how
// a transform is done does (plan/fft_plan.h). Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_
#define TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"

namespace tenon::compiler {

// The largest prime that has a butterfly, in loops over its inputs and outputs.
inline constexpr int64_t kMaxFftPrime = 257;
// The longest transform of several lanes side by side: what a chunk works on (as many
// numbers as a vector has lanes, in two buffers) should stay in the cache.
inline constexpr int64_t kMaxFftLaneLength = 8192;
// A transform along itself is cut into columns of at most this length: what a block of
// them works on is then some 8 MB.
inline constexpr int64_t kMaxFftColumn = 1 << 15;
// Reals of shorter transforms are complex numbers that are real: the step between pairs
// and reals makes the error of 16 numbers 1.17 times that of a transform without it.
inline constexpr int64_t kMinFftPairs = 66;
// Transforms of more numbers are no kernel.
inline constexpr double kMaxFftNumbers = 1e10;

// Whether the transform of the last dimensions of `shape`, those of the real or longer
// side, is one kernel. `is_real`: one side is real.
bool HasFftKernel(llvm::ArrayRef<int64_t> shape, size_t transformed, bool is_real);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_
