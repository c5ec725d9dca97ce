// Substitution, one panel of right-hand sides at a time. Each group of rows first
// subtracts the multiples of all rows before it, and then solves a small triangle in
// registers.
#include "tenon/compiler/codegen/linalg/kinds.h"
#include "tenon/compiler/codegen/linalg/row_groups.h"

namespace tenon::codegen {

Status EmitTriangularSolve(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                           const LinalgPointers& pointers, llvm::Value* chunk,
                           const TargetTraits& target) {
  PanelEmitter p(b, spec.type, plan, target);
  int64_t n = spec.a.columns;
  llvm::Value* rows = b.getInt64(n);
  llvm::Value* panel = OffsetPointer(b, pointers.scratch, chunk, plan.panel_bytes);
  auto solve_group = [&](llvm::Value* a, llvm::Value* first, int count) {
    RowGroup group{panel,         first,
                   count,         0,
                   plan.vectors,  spec.lower ? nullptr : b.getInt64(n - 1),
                   spec.conjugate};
    auto factor = [&](llvm::Value* other, int row) {
      return p.LoadElement(p.Element(a, spec.a, group.PanelRow(b, AddI(b, first, row)),
                                     group.PanelRow(b, other)));
    };
    return EmitGroup(p, group, b.getInt64(0), first, factor,
                     [&](llvm::MutableArrayRef<Number> x) -> Status {
                       for (int r = 0; r < count; ++r) {
                         SubtractEarlier(p, group, x, r, factor);
                         if (!spec.unit_diagonal) {
                           Number pivot = factor(AddI(b, first, r), r);
                           pivot = p.Splat(spec.conjugate ? p.Conjugate(pivot) : pivot);
                           for (int v = 0; v < plan.vectors; ++v) {
                             Number& number = x[r * plan.vectors + v];
                             TENON_ASSIGN_OR_RETURN(number, p.Divide(number, pivot));
                           }
                         }
                         StoreRow(p, group, x, r);
                       }
                       return OkStatus();
                     });
  };
  return EmitUnits(b, plan, chunk, [&](llvm::Value* unit) -> Status {
    llvm::Value* number = b.CreateUDiv(unit, b.getInt64(plan.panels));
    llvm::Value* column =
        MulI(b, b.CreateURem(unit, b.getInt64(plan.panels)), plan.width());
    auto matrix = [&](llvm::Value* base, const MatrixShape& shape) {
      return OffsetPointer(b, base, MulI(b, number, shape.rows * shape.columns),
                           p.element_bytes());
    };
    llvm::Value* a = matrix(pointers.a, spec.a);
    TENON_RETURN_IF_ERROR(
        p.Read(matrix(pointers.b, spec.b), spec.b, column, rows, panel));
    int64_t whole = n / plan.group * plan.group;
    TENON_RETURN_IF_ERROR(
        EmitLoop(b, b.getInt64(0), b.getInt64(whole), plan.group,
                 [&](llvm::Value* first) { return solve_group(a, first, plan.group); }));
    if (whole < n) {
      TENON_RETURN_IF_ERROR(
          solve_group(a, b.getInt64(whole), static_cast<int>(n - whole)));
    }
    return p.Write(panel, matrix(pointers.result, spec.b), spec.b, column, rows);
  });
}

}  // namespace tenon::codegen
