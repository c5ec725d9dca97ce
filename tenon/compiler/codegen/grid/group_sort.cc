#include "tenon/compiler/codegen/grid/group_sort.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/grid/sort_slots.h"

namespace tenon::codegen {
namespace {

class GroupSort {
 public:
  GroupSort(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan)
      : body_(body),
        b_(body.builder()),
        op_(op),
        plan_(plan),
        slots_(body, op, plan.shape, plan.group_slots) {}

  Status EmitBlock(llvm::Value* group);
  Status EmitMerge(llvm::Value* pass, bool is_last, llvm::Value* element);

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Wide(llvm::Value* position) {
    return b_.CreateZExt(position, b_.getInt64Ty());
  }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y);
  }
  // The position of sorted element `index` of a row, in buffer `number` (i64) of scratch.
  llvm::Value* PositionAddress(llvm::Value* number, llvm::Value* row,
                               llvm::Value* index) {
    llvm::Value* all_rows =
        b_.CreateAdd(b_.CreateMul(number, I64(plan_.shape.rows)), row);
    return b_.CreateGEP(
        b_.getInt32Ty(), body_.points().View(op_.getScratch()),
        b_.CreateAdd(b_.CreateMul(all_rows, I64(plan_.shape.length)), index));
  }
  void LoadSlots(llvm::Value* row0, llvm::Value* position0);

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  ir::SortOp op_;
  const GroupSortPlan& plan_;
  SortSlots slots_;
};

// Fills local memory: slot s has position `position0` + s of row `row0`, or the rows from
// `row0` on follow each other.
void GroupSort::LoadSlots(llvm::Value* row0, llvm::Value* position0) {
  const int64_t row_slots = plan_.group_slots / plan_.group_rows;
  EmitForLoop(b_, body_.item(), I64(plan_.group_slots), body_.items(), {},
              [&](llvm::Value* slot, auto) {
                llvm::Value* row =
                    b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(row_slots)));
                llvm::Value* position =
                    b_.CreateAdd(position0, b_.CreateURem(slot, I64(row_slots)));
                row = Min(row, I64(plan_.shape.rows - 1));
                slots_.Store(slots_.At(row, position), slot);
                return Values();
              });
  body_.Barrier();
}

Status GroupSort::EmitBlock(llvm::Value* group) {
  const int64_t row_slots = plan_.group_slots / plan_.group_rows;
  llvm::Value* row0 = b_.CreateMul(group, I64(plan_.group_rows));
  llvm::Value* position0 = I64(0);
  if (plan_.blocks > 1) {
    row0 = b_.CreateUDiv(group, I64(plan_.blocks));
    position0 = b_.CreateMul(b_.CreateURem(group, I64(plan_.blocks)), I64(row_slots));
  }
  LoadSlots(row0, position0);
  slots_.Sort(I64(plan_.group_slots),
              I64(llvm::Log2_64(static_cast<uint64_t>(row_slots))));
  EmitForLoop(
      b_, body_.item(), I64(plan_.group_slots), body_.items(), {},
      [&](llvm::Value* slot, auto) {
        llvm::Value* row = b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(row_slots)));
        llvm::Value* index = b_.CreateAdd(position0, b_.CreateURem(slot, I64(row_slots)));
        const int64_t end = plan_.blocks > 1 ? plan_.shape.length : plan_.shape.count;
        llvm::Value* exists = b_.CreateAnd(b_.CreateICmpSLT(row, I64(plan_.shape.rows)),
                                           b_.CreateICmpSLT(index, I64(end)));
        EmitIf(b_, exists, [&] {
          llvm::Value* position = slots_.LoadPosition(slot);
          if (plan_.blocks > 1)
            b_.CreateStore(position, PositionAddress(I64(0), row, index));
          else
            slots_.MoveElement(row, Wide(position), index);
        });
        return Values();
      });
  return slots_.status();
}

// The place of an element in the merged run is its place in its own run, and the number
// of elements of the other run that come before it, which bisection finds. Of each run,
// only as many elements are sorted further as the results have.
Status GroupSort::EmitMerge(llvm::Value* pass, bool is_last, llvm::Value* element) {
  const int64_t length = plan_.shape.length;
  llvm::Value* row = b_.CreateUDiv(element, I64(length));
  llvm::Value* index = b_.CreateURem(element, I64(length));
  llvm::Value* from = b_.CreateAnd(pass, I64(1));
  llvm::Value* run = b_.CreateShl(I64(plan_.group_slots), pass);
  llvm::Value* start =
      b_.CreateAnd(index, b_.CreateNeg(b_.CreateShl(I64(2 * plan_.group_slots), pass)));
  llvm::Value* middle = Min(b_.CreateAdd(start, run), I64(length));
  llvm::Value* stop = Min(b_.CreateAdd(middle, run), I64(length));
  llvm::Value* is_left = b_.CreateICmpSLT(index, middle);
  llvm::Value* in_run = b_.CreateSub(index, b_.CreateSelect(is_left, start, middle));
  auto position_at = [&](llvm::Value* place) {
    return Wide(b_.CreateLoad(b_.getInt32Ty(), PositionAddress(from, row, place)));
  };
  EmitIf(b_, b_.CreateICmpSLT(in_run, I64(plan_.shape.count)), [&] {
    llvm::Value* position = position_at(index);
    Values own = slots_.At(row, position);
    llvm::Value* low = b_.CreateSelect(is_left, middle, start);
    llvm::Value* high = Min(b_.CreateSelect(is_left, stop, middle),
                            b_.CreateAdd(low, I64(plan_.shape.count)));
    Values bounds = EmitWhile(
        b_, {low, high},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), I64(1));
          Values other = slots_.At(row, position_at(half));
          Values left, right;
          for (auto [x, y] : llvm::zip_equal(own, other)) {
            left.push_back(b_.CreateSelect(is_left, x, y));
            right.push_back(b_.CreateSelect(is_left, y, x));
          }
          // An element of the left run is before its equals of the right run.
          llvm::Value* other_first = b_.CreateICmpEQ(slots_.Before(right, left), is_left);
          return Values{b_.CreateSelect(other_first, b_.CreateAdd(half, I64(1)), c[0]),
                        b_.CreateSelect(other_first, c[1], half)};
        });
    llvm::Value* place =
        b_.CreateAdd(in_run, b_.CreateSub(bounds[0], low));  // in the merged run
    EmitIf(b_, b_.CreateICmpSLT(place, I64(plan_.shape.count)), [&] {
      llvm::Value* target = b_.CreateAdd(start, place);
      if (is_last)
        slots_.MoveElement(row, position, target);
      else
        b_.CreateStore(b_.CreateTrunc(position, b_.getInt32Ty()),
                       PositionAddress(b_.CreateXor(from, I64(1)), row, target));
    });
  });
  return slots_.status();
}

}  // namespace

int ItemsOfBlock(const GroupSortPlan& plan, const compiler::DeviceTarget& device) {
  return static_cast<int>(
      std::clamp<int64_t>(plan.group_slots / 2, 1, device.max_group_items));
}

Status EmitSortBlock(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* group) {
  return GroupSort(body, op, plan).EmitBlock(group);
}

Status EmitMergePass(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* pass, bool is_last, llvm::Value* element) {
  return GroupSort(body, op, plan).EmitMerge(pass, is_last, element);
}

}  // namespace tenon::codegen
