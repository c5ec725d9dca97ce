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

// Set on a product and on the sum that takes it: they may be rounded once, as one.
inline constexpr llvm::StringLiteral kContractAttr = "contract";

// On an op with loops of its own (contract, convolution, fft, linalg, sort): how these
// are cut, a dictionary. compiler/plan makes and reads it; its `scratch_bytes` are those
// that the op has at least.
inline constexpr llvm::StringLiteral kPlanAttr = "tenon.plan";

// On a loop whose counter no longer tells: how many iterations it has.
inline constexpr llvm::StringLiteral kTripCountAttr = "tenon.trip_count";

// Set on a map: its body may be computed at any index from 0 to the upper bound, once
// more than it is stored, and that bound is 64 or more, so at least a register's lanes.
inline constexpr llvm::StringLiteral kWholeRestAttr = "whole_rest";

// Strides of a view in elements. Makes no new attributes, so that several threads may
// ask.
llvm::SmallVector<int64_t> ViewStrides(mlir::MemRefType view);

}  // namespace tenon::ir

#endif  // TENON_DIALECTS_TENON_TENON_OPS_H_
