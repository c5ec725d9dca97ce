// One function for each kind of kernel, and their common parts. Builds into one LLVM
// function under construction.
#ifndef TENON_COMPILER_CODEGEN_LINALG_KINDS_H_
#define TENON_COMPILER_CODEGEN_LINALG_KINDS_H_

#include "tenon/compiler/codegen/linalg/linalg_emitter.h"
#include "tenon/compiler/codegen/linalg/panel.h"

namespace tenon::codegen {

// Calls body(unit) for every unit of `chunk` in the plan's only phase.
Status EmitUnits(IrBuilder& b, const LinalgPlan& plan, llvm::Value* chunk,
                 llvm::function_ref<Status(llvm::Value* unit)> body);

// A factorization panel by panel (LAPACK's term), from left to right. `matrix` is the
// index in the batch.
class PanelFactorization {
 public:
  PanelFactorization(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                     const LinalgPointers& pointers, const TargetTraits& target)
      : b_(b),
        p_(b, spec.type, plan, target),
        spec_(spec),
        plan_(plan),
        pointers_(pointers) {}
  virtual ~PanelFactorization() = default;

  Status Emit(const LinalgArguments& arguments);

 protected:
  // Reads panel `panel` from the matrix.
  virtual Status Read(llvm::Value* panel) = 0;
  // Updates panel `panel` from `done`, a finished panel before it.
  virtual Status Update(llvm::Value* done, llvm::Value* panel) = 0;
  // Factors a panel that has all updates from the panels before it.
  virtual Status Finish(llvm::Value* panel) = 0;
  virtual Status Write(llvm::Value* panel) = 0;

  llvm::Value* Panel(llvm::Value* number) {
    return OffsetPointer(b_, panels_, number, plan_.panel_bytes);
  }
  llvm::Value* FirstColumn(llvm::Value* panel) { return MulI(b_, panel, plan_.width()); }
  llvm::Value* Matrix(llvm::Value* base) {
    return OffsetPointer(b_, base, MulI(b_, matrix_, spec_.a.rows * spec_.a.columns),
                         p_.element_bytes());
  }

  IrBuilder& b_;
  PanelEmitter p_;
  const LinalgSpec& spec_;
  const LinalgPlan& plan_;
  LinalgPointers pointers_;
  llvm::Value* matrix_ = nullptr;
  llvm::Value* panels_ = nullptr;

 private:
  Status WholeMatrix();
};

Status EmitTriangularSolve(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                           const LinalgPointers& pointers, llvm::Value* chunk,
                           const TargetTraits& target);
Status EmitCholesky(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                    const LinalgPointers& pointers, const LinalgArguments& arguments,
                    const TargetTraits& target);
// One matrix per lane.
Status EmitCholeskyAcrossBatch(IrBuilder& b, const LinalgSpec& spec,
                               const LinalgPlan& plan, const LinalgPointers& pointers,
                               llvm::Value* chunk, const TargetTraits& target);
Status EmitLu(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
              const LinalgPointers& pointers, const LinalgArguments& arguments,
              const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_LINALG_KINDS_H_
