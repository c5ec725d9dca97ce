// How many of the last dimensions of an array share one loop.
#ifndef TENON_COMPILER_KERNELS_INNER_RANK_H_
#define TENON_COMPILER_KERNELS_INNER_RANK_H_

#include <algorithm>

#include "llvm/ADT/ArrayRef.h"

namespace tenon::compiler {

// Rows of fewer elements are too short for vectors.
inline constexpr int64_t kShortRow = 16;

// The number of trailing dimensions that are collapsed into one loop: several if rows are
// short, until the collapsed row is long enough.
inline size_t InnerRank(llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMinRow = 128;
  if (shape.empty() || shape.back() >= kShortRow)
    return std::min<size_t>(shape.size(), 1);
  int64_t length = 1;
  for (size_t rank = 0; rank < shape.size(); ++rank) {
    if (length >= kMinRow) return rank;
    length *= shape[shape.size() - 1 - rank];
  }
  return shape.size();
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_INNER_RANK_H_
