// What part an op can have in a fusion. Pure; any thread.
#ifndef TENON_COMPILER_FUSION_OP_ROLES_H_
#define TENON_COMPILER_FUSION_OP_ROLES_H_

#include <optional>

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The elements of a tensor; 0 for what is none.
int64_t ElementCountOf(mlir::Value value);
// Worth at most a few instructions an element: may be computed more than once.
bool IsCheap(mlir::Operation* op);
// Looked through when a value of a scalar or tiny array is spread out.
bool IsSpread(mlir::Operation* op);
// The kind of fusion that `op` shapes, if its loops are its own.
std::optional<ir::FusionKind> HeroKind(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_OP_ROLES_H_
