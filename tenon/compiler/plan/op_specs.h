// What the structured ops (tenon.contract, convolution, fft, linalg) ask their planners
// for. Pure; any thread.
#ifndef TENON_COMPILER_PLAN_OP_SPECS_H_
#define TENON_COMPILER_PLAN_OP_SPECS_H_

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/convolution_plan.h"
#include "tenon/compiler/plan/fft_plan.h"
#include "tenon/compiler/plan/linalg_plan.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// Where an epilogue that only stores the value stores it: by the strides of the results'
// dimensions, the block's indices. The kernel does that without asking, from registers.
struct PlainStore {
  mlir::Value view;  // null: the epilogue does something else
  llvm::SmallVector<int64_t, 6> strides;
};

// A product whose epilogue is plain stores by strides; else the spec has has_store.
struct ContractOpSpec {
  ContractSpec spec;
  PlainStore plain;
};
ContractOpSpec SpecOf(ir::ContractOp op);
// That of an op of these types before it has an epilogue, in a chunk.
ContractSpec SpecInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                         mlir::Type accumulate);

struct ConvOpSpec {
  ConvSpec spec;
  PlainStore plain;
};
ConvOpSpec SpecOf(ir::ConvolutionOp op);

FftSpec SpecOf(ir::FftOp op);
LinalgSpec SpecOf(ir::LinalgOp op);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_OP_SPECS_H_
