// What the forms of linear algebra for a group of items share: matrices in memory or in
// local memory, whose elements the items divide among themselves. One GroupMatrix builds
// the work of one group in one LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_MATRIX_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_MATRIX_H_

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/linalg/panel.h"
#include "tenon/compiler/plan/linalg_plan.h"

namespace tenon::codegen {

// Items whose elements are neighbours in memory.
inline constexpr int kNeighbours = 32;

class GroupMatrix {
 public:
  // `group`: the number of the group (i64).
  GroupMatrix(GroupBody& body, ir::LinalgOp op, const compiler::LinalgSpec& spec,
              llvm::Value* group);

 protected:
  using MatrixShape = compiler::MatrixShape;
  struct Range {
    llvm::Value *begin, *end;
  };
  // In local memory, rows that an item has in registers at a time.
  static constexpr int64_t kStep = 8;
  // Elements that an item copies, or updates, at a time.
  static constexpr int kCopied = 8, kUpdated = 4;

  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  // The same number, or the next multiple of kStep.
  static int64_t Whole(int64_t size) { return AlignUp(size, kStep); }
  Number Zero();  // a scalar

  // ---- matrices ----
  // Matrix number `number` of a dense batch.
  llvm::Value* Matrix(mlir::Value view, const MatrixShape& shape, llvm::Value* number);
  Number Load(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* row,
              llvm::Value* column) {
    return p_.LoadElement(p_.Element(matrix, shape, row, column));
  }
  void Store(Number value, llvm::Value* matrix, const MatrixShape& shape,
             llvm::Value* row, llvm::Value* column) {
    p_.StoreElement(value, p_.Element(matrix, shape, row, column));
  }
  // Whether so many elements fit the group's local memory, beside 16 bytes for each item.
  bool FitsLocal(int64_t elements) const;
  // A matrix in local memory. An odd number of elements from row to row, so that items
  // access different banks along rows and along columns.
  static MatrixShape LocalShape(int64_t rows, int64_t columns) {
    return {rows, columns, columns | 1, 1};
  }
  static int64_t LocalElements(const MatrixShape& shape) {
    return shape.rows * shape.row_stride;
  }
  llvm::Value* AllocateLocal(const MatrixShape& shape) {
    return body_.local().Allocate(LocalElements(shape) * p_.element_bytes());
  }

  // ---- work of the items ----
  // Calls `store` with `value` of each of these elements. Neighbours among the items have
  // neighbouring columns, or rows if `along_rows`. An item computes `together` values
  // before it stores one, so that it waits for memory once: a value may depend on its own
  // element, and on none of the others. Where there are fewer, the first one is computed
  // again.
  Status ForElements(Range rows, Range columns, bool along_rows, int together,
                     llvm::function_ref<Number(llvm::Value*, llvm::Value*)> value,
                     llvm::function_ref<void(Number, llvm::Value*, llvm::Value*)> store);
  // Copies these elements from matrix to matrix.
  Status Copy(llvm::Value* from, const MatrixShape& of_from, llvm::Value* to,
              const MatrixShape& of_to, Range rows, Range columns, bool along_rows);
  // Divides indices among all items.
  Status ForItems(llvm::Value* begin, llvm::Value* end,
                  llvm::function_ref<Status(llvm::Value*)> index) {
    return EmitLoop(b_, AddI(b_, begin, body_.item()), end, items_, index);
  }
  void Once(llvm::function_ref<void()> emit) {
    EmitIf(b_, b_.CreateICmpEQ(body_.item(), I64(0)), emit);
  }

  // ---- numbers in registers ----
  // Subtracts factor(n, k) * solved(k), or the factor's conjugate times that, from number
  // n of `x`, for k < end in their order. `end` is a multiple of kStep.
  Status SubtractBefore(llvm::Value* end, llvm::SmallVector<Number>& x, bool conjugate,
                        llvm::function_ref<Number(size_t, llvm::Value*)> factor,
                        llvm::function_ref<Number(llvm::Value*)> solved);

  GroupBody& body_;
  IrBuilder& b_;
  ir::LinalgOp op_;
  const compiler::LinalgSpec& spec_;
  const compiler::LinalgPlan plan_;  // of scalars
  PanelEmitter p_;
  llvm::Value* const group_;
  const int items_;
  const int neighbours_;  // among the items

 private:
  // As a loop carries them.
  IrValues Flatten(llvm::ArrayRef<Number> numbers) const;
  llvm::SmallVector<Number> Unflatten(llvm::ArrayRef<llvm::Value*> parts) const;
};

// Emit the work of group number `group` (i64).
Status EmitGroupCholesky(GroupBody& body, ir::LinalgOp op,
                         const compiler::LinalgSpec& spec, llvm::Value* group);
Status EmitGroupLu(GroupBody& body, ir::LinalgOp op, const compiler::LinalgSpec& spec,
                   llvm::Value* group);
Status EmitGroupTriangularSolve(GroupBody& body, ir::LinalgOp op,
                                const compiler::LinalgSpec& spec, llvm::Value* group);
// Columns of right-hand sides that a group solves.
int64_t SolvedColumns(const compiler::LinalgSpec& spec);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_MATRIX_H_
