// How a tensor inside a fusion is indexed by the fusion's iteration space.
#ifndef TENON_COMPILER_FUSION_ACCESS_H_
#define TENON_COMPILER_FUSION_ACCESS_H_

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"

namespace tenon::compiler {

// For each dimension of the tensor: the dimension of the iteration space that indexes it
// directly, or one of the constants below.
using Access = llvm::SmallVector<int64_t, 6>;
inline constexpr int64_t kAccessZero = -1;     // always index 0
inline constexpr int64_t kAccessOther = -2;    // anything else
inline constexpr int64_t kAccessReduced = -3;  // a reduction loops over the dimension

Access IdentityAccess(int64_t rank);
// The access of operand `number` of `user`, given the access of the result of `user`.
Access OperandAccess(mlir::Operation* user, unsigned number, const Access& access);
// The k for which the access, without zeros, is (0, 1, ..., k-1); nullopt if none.
std::optional<int64_t> PrefixRank(const Access& access);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ACCESS_H_
