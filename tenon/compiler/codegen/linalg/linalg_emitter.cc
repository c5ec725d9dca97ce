#include "tenon/compiler/codegen/linalg/linalg_emitter.h"

#include "tenon/compiler/codegen/linalg/batched.h"
#include "tenon/compiler/codegen/linalg/kinds.h"

namespace tenon::codegen {

Status EmitUnits(IrBuilder& b, const LinalgPlan& plan, llvm::Value* chunk,
                 llvm::function_ref<Status(llvm::Value* unit)> body) {
  int64_t chunks = plan.phase_chunks[0];
  int64_t share = (plan.units + chunks - 1) / chunks;
  llvm::Value* first = MulI(b, chunk, share);
  llvm::Value* last = MinI(b, AddI(b, first, share), b.getInt64(plan.units));
  return EmitLoop(b, first, last, 1, body);
}

Status PanelFactorization::Emit(const LinalgArguments& arguments) {
  if (plan_.whole_matrices) {
    panels_ = OffsetPointer(b_, pointers_.scratch, arguments.chunk,
                            plan_.panels * plan_.panel_bytes);
    return EmitUnits(b_, plan_, arguments.chunk, [&](llvm::Value* matrix) {
      matrix_ = matrix;
      return WholeMatrix();
    });
  }
  matrix_ = b_.getInt64(0);
  panels_ = pointers_.scratch;
  if (arguments.function == 0) return Read(arguments.chunk);
  if (arguments.function != 1) return Write(arguments.chunk);
  // Phase 1 finishes the first panel. Each later phase updates all remaining panels from
  // the last finished one, and finishes the first of them.
  llvm::Value* next = b_.CreateNSWSub(arguments.phase, b_.getInt64(1));
  llvm::Value* panel = AddI(b_, next, arguments.chunk);
  TENON_RETURN_IF_ERROR(EmitIfElse(b_, b_.CreateICmpSGT(next, b_.getInt64(0)), [&] {
    return Update(b_.CreateNSWSub(next, b_.getInt64(1)), panel);
  }));
  return EmitIfElse(b_, b_.CreateICmpEQ(arguments.chunk, b_.getInt64(0)),
                    [&] { return Finish(panel); });
}

Status PanelFactorization::WholeMatrix() {
  llvm::Value* zero = b_.getInt64(0);
  llvm::Value* panels = b_.getInt64(plan_.panels);
  TENON_RETURN_IF_ERROR(EmitLoop(b_, zero, panels, 1, [&](llvm::Value* panel) -> Status {
    TENON_RETURN_IF_ERROR(Read(panel));
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, zero, panel, 1, [&](llvm::Value* done) { return Update(done, panel); }));
    return Finish(panel);
  }));
  return EmitLoop(b_, zero, panels, 1, [&](llvm::Value* panel) { return Write(panel); });
}

Status EmitLinalgPhase(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                       const LinalgPointers& pointers, const LinalgArguments& arguments,
                       const TargetTraits& target) {
  switch (spec.algorithm) {
    case LinalgAlgorithm::kCholesky:
      if (plan.across_batch)
        return EmitCholeskyAcrossBatch(b, spec, plan, pointers, arguments.chunk, target);
      return EmitCholesky(b, spec, plan, pointers, arguments, target);
    case LinalgAlgorithm::kLu:
      return EmitLu(b, spec, plan, pointers, arguments, target);
    case LinalgAlgorithm::kTriangularSolve:
      return EmitTriangularSolve(b, spec, plan, pointers, arguments.chunk, target);
    case LinalgAlgorithm::kQr:
    case LinalgAlgorithm::kHouseholderProduct:
    case LinalgAlgorithm::kEigh:
    case LinalgAlgorithm::kSvd:
      return EmitBatched(b, spec, plan, pointers, arguments.chunk, target);
  }
  return Internal("unknown kind of linear algebra");
}

}  // namespace tenon::codegen
