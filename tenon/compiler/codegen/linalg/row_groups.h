// The inner loop of all dense linear algebra: a few rows of a panel minus multiples of
// other rows of it. The products are summed in registers, block by block. Builds into one
// LLVM function under construction.
#ifndef TENON_COMPILER_CODEGEN_LINALG_ROW_GROUPS_H_
#define TENON_COMPILER_CODEGEN_LINALG_ROW_GROUPS_H_

#include "tenon/compiler/codegen/linalg/panel.h"

namespace tenon::codegen {

// Rows first, first + 1, ... of some vectors of a panel.
struct RowGroup {
  llvm::Value* panel = nullptr;
  llvm::Value* first = nullptr;
  int rows = 1;
  int first_vector = 0, last_vector = 1;
  // If not null, rows are counted backwards from this one.
  llvm::Value* last_row = nullptr;
  bool conjugate = false;  // conjugate the factors

  int vectors() const { return last_vector - first_vector; }
  llvm::Value* PanelRow(IrBuilder& b, llvm::Value* row) const {
    return last_row ? b.CreateNSWSub(last_row, row) : row;
  }
};

// The scalar by which row `other` is multiplied for row `row` of the group.
using Factor = llvm::function_ref<Number(llvm::Value* other, int row)>;
// Receives the group's rows, row-major.
using GroupBody = llvm::function_ref<Status(llvm::MutableArrayRef<Number> rows)>;

// Products are summed in blocks of this many, from zero. The sum of a block is smaller
// than the number that it is subtracted from, and so are its rounding errors.
inline constexpr int64_t kGroupBlock = 64;

// Loads a group, subtracts multiples of rows [begin, end) and calls `body` with the
// result.
Status EmitGroup(PanelEmitter& p, const RowGroup& group, llvm::Value* begin,
                 llvm::Value* end, Factor factor, GroupBody body);
// Within a group: subtracts multiples of the earlier rows from row `row`.
void SubtractEarlier(PanelEmitter& p, const RowGroup& group,
                     llvm::MutableArrayRef<Number> rows, int row, Factor factor);
void StoreRow(PanelEmitter& p, const RowGroup& group, llvm::ArrayRef<Number> rows,
              int row);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_LINALG_ROW_GROUPS_H_
