// Triangular systems. A group solves some columns; in local memory, an item has one of
// them, kStep rows of it at a time in registers.
#include <algorithm>

#include "tenon/compiler/codegen/grid/group_matrix.h"

namespace tenon::codegen {
namespace {

using compiler::LinalgSpec;

class GroupTriangularSolve : GroupMatrix {
 public:
  using GroupMatrix::GroupMatrix;

  // a x = b for some columns of b.
  Status Emit() {
    const int64_t n = spec_.a.columns, width = SolvedColumns(spec_);
    const int64_t parts = CeilDiv(spec_.b.columns, width);
    llvm::Value* number = b_.CreateUDiv(group_, I64(parts));
    llvm::Value* first = MulI(b_, b_.CreateURem(group_, I64(parts)), width);
    llvm::Value* last = MinI(b_, AddI(b_, first, width), I64(spec_.b.columns));
    llvm::Value* a = Matrix(op_.getInputs()[0], spec_.a, number);
    llvm::Value* right = Matrix(op_.getInputs()[1], spec_.b, number);
    llvm::Value* result = Matrix(op_.getOutputs()[0], spec_.b, number);
    if (FitsLocal(LocalElements(LocalShape(Whole(n), Whole(n))) +
                  LocalElements(LocalShape(Whole(n), width))))
      return SolveInRegisters(a, right, result, first, last);
    llvm::Value *zero = I64(0), *size = I64(n);
    TENON_RETURN_IF_ERROR(Copy(right, spec_.b, result, spec_.b, {zero, size},
                               {first, last}, spec_.b.column_stride != 1));
    const bool along_rows = spec_.b.column_stride != 1 || width < neighbours_;
    auto factor = [&](llvm::Value* row, llvm::Value* column) {
      Number value = Load(a, spec_.a, row, column);
      return spec_.conjugate ? p_.Conjugate(value) : value;
    };
    return EmitLoop(b_, zero, size, 1, [&](llvm::Value* step) -> Status {
      llvm::Value* k = spec_.lower ? step : b_.CreateSub(I64(n - 1), step);
      body_.Barrier();
      if (!spec_.unit_diagonal) {
        Number pivot = factor(k, k);
        TENON_RETURN_IF_ERROR(ForItems(first, last, [&](llvm::Value* j) -> Status {
          TENON_ASSIGN_OR_RETURN(Number solved,
                                 p_.Divide(Load(result, spec_.b, k, j), pivot));
          Store(solved, result, spec_.b, k, j);
          return OkStatus();
        }));
        body_.Barrier();
      }
      llvm::Value* begin = spec_.lower ? AddI(b_, k, 1) : zero;
      llvm::Value* end = spec_.lower ? size : k;
      return ForElements(
          {begin, end}, {first, last}, along_rows, kUpdated,
          [&](llvm::Value* i, llvm::Value* j) {
            return p_.MulSub(Load(result, spec_.b, i, j), factor(i, k),
                             Load(result, spec_.b, k, j), false);
          },
          [&](Number value, llvm::Value* i, llvm::Value* j) {
            Store(value, result, spec_.b, i, j);
          });
    });
  }

 private:
  // The system in local memory. An item solves one column: it has kStep unknowns in
  // registers at a time, and reads those before them, which it wrote itself. Rows are in
  // the order in which they are solved, and unknowns that are added are 0 / 1.
  Status SolveInRegisters(llvm::Value* a, llvm::Value* right, llvm::Value* result,
                          llvm::Value* first, llvm::Value* last) {
    const int64_t n = spec_.a.columns, whole = Whole(n);
    const MatrixShape of_a = LocalShape(whole, whole);
    const MatrixShape of_x = LocalShape(whole, SolvedColumns(spec_));
    const Range columns{first, last}, all_whole{I64(0), I64(whole)};
    llvm::Value *local_a = AllocateLocal(of_a), *x = AllocateLocal(of_x);
    // The row of the matrix; those that are added repeat one.
    auto row_of = [&](llvm::Value* step) {
      step = MinI(b_, step, I64(n - 1));
      return spec_.lower ? step : b_.CreateSub(I64(n - 1), step);
    };
    auto or_if_added = [&](llvm::Value* i, llvm::Value* j, Number value, Number other) {
      if (whole == n) return value;
      return p_.Select(
          b_.CreateAnd(b_.CreateICmpSLT(i, I64(n)), b_.CreateICmpSLT(j, I64(n))), value,
          other);
    };
    const Number zero = Zero();
    TENON_RETURN_IF_ERROR(ForElements(
        all_whole, all_whole, spec_.a.column_stride != 1, kCopied,
        [&](llvm::Value* i, llvm::Value* j) {
          const Number value = Load(a, spec_.a, row_of(i), row_of(j));
          return or_if_added(i, j, value,
                             p_.Select(b_.CreateICmpEQ(i, j), p_.One(), zero));
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, local_a, of_a, i, j);
        }));
    TENON_RETURN_IF_ERROR(ForElements(
        all_whole, columns, spec_.b.column_stride != 1, kCopied,
        [&](llvm::Value* i, llvm::Value* j) {
          return or_if_added(i, I64(0), Load(right, spec_.b, row_of(i), j), zero);
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, x, of_x, i, b_.CreateSub(j, first));
        }));
    body_.Barrier();
    auto factor = [&](llvm::Value* row, llvm::Value* column) {
      const Number value = Load(local_a, of_a, row, column);
      return spec_.conjugate ? p_.Conjugate(value) : value;
    };
    TENON_RETURN_IF_ERROR(
        EmitIfElse(b_, b_.CreateICmpSLT(body_.item(), b_.CreateSub(last, first)), [&] {
          llvm::Value* const column = body_.item();
          return EmitLoop(
              b_, I64(0), I64(whole), kStep, [&](llvm::Value* begin) -> Status {
                llvm::SmallVector<Number> unknowns;
                for (int64_t i = 0; i < kStep; ++i)
                  unknowns.push_back(Load(x, of_x, AddI(b_, begin, i), column));
                const auto row = [&](size_t i) {
                  return AddI(b_, begin, static_cast<int64_t>(i));
                };
                TENON_RETURN_IF_ERROR(SubtractBefore(
                    begin, unknowns, /*conjugate=*/false,
                    [&](size_t i, llvm::Value* k) { return factor(row(i), k); },
                    [&](llvm::Value* k) { return Load(x, of_x, k, column); }));
                for (size_t i = 0; i < unknowns.size(); ++i) {
                  for (size_t k = 0; k < i; ++k)
                    unknowns[i] = p_.MulSub(unknowns[i], factor(row(i), row(k)),
                                            unknowns[k], false);
                  if (!spec_.unit_diagonal) {
                    TENON_ASSIGN_OR_RETURN(
                        unknowns[i], p_.Divide(unknowns[i], factor(row(i), row(i))));
                  }
                  Store(unknowns[i], x, of_x, row(i), column);
                }
                return OkStatus();
              });
        }));
    body_.Barrier();
    return ForElements(
        {I64(0), I64(n)}, columns, spec_.b.column_stride != 1, kCopied,
        [&](llvm::Value* i, llvm::Value* j) {
          return Load(x, of_x, i, b_.CreateSub(j, first));
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, result, spec_.b, row_of(i), j);
        });
  }
};

}  // namespace

int64_t SolvedColumns(const LinalgSpec& spec) {
  constexpr int64_t kMost = 32;
  return std::min(spec.b.columns, kMost);
}

Status EmitGroupTriangularSolve(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
                                llvm::Value* group) {
  return GroupTriangularSolve(body, op, spec, group).Emit();
}

}  // namespace tenon::codegen
