// The `tenon` dialect (see tenon_ops.td).
#ifndef TENON_DIALECTS_TENON_TENON_OPS_H_
#define TENON_DIALECTS_TENON_TENON_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/dialects/tenon/tenon_dialect.h.inc"
#include "tenon/dialects/tenon/tenon_enums.h.inc"

#define GET_OP_CLASSES
#include "tenon/dialects/tenon/tenon_ops.h.inc"

namespace tenon::ir {

// Set on a multiply and on the add that uses it: the two may be contracted to one FMA, as
// with LLVM's fast-math flag of this name.
inline constexpr llvm::StringLiteral kContractAttr = "contract";

// A dictionary on a structured op (contract, convolution, fft, linalg, sort): how the
// op's loops are tiled. compiler/plan writes and reads it. The op needs at least
// `scratch_bytes` of scratch.
inline constexpr llvm::StringLiteral kPlanAttr = "tenon.plan";

// The trip count of a loop whose counter no longer shows it.
inline constexpr llvm::StringLiteral kTripCountAttr = "tenon.trip_count";

// On a fusion of a product or convolution: the second operand of that is a parameter of
// the program, which may have the same value in many runs.
inline constexpr llvm::StringLiteral kRhsIsParameterAttr = "rhs_is_parameter";

// Of a tenon.fusion (DenseI64ArrayAttr): the numbers of its rank-0 operands that are in
// memory, from where the kernel loads them. The launch passes all others.
inline constexpr llvm::StringLiteral kScalarsInMemoryAttr = "scalars_in_memory";

// Set on a map whose tail may be a full vector that ends at the upper bound and overlaps
// the vector before it. The tail stores only elements that are not stored yet, but
// computes the body for all lanes. So the body must be computable at every index from 0
// to the upper bound, and the bound must be at least 64, which is at least the lanes of a
// vector register.
inline constexpr llvm::StringLiteral kOverlapTailAttr = "overlap_tail";

// The least size of a side of a tenon.tile, whose lanes are transposed in registers.
inline constexpr int64_t kMinTileSide = 16;

// The strides of a view, in elements. Creates no attributes, so several threads may call
// it.
llvm::SmallVector<int64_t> ViewStrides(mlir::MemRefType view);

}  // namespace tenon::ir

#endif  // TENON_DIALECTS_TENON_TENON_OPS_H_
