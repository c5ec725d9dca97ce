#include "tenon/compiler/analysis/fft_lengths.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler {
namespace {

bool HasButterflies(int64_t length) {
  for (int64_t prime = 2; prime <= kMaxFftPrime && length > 1; ++prime)
    while (length % prime == 0) length /= prime;
  return length == 1;
}

// Whether `length` is a product of two factors of at most kMaxFftColumn, as the four-step
// algorithm needs.
bool HasTwoFactors(int64_t length) {
  if (!HasButterflies(length)) return false;
  for (int64_t a = 2; a * a <= length; ++a)
    if (length % a == 0 && length / a <= kMaxFftColumn) return true;
  return false;
}

// Whether one row of `length` numbers has a kernel. Lengths with large primes are
// convolutions (Bluestein's algorithm), whose length is a product of two factors as well.
bool HasRowKernel(int64_t length) {
  return 2 * length - 1 <= kMaxFftColumn * kMaxFftColumn || HasTwoFactors(length);
}

}  // namespace

bool HasFftKernel(llvm::ArrayRef<int64_t> shape, size_t transformed, bool is_real) {
  double total = 1;
  for (int64_t size : shape) total *= static_cast<double>(size);
  if (total > kMaxFftNumbers) return false;
  llvm::ArrayRef<int64_t> lengths = shape.take_back(transformed);
  if (llvm::any_of(lengths, [](int64_t length) { return length < 2; })) return false;
  for (int64_t length : lengths.drop_back())
    if (length > kMaxFftLaneLength || !HasButterflies(length)) return false;
  int64_t last = lengths.back();
  bool pairs = is_real && last % 2 == 0 && last >= kMinFftPairs;
  return HasRowKernel(pairs ? last / 2 : last);
}

}  // namespace tenon::compiler
