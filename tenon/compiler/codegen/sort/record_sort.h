// The base of the emitters of sorts with a known order: their rows, scratch memory and
// records. One emitter builds one phase of one kernel; not shared.
#ifndef TENON_COMPILER_CODEGEN_SORT_RECORD_SORT_H_
#define TENON_COMPILER_CODEGEN_SORT_RECORD_SORT_H_

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/point/structured_kernel.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {

// A plan of a sort by records, with the data that emitting its phases needs.
struct RecordSortPlan : SortPlan {
  RecordSortPlan(ir::SortOp op, const SortPlan& plan, const TargetTraits& target)
      : SortPlan(plan),
        order(*compiler::RecognizeSortOrder(op.getComparator().front())),
        format{plan.layout},
        target(target) {}

  SortOrder order;
  RecordFormat format;
  TargetTraits target;
};

// Allocates 2^digit_bits 32-bit counters on the stack.
inline llvm::Value* EmitLocalCounters(llvm::IRBuilderBase& b, int digit_bits) {
  return EmitEntryAlloca(
      b, llvm::ArrayType::get(b.getInt32Ty(), int64_t{1} << digit_bits), 64);
}
// The number of counters in a vector register.
inline int CounterLanes(const TargetTraits& target) {
  return std::max(1, target.vector_bits / 32);
}

class RecordSortEmitter {
 protected:
  RecordSortEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : b_(points.builder()),
        records_(op, plan.order, plan.format, plan.target, points),
        scratch_(points.View(op.getScratch())),
        row_plan_(plan) {}

  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y);
  }
  llvm::Value* Bytes(llvm::Value* base, llvm::Value* offset) {
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), base, offset);
  }
  void SetRegion(llvm::Value* number) {
    region_ = Bytes(scratch_, b_.CreateMul(number, I64(row_plan_.region_bytes)));
  }
  llvm::Value* LocalCounters(int digit_bits) { return EmitLocalCounters(b_, digit_bits); }
  int CounterLanes() const { return codegen::CounterLanes(row_plan_.target); }
  // Runs `body` for each row of `chunk`, after setting the row in records_.
  void ForEachRow(llvm::Value* chunk, llvm::function_ref<void()> body) {
    llvm::Value* first = b_.CreateMul(chunk, I64(row_plan_.rows_per_chunk));
    llvm::Value* end = Min(b_.CreateAdd(first, I64(row_plan_.rows_per_chunk)),
                           I64(row_plan_.shape.rows));
    EmitForLoop(b_, first, end, 1, {}, [&](llvm::Value* row, auto) {
      records_.SetRow(row);
      body();
      return Values();
    });
  }

  llvm::IRBuilderBase& b_;
  SortRecords records_;
  llvm::Value* scratch_;
  llvm::Value* region_ = nullptr;

 private:
  const RecordSortPlan& row_plan_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_RECORD_SORT_H_
