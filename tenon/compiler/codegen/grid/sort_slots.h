// Positions of a row of a sort, with the keys that the comparator reads, in local memory
// and registers: what sorts and top-k share. One SortSlots builds one LLVM function.
#ifndef TENON_COMPILER_CODEGEN_GRID_SORT_SLOTS_H_
#define TENON_COMPILER_CODEGEN_GRID_SORT_SLOTS_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

class SortSlots {
 public:
  // `count` slots in local memory, a power of two.
  SortSlots(GroupBody& body, ir::SortOp op, const compiler::SortShape& shape,
            int64_t count);

  // A position (i32) and its keys, as stored. A position beyond the row gets the last
  // element's keys. `row` and `position` are i64.
  Values At(llvm::Value* row, llvm::Value* position);
  // Returns i1: whether the comparator puts x before y.
  llvm::Value* Before(llvm::ArrayRef<llvm::Value*> x, llvm::ArrayRef<llvm::Value*> y);
  // Stores the element at `position` of the inputs as element `index` of the outputs.
  void MoveElement(llvm::Value* row, llvm::Value* position, llvm::Value* index);

  void Store(llvm::ArrayRef<llvm::Value*> slot, llvm::Value* number);
  Values Load(llvm::Value* number);
  llvm::Value* LoadPosition(llvm::Value* number);
  // Sorts each part of 2^levels (i64) consecutive slots among the first `count` (i64), by
  // a bitonic network whose comparisons all put the smaller one first: merging two sorted
  // halves starts with the mirror images. Equal elements are in the order of positions,
  // and positions beyond the row are last.
  void Sort(llvm::Value* count, llvm::Value* levels);

  const Status& status() const { return status_; }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  ElementType TypeOf(unsigned operand) {
    return ir::ElementTypeOfShaped(
        op_.getComparator().front().getArgument(2 * operand).getType());
  }
  llvm::Value* Address(mlir::Value view, llvm::Value* row, llvm::Value* position);
  // Exchanges the slots of a pair if they are in the wrong order: slots in the same place
  // of both halves of 2^log_half slots, or mirror images.
  void Exchange(llvm::Value* pair, llvm::Value* log_half, llvm::Value* is_flip);

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::SortOp op_;
  const compiler::SortShape& shape_;
  const int64_t count_;
  const std::vector<unsigned> keys_;
  llvm::SmallVector<llvm::Type*> types_;
  Status status_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_SORT_SLOTS_H_
