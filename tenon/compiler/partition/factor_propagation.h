// One step of propagation: the shardings of one op's tensors along its factors. This is
// Shardy's "aggressive" strategy: conflicts are resolved per tensor, by an order of the
// factors.
#ifndef TENON_COMPILER_PARTITION_FACTOR_PROPAGATION_H_
#define TENON_COMPILER_PARTITION_FACTOR_PROPAGATION_H_

#include <cstdint>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/partition/projection.h"

namespace tenon::compiler::partition {

// A set of ways in which axes may pass at an op.
enum class Direction : uint8_t { kNone = 0, kForward = 1, kBackward = 2, kBoth = 3 };

inline Direction operator|(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<int>(a) | static_cast<int>(b));
}

struct OpShardings {
  llvm::SmallVector<TensorFactors, 3> tensors;  // operands, then results
  size_t num_operands = 0;

  llvm::MutableArrayRef<TensorFactors> operands() {
    return llvm::MutableArrayRef(tensors).take_front(num_operands);
  }
  llvm::MutableArrayRef<TensorFactors> results() {
    return llvm::MutableArrayRef(tensors).drop_front(num_operands);
  }
};

// Extends the axes of factors. `direction` says how axes of factor i may pass. Returns
// for each tensor whether it changed.
llvm::SmallVector<bool, 4> PropagateFactors(
    OpShardings& op, llvm::ArrayRef<Factor> factors,
    llvm::function_ref<Direction(int32_t)> direction, bool is_elementwise);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_FACTOR_PROPAGATION_H_
