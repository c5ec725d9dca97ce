// Which discrete Fourier transforms become kernels. That does not depend on the target;
// the algorithm of a transform does (plan/fft_plan.h). Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_
#define TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"

namespace tenon::compiler {

// The largest prime radix. Its butterfly is a loop over inputs and outputs.
inline constexpr int64_t kMaxFftPrime = 257;
// The longest transform computed for several rows at once, one row per lane. The working
// set of a chunk, two buffers of one number per lane and index, should stay in the cache.
inline constexpr int64_t kMaxFftLaneLength = 8192;
// A transform along the contiguous dimension is computed by the four-step algorithm: as
// transforms of the columns of two matrices. This is the maximum length of a column. The
// working set of a block of columns is then about 8 MB.
inline constexpr int64_t kMaxFftColumn = 1 << 15;
// Real transforms shorter than this run as complex ones with zero imaginary parts. The
// alternative, packing pairs of reals into complex numbers, needs a step whose rounding
// error at length 16 makes the total 1.17 times as large.
inline constexpr int64_t kMinFftPairs = 66;
// Transforms of more numbers than this have no kernel.
inline constexpr double kMaxFftNumbers = 1e10;

// Whether one kernel can transform the last `transformed` dimensions of `shape`. `shape`
// is the real side of a real transform, the longer one. `is_real`: one side is real.
bool HasFftKernel(llvm::ArrayRef<int64_t> shape, size_t transformed, bool is_real);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_FFT_LENGTHS_H_
