// A reduction whose points are divided among the items of a group. Each item combines its
// points into a partial result; a tree in local memory combines the partial results.
//
// Points are combined in the order of their indices, unless the combiner is reorderable:
// then an item takes every items-th point, so that items read neighbouring elements.
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

class GroupReduction : Reduction {
 public:
  GroupReduction(GroupBody& body, ir::ReduceOp reduce)
      : Reduction(body, reduce),
        group_(body),
        reorders_(stablehlo::IsReorderable(combiner_)),
        total_(1) {
    for (int64_t size : reduce.getSizes()) total_ *= size;
    // The points of an item, if they are consecutive, and the items that have any.
    block_ = (total_ + body.items() - 1) / body.items();
    active_ = reorders_ ? std::min<int64_t>(body.items(), total_)
                        : (total_ + block_ - 1) / std::max<int64_t>(block_, 1);
  }

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : reduce_.getInits()) inits.push_back(points_.Scalar(init));
    if (total_ == 0) {
      SetResults(FlattenParts(inits));
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(Values partial, group_.InItem([&] { return EmitItem(); }));
    TENON_ASSIGN_OR_RETURN(partial, CombineItems(std::move(partial)));
    TENON_ASSIGN_OR_RETURN(Values result, group_.InItem([&] {
      return Combine(FlattenParts(inits), partial);
    }));
    SetResults(result);
    return OkStatus();
  }

 private:
  // Emits the points of an item. Items without points compute the first point, which
  // nobody uses.
  StatusOr<Values> EmitItem() {
    const auto total = static_cast<uint64_t>(total_);
    llvm::Value *first = group_.item(), *end = b_.getInt64(total);
    if (!reorders_) {
      first = b_.CreateMul(first, b_.getInt64(static_cast<uint64_t>(block_)));
      llvm::Value* last = b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(block_)));
      end = b_.CreateSelect(b_.CreateICmpSLT(last, end), last, end);
    }
    llvm::Value* start = first;
    if (active_ < group_.items()) {
      llvm::Value* has_points = b_.CreateICmpSLT(first, b_.getInt64(total));
      start = b_.CreateSelect(has_points, first, b_.getInt64(0));
    }
    const int64_t step = reorders_ ? group_.items() : 1;
    TENON_ASSIGN_OR_RETURN(Values values, PointAt(start));
    Status status;
    values = EmitForLoop(
        b_, b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(step))), end, step,
        values, [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
          auto next = AccumulateAt(iv, accumulators);
          if (next.ok()) return *next;
          status = next.status();
          return Values(accumulators);
        });
    TENON_RETURN_IF_ERROR(status);
    return values;
  }

  llvm::SmallVector<IndexValue> IndicesAt(llvm::Value* number) {
    llvm::SmallVector<IndexValue> indices(reduce_.getSizes().size());
    for (size_t d = indices.size(); d-- > 0;) {
      const auto size = static_cast<uint64_t>(reduce_.getSizes()[d]);
      indices[d] = {d == 0 ? number : b_.CreateURem(number, b_.getInt64(size)), 0, 1};
      if (size == 1) indices[d] = points_.Indices().Constant(0);
      if (d > 0) number = b_.CreateUDiv(number, b_.getInt64(size));
    }
    return indices;
  }
  StatusOr<Values> PointAt(llvm::Value* number) { return PointValues(IndicesAt(number)); }
  StatusOr<Values> AccumulateAt(llvm::Value* number,
                                llvm::ArrayRef<llvm::Value*> accumulators) {
    return Accumulate(IndicesAt(number), accumulators);
  }

  // Combines the partial results of the first active_ items, neighbours first, and
  // returns the result to all items.
  StatusOr<Values> CombineItems(Values partial) {
    if (group_.items() == 1) return partial;
    llvm::SmallVector<llvm::Type*> types;
    for (llvm::Value* part : partial) types.push_back(part->getType());
    LocalMemory& local = group_.local();
    const int64_t items = group_.items();
    llvm::Value* item = group_.item();
    local.Store(partial, item, items);
    group_.Barrier();
    Status status;
    for (int64_t distance = 1; distance < active_; distance *= 2) {
      llvm::Value* other =
          b_.CreateAdd(item, b_.getInt64(static_cast<uint64_t>(distance)));
      llvm::Value* is_left = b_.CreateICmpEQ(
          b_.CreateAnd(item, b_.getInt64(static_cast<uint64_t>(2 * distance - 1))),
          b_.getInt64(0));
      llvm::Value* has_right =
          b_.CreateICmpSLT(other, b_.getInt64(static_cast<uint64_t>(active_)));
      EmitIf(b_, b_.CreateAnd(is_left, has_right), [&] {
        auto sum = group_.InItem([&] {
          return Combine(local.Load(types, item, items), local.Load(types, other, items));
        });
        if (sum.ok())
          local.Store(*sum, item, items);
        else
          status = sum.status();
      });
      TENON_RETURN_IF_ERROR(status);
      group_.Barrier();
    }
    Values result = local.Load(types, b_.getInt64(0), items);
    group_.Barrier();  // before the memory is used again
    return result;
  }

  GroupBody& group_;
  const bool reorders_;
  int64_t total_, block_ = 0, active_ = 0;
};

}  // namespace

Status EmitGroupReduce(GroupBody& body, ir::ReduceOp reduce) {
  return GroupReduction(body, reduce).Emit();
}

}  // namespace tenon::codegen
