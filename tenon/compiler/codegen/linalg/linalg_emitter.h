// Emits the phases of a planned triangular solution or factorization. No state.
#ifndef TENON_COMPILER_CODEGEN_LINALG_LINALG_EMITTER_H_
#define TENON_COMPILER_CODEGEN_LINALG_LINALG_EMITTER_H_

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

// kCholesky: a, result, status (one s32 per matrix: 0, or the number, from 1, of the
// first pivot that is not positive; rows from that pivot on are NaN). kLu: a, result,
// pivots (s32, from 1). kTriangularSolve: a, right-hand sides, result. The kinds with one
// matrix per lane have their results in `outputs`, in LAPACK's order; results that the
// spec does not request are not written.
struct LinalgPointers {
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* result = nullptr;
  llvm::Value* numbers = nullptr;  // status or pivots
  llvm::Value* scratch = nullptr;
  llvm::SmallVector<llvm::Value*> outputs = {};
};

struct LinalgArguments {
  int function = 0;              // of the plan's function_of
  llvm::Value* phase = nullptr;  // i64: the phase that runs
  llvm::Value* chunk = nullptr;  // i64
};

Status EmitLinalgPhase(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                       const LinalgPointers& pointers, const LinalgArguments& arguments,
                       const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_LINALG_LINALG_EMITTER_H_
