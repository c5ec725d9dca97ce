// How a tensor inside a fusion is read, in terms of the fusion's iteration space.
#ifndef TENON_COMPILER_FUSION_ACCESS_H_
#define TENON_COMPILER_FUSION_ACCESS_H_

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"

namespace tenon::compiler {

// For each dimension of the tensor: a dimension of the iteration space that indexes it
// just as it is, or one of these.
using Access = llvm::SmallVector<int64_t, 6>;
inline constexpr int64_t kAccessZero = -1;     // always index 0
inline constexpr int64_t kAccessOther = -2;    // anything else
inline constexpr int64_t kAccessReduced = -3;  // runs over the whole dimension

Access IdentityAccess(int64_t rank);
// The access of operand `number` of `user`, whose own result is read by `access`.
Access OperandAccess(mlir::Operation* user, unsigned number, const Access& access);
// The k for which the access is (0, 1, ..., k-1), zeros aside; nullopt if there is none.
std::optional<int64_t> PrefixRank(const Access& access);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ACCESS_H_
