#include "tenon/compiler/codegen/grid/group_top_k.h"

#include <limits>

#include "tenon/compiler/codegen/grid/sort_slots.h"

namespace tenon::codegen {
namespace {

using compiler::GroupTopKPlan;

// The number of the shared block of local memory that has the counters.
constexpr int kCounters = 0;

class TopK {
 public:
  TopK(GroupBody& body, ir::SortOp op, const GroupTopKPlan& plan)
      : body_(body),
        b_(body.builder()),
        op_(op),
        plan_(plan),
        slots_(body, op, plan.shape, plan.slots) {}

  Status Emit(llvm::Value* group, bool is_merge);

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  }
  // Of the slots in use, and of those of them that are sorted: i32.
  llvm::Value* Counter(bool of_sorted) {
    return b_.CreateConstGEP1_32(b_.getInt32Ty(), body_.local().Shared(kCounters, 8),
                                 of_sorted ? 1 : 0);
  }
  llvm::Value* LoadCounter(bool of_sorted) {
    return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), Counter(of_sorted)),
                         b_.getInt64Ty());
  }
  void SetCounters(llvm::Value* value) {
    EmitIf(b_, b_.CreateICmpEQ(body_.item(), I64(0)), [&] {
      llvm::Value* word = b_.CreateTrunc(value, b_.getInt32Ty());
      b_.CreateStore(word, Counter(false));
      b_.CreateStore(word, Counter(true));
    });
    body_.Barrier();
  }
  // Element `number` of the first elements of all parts of a row.
  llvm::Value* PartAddress(llvm::Value* row, llvm::Value* number) {
    llvm::Value* first = b_.CreateMul(row, I64(plan_.parts * plan_.shape.count));
    return b_.CreateGEP(b_.getInt32Ty(), body_.points().View(op_.getScratch()),
                        b_.CreateAdd(first, number));
  }
  void AddCandidates(llvm::Value* row, llvm::Value* begin, llvm::Value* end,
                     bool is_merge);
  void KeepBest();

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  ir::SortOp op_;
  const GroupTopKPlan& plan_;
  SortSlots slots_;
};

// Adds the elements from `begin` on, as many as a tile has, that come before the last of
// the best so far. An element that equals it comes later, since its position is larger.
void TopK::AddCandidates(llvm::Value* row, llvm::Value* begin, llvm::Value* end,
                         bool is_merge) {
  llvm::Value* sorted = LoadCounter(true);
  llvm::Value* is_full = b_.CreateICmpSGE(sorted, I64(plan_.shape.count));
  const Values last = slots_.Load(I64(plan_.shape.count - 1));
  // All loads come before the first candidate is added, so that they overlap.
  std::vector<Values> elements;
  llvm::SmallVector<llvm::Value*> exist;
  for (int64_t first = 0; first < plan_.tile; first += body_.items()) {
    llvm::Value* number = b_.CreateAdd(begin, b_.CreateAdd(body_.item(), I64(first)));
    llvm::Value* exists = b_.CreateICmpSLT(number, end);
    if (is_merge) {
      number = Min(number, I64(plan_.parts * plan_.shape.count - 1));
      number = b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), PartAddress(row, number)),
                             b_.getInt64Ty());
      exists = b_.CreateAnd(exists, b_.CreateICmpSLT(number, I64(plan_.shape.length)));
    }
    elements.push_back(slots_.At(row, number));
    exist.push_back(exists);
  }
  for (auto [element, exists] : llvm::zip_equal(elements, exist)) {
    llvm::Value* is_better =
        b_.CreateOr(b_.CreateNot(is_full), slots_.Before(element, last));
    EmitIf(b_, b_.CreateAnd(exists, is_better), [&] {
      llvm::Value* place =
          b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, Counter(false), b_.getInt32(1),
                             llvm::Align(4), llvm::AtomicOrdering::Monotonic);
      slots_.Store(element, b_.CreateZExt(place, b_.getInt64Ty()));
    });
  }
  body_.Barrier();
}

// Sorts the candidates and keeps the best.
void TopK::KeepBest() {
  llvm::Value* count = LoadCounter(false);
  // The next power of two, with positions that do not exist beyond the candidates.
  llvm::Value* rest = b_.CreateSub(
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, I64(2)), I64(1));
  llvm::Value* levels = b_.CreateSub(
      I64(64),
      b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {b_.getInt64Ty()}, {rest, b_.getTrue()}));
  llvm::Value* all = b_.CreateShl(I64(1), levels);
  EmitForLoop(b_, b_.CreateAdd(count, body_.item()), all, body_.items(), {},
              [&](llvm::Value* slot, auto) {
                slots_.Store({b_.getInt32(std::numeric_limits<int32_t>::max())}, slot);
                return Values();
              });
  body_.Barrier();
  slots_.Sort(all, levels);
  SetCounters(Min(count, I64(plan_.shape.count)));
}

Status TopK::Emit(llvm::Value* group, bool is_merge) {
  llvm::Value* row = group;
  llvm::Value* begin = I64(0);
  llvm::Value* end = I64(is_merge ? plan_.parts * plan_.shape.count : plan_.shape.length);
  llvm::Value* part = nullptr;
  if (!is_merge && plan_.parts > 1) {
    row = b_.CreateUDiv(group, I64(plan_.parts));
    part = b_.CreateURem(group, I64(plan_.parts));
    begin = b_.CreateMul(part, I64(plan_.part_length));
    end = Min(end, b_.CreateAdd(begin, I64(plan_.part_length)));
  }
  SetCounters(I64(0));
  EmitForLoop(b_, begin, end, plan_.tile, {}, [&](llvm::Value* tile, auto) {
    AddCandidates(row, tile, end, is_merge);
    llvm::Value* count = LoadCounter(false);
    llvm::Value* is_last = b_.CreateICmpSGE(b_.CreateAdd(tile, I64(plan_.tile)), end);
    body_.Barrier();  // all items have read the counter
    EmitIf(b_, b_.CreateOr(is_last, b_.CreateICmpSGT(count, I64(plan_.most_waiting))),
           [&] { KeepBest(); });
    return Values();
  });
  llvm::Value* found = LoadCounter(true);
  EmitForLoop(
      b_, body_.item(), I64(plan_.shape.count), body_.items(), {},
      [&](llvm::Value* index, auto) {
        llvm::Value* position = slots_.LoadPosition(index);
        if (part) {
          llvm::Value* none = b_.getInt32(std::numeric_limits<int32_t>::max());
          llvm::Value* number =
              b_.CreateAdd(b_.CreateMul(part, I64(plan_.shape.count)), index);
          b_.CreateStore(b_.CreateSelect(b_.CreateICmpSLT(index, found), position, none),
                         PartAddress(row, number));
        } else {
          slots_.MoveElement(row, b_.CreateZExt(position, b_.getInt64Ty()), index);
        }
        return Values();
      });
  return slots_.status();
}

}  // namespace

Status EmitTopK(GroupBody& body, ir::SortOp op, const GroupTopKPlan& plan,
                llvm::Value* group, bool is_merge) {
  return TopK(body, op, plan).Emit(group, is_merge);
}

}  // namespace tenon::codegen
