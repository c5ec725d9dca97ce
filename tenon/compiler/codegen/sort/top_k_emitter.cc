#include "tenon/compiler/codegen/sort/top_k_emitter.h"

#include "tenon/compiler/codegen/sort/record_sort.h"
#include "tenon/compiler/codegen/sort/top_k_search.h"

namespace tenon::codegen {
namespace {

constexpr int kDigit = 8;

class TopKEmitter : RecordSortEmitter {
 public:
  TopKEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : RecordSortEmitter(op, plan, points), plan_(plan) {}

  Status EmitPhase(const PhaseArguments& arguments) {
    counters_ = LocalCounters(kDigit);
    SetRegion(arguments.chunk);
    int64_t count = plan_.shape.count;
    if (arguments.first_phase == 1) {
      // Sorts the best records of all parts. They are stored part by part, so equal ones
      // keep their order.
      records_.SetRow(arguments.chunk);
      llvm::Value* sorted = EmitRadixSort(
          b_, plan_.format, Best(arguments.chunk, I64(0)),
          Best(I64(plan_.shape.rows), I64(0), arguments.chunk), I64(count * plan_.parts),
          I64(plan_.order.bits), kDigit, counters_, CounterLanes());
      records_.WriteElements(sorted, I64(0), I64(count));
      return records_.status();
    }
    if (plan_.parts > 1) {
      llvm::Value* row = b_.CreateUDiv(arguments.chunk, I64(plan_.parts));
      llvm::Value* part = b_.CreateURem(arguments.chunk, I64(plan_.parts));
      records_.SetRow(row);
      int64_t each = PartLength();
      llvm::Value* begin = b_.CreateMul(part, I64(each));
      llvm::Value* best =
          FindBest(begin, Min(b_.CreateAdd(begin, I64(each)), I64(plan_.shape.length)));
      b_.CreateMemCpy(Best(row, part), llvm::Align(8), best, llvm::Align(8),
                      I64(count * plan_.format.Bytes()));
      return records_.status();
    }
    ForEachRow(arguments.chunk, [&] {
      records_.WriteElements(FindBest(I64(0), I64(plan_.shape.length)), I64(0),
                             I64(count));
    });
    return records_.status();
  }

 private:
  int64_t PartLength() const {
    return (plan_.shape.length + plan_.parts - 1) / plan_.parts;
  }
  // The address of the best records of a part of a row. A second buffer of the same size
  // follows: its rows are numbered from the number of rows on. `row_offset`, if given, is
  // added to `row`.
  llvm::Value* Best(llvm::Value* row, llvm::Value* part, llvm::Value* row_offset = {}) {
    if (row_offset) row = b_.CreateAdd(row, row_offset);
    llvm::Value* number = b_.CreateAdd(b_.CreateMul(row, I64(plan_.parts)), part);
    return Bytes(scratch_, b_.CreateAdd(I64(plan_.best_offset),
                                        b_.CreateMul(number, I64(plan_.shape.count *
                                                                 plan_.format.Bytes()))));
  }

  // Returns the first `count` elements of [begin, end) as sorted records.
  llvm::Value* FindBest(llvm::Value* begin, llvm::Value* end) {
    const int lanes = records_.lanes();
    llvm::Value* block = Bytes(region_, I64(plan_.block_offset));
    TopKSearch search(b_, plan_.format, lanes, CounterLanes());
    search.Begin({.keys = region_,
                  .positions = Bytes(region_, I64(plan_.positions_offset)),
                  .records = Bytes(region_, I64(plan_.records_offset)),
                  .swap_records = Bytes(region_, I64(plan_.swap_records_offset)),
                  .counters = counters_,
                  .count = plan_.shape.count,
                  .capacity = plan_.capacity - lanes,
                  .bits = plan_.order.bits,
                  .samples = plan_.samples});
    llvm::Value* last = b_.CreateSub(end, I64(lanes));
    EmitWhile(
        b_, {begin},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], end); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* stop = Min(b_.CreateAdd(c[0], I64(compiler::kTopKBlock)), end);
          EmitForLoop(b_, c[0], stop, lanes, {}, [&](llvm::Value* i, auto) {
            // The last vector may overlap the one before it, or begin before the block,
            // where there is room for it.
            llvm::Value* position = Min(i, last);
            b_.CreateAlignedStore(records_.Keys(position, lanes, nullptr),
                                  b_.CreateInBoundsGEP(records_.KeyType(), block,
                                                       b_.CreateSub(position, c[0])),
                                  llvm::Align(plan_.format.key_bits / 8));
            return Values();
          });
          llvm::Value* done = search.Add(block, b_.CreateSub(stop, c[0]), c[0],
                                         b_.CreateICmpEQ(stop, end));
          return Values{b_.CreateSelect(done, end, stop)};
        });
    return search.Sorted();
  }

  const RecordSortPlan& plan_;
  llvm::Value* counters_ = nullptr;
};

}  // namespace

void BindTopK(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel) {
  auto shared = std::make_shared<RecordSortPlan>(op, plan, target);
  kernel.emit_phase = [op, shared](PointEmitter& points, const PhaseArguments& arguments,
                                   const BlockEmitter&) {
    return TopKEmitter(op, *shared, points).EmitPhase(arguments);
  };
}

}  // namespace tenon::codegen
