// Converts structured ops (tenon.contract, convolution, fft, linalg) to the specs that
// their planners read. Pure functions; any thread.
#ifndef TENON_COMPILER_PLAN_OP_SPECS_H_
#define TENON_COMPILER_PLAN_OP_SPECS_H_

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/convolution_plan.h"
#include "tenon/compiler/plan/fft_plan.h"
#include "tenon/compiler/plan/linalg_plan.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The destination of an epilogue that only stores the value, with the block's indices.
// `strides` has the stride of each dimension of the result in `view`. The kernel stores
// such results directly from registers, without a call of the store hook.
struct PlainStore {
  mlir::Value view;  // null: the epilogue does something else
  llvm::SmallVector<int64_t, 6> strides;
};

// The spec of a product. If the epilogue is a plain store, the kernel writes the results
// by strides; otherwise the spec has has_store set.
struct ContractOpSpec {
  ContractSpec spec;
  PlainStore plain;
};
ContractOpSpec SpecOf(ir::ContractOp op);
// The spec of an op of these types inside a chunk, before the op has an epilogue.
ContractSpec SpecInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                         mlir::Type accumulate);

struct ConvOpSpec {
  ConvSpec spec;
  PlainStore plain;
};
ConvOpSpec SpecOf(ir::ConvolutionOp op);

FftSpec SpecOf(ir::FftOp op);
LinalgSpec SpecOf(ir::LinalgOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_OP_SPECS_H_
