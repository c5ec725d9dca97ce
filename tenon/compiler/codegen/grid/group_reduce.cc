// A reduction whose points are divided among the items of a group. Each item combines its
// points into a partial result; then items combine these, neighbours first.
//
// Points are combined in the order of their indices, unless the combiner is reorderable
// or selects by position: then an item takes every items-th point, or as many consecutive
// points as one access loads, so that items read neighbouring elements.
#include <numeric>

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/grid/group_map.h"
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

class GroupReduction : Reduction {
 public:
  GroupReduction(GroupBody& body, ir::ReduceOp reduce)
      : Reduction(body, reduce),
        group_(body),
        reorders_(stablehlo::IsReorderable(combiner_) || reduce.getPositionOperand()),
        total_(1) {
    for (int64_t size : reduce.getSizes()) total_ *= size;
    if (reorders_) lanes_ = ChooseLanes();
    // The points of an item, if they are consecutive, and the items that have any.
    block_ = (total_ + body.items() - 1) / body.items();
    active_ = reorders_ ? std::min<int64_t>(body.items(), total_ / lanes_)
                        : (total_ + block_ - 1) / std::max<int64_t>(block_, 1);
  }

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : reduce_.getInits()) inits.push_back(points_.Scalar(init));
    if (total_ == 0) {
      SetResults(FlattenParts(inits));
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(Values partial, group_.InItem([&] {
      return reorders_ ? EmitSpacedPoints() : EmitConsecutivePoints();
    }));
    TENON_ASSIGN_OR_RETURN(partial, CombineItems(std::move(partial)));
    TENON_ASSIGN_OR_RETURN(Values result, group_.InItem([&] {
      return Combine(FlattenParts(inits), partial);
    }));
    SetResults(result);
    return OkStatus();
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  int ChooseLanes() {
    mlir::Block& block = reduce_.getBody().front();
    return ContiguousLanes(points_, block, [&](llvm::Value* number, int lanes) {
      if (reduce_.getSizes().back() % lanes != 0) return false;
      SetIndices(number, lanes);
      return true;
    });
  }

  // Points number `number` and so on, one for each lane.
  llvm::SmallVector<IndexValue> IndicesAt(llvm::Value* number, int lanes) {
    llvm::ArrayRef<int64_t> sizes = reduce_.getSizes();
    llvm::SmallVector<IndexValue> indices(sizes.size());
    // Divisions of 32 bits are several times as fast.
    if (sizes.size() > 1 && total_ <= INT32_MAX)
      number = b_.CreateTrunc(number, b_.getInt32Ty());
    for (size_t d = sizes.size(); d-- > 0;) {
      auto* size =
          llvm::ConstantInt::get(number->getType(), static_cast<uint64_t>(sizes[d]));
      llvm::Value* index = d == 0 ? number : b_.CreateURem(number, size);
      indices[d] = {b_.CreateZExt(index, b_.getInt64Ty()), 0, 1};
      if (d + 1 == sizes.size() && lanes > 1)
        indices[d] = {indices[d].base, 1, lanes};
      else if (sizes[d] == 1)
        indices[d] = points_.Indices().Constant(0);
      if (d > 0) number = b_.CreateUDiv(number, size);
    }
    return indices;
  }
  void SetIndices(llvm::Value* number, int lanes) {
    mlir::Block& block = reduce_.getBody().front();
    for (auto [argument, index] :
         llvm::zip_equal(block.getArguments(), IndicesAt(number, lanes)))
      points_.SetIndex(argument, index);
  }
  // The values of the points of one access.
  StatusOr<Values> PointsAt(llvm::Value* number) {
    if (lanes_ > 1) points_.set_lanes({lanes_, nullptr});
    auto values = PointValues(IndicesAt(number, lanes_));
    points_.set_lanes({});
    return values;
  }
  StatusOr<Values> CombinePoints(llvm::ArrayRef<llvm::Value*> sum,
                                 llvm::ArrayRef<llvm::Value*> values) {
    if (lanes_ > 1) points_.set_lanes({lanes_, nullptr});
    auto combined = Combine(sum, values);
    points_.set_lanes({});
    return combined;
  }

  // Emits `count` accesses, the first at `number`, and combines them into `sum`. If that
  // is empty, starts with the first. All loads come first.
  StatusOr<Values> EmitTogether(llvm::Value* number, int64_t count, Values sum) {
    llvm::SmallVector<Values> all;
    for (int64_t i = 0; i < count; ++i) {
      TENON_ASSIGN_OR_RETURN(Values values,
                             PointsAt(b_.CreateAdd(number, I64(i * Step()))));
      all.push_back(std::move(values));
    }
    for (Values& values : all) {
      if (sum.empty())
        sum = std::move(values);
      else {
        TENON_ASSIGN_OR_RETURN(sum, CombinePoints(sum, values));
      }
    }
    return sum;
  }
  // The number by which points are divided. If a subgroup has items enough, all
  // subgroups do the same.
  llvm::Value* Number() {
    const int subgroup = group_.device().subgroup_items;
    return group_.HasSubgroups() && active_ <= subgroup
               ? b_.CreateAnd(group_.item(), I64(subgroup - 1))
               : group_.item();
  }
  int64_t Step() const { return int64_t{lanes_} * group_.items(); }

  // Emits the points of an item. Items without points compute the first point, which
  // nobody uses.
  StatusOr<Values> EmitSpacedPoints() {
    constexpr int64_t kMaxBytes = 64, kMaxOps = 96;
    llvm::Value* first = b_.CreateMul(Number(), I64(lanes_));
    const int64_t rounds = total_ / Step();
    const auto ops = static_cast<int64_t>(CountOps(reduce_.getBody().front())) * lanes_;
    const int64_t together =
        std::clamp<int64_t>(std::min(kMaxBytes / 4 / lanes_, kMaxOps / ops), 1, 8);
    if (rounds == 0) {
      llvm::Value* has_points = b_.CreateICmpSLT(first, I64(total_));
      TENON_ASSIGN_OR_RETURN(Values sum,
                             PointsAt(b_.CreateSelect(has_points, first, I64(0))));
      return CombineLanes(std::move(sum), lanes_);
    }
    // Few accesses need no loop. What they load may be kept for a later pass.
    const int64_t started = rounds <= 2 * together ? rounds : together;
    TENON_ASSIGN_OR_RETURN(Values sum, EmitTogether(first, started, {}));
    llvm::Value* next = b_.CreateAdd(first, I64(started * Step()));
    const int64_t left = rounds - started, whole = left / together * together;
    Status status;
    auto loop = [&](llvm::Value* end, int64_t count) {
      sum = EmitForLoop(b_, next, end, count * Step(), sum,
                        [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried) {
                          auto result = EmitTogether(iv, count, Values(carried));
                          if (result.ok()) return *result;
                          status = result.status();
                          return Values(carried);
                        });
    };
    if (whole > 0) {
      llvm::Value* end = b_.CreateAdd(next, I64(whole * Step()));
      loop(end, together);
      next = end;
    }
    TENON_ASSIGN_OR_RETURN(sum, EmitTogether(next, left - whole, std::move(sum)));
    next = b_.CreateAdd(next, I64((left - whole) * Step()));
    if (total_ % Step() != 0) loop(I64(total_), 1);
    TENON_RETURN_IF_ERROR(status);
    return CombineLanes(std::move(sum), lanes_);
  }

  StatusOr<Values> EmitConsecutivePoints() {
    llvm::Value* first = b_.CreateMul(Number(), I64(block_));
    llvm::Value *last = b_.CreateAdd(first, I64(block_)), *end = I64(total_);
    end = b_.CreateSelect(b_.CreateICmpSLT(last, end), last, end);
    llvm::Value* start = first;
    if (active_ < group_.items())
      start = b_.CreateSelect(b_.CreateICmpSLT(first, I64(total_)), first, I64(0));
    TENON_ASSIGN_OR_RETURN(Values values, PointsAt(start));
    Status status;
    values = EmitForLoop(b_, b_.CreateAdd(first, I64(1)), end, 1, values,
                         [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
                           auto next = Accumulate(IndicesAt(iv, 1), accumulators);
                           if (next.ok()) return *next;
                           status = next.status();
                           return Values(accumulators);
                         });
    TENON_RETURN_IF_ERROR(status);
    return values;
  }

  // Combines the partial results of the first active_ items, and returns the result to
  // all items.
  StatusOr<Values> CombineItems(Values partial) {
    if (group_.items() == 1) return partial;
    if (group_.HasSubgroups())
      return CombineSubgroups(std::move(partial), group_.device().subgroup_items);
    const int64_t items = group_.items();
    llvm::SmallVector<llvm::Type*> types = TypesOf(partial);
    LocalMemory& local = group_.local();
    llvm::Value* item = group_.item();
    local.Store(partial, item, items);
    group_.Barrier();
    Status status;
    for (int64_t distance = 1; distance < active_; distance *= 2) {
      llvm::Value* other = b_.CreateAdd(item, I64(distance));
      llvm::Value* is_left =
          b_.CreateICmpEQ(b_.CreateAnd(item, I64(2 * distance - 1)), I64(0));
      llvm::Value* has_right = b_.CreateICmpSLT(other, I64(active_));
      EmitIf(b_, b_.CreateAnd(is_left, has_right), [&] {
        auto sum = group_.InItem([&] {
          return CombinePartial(local.Load(types, item, items),
                                local.Load(types, other, items));
        });
        if (sum.ok())
          local.Store(*sum, item, items);
        else
          status = sum.status();
      });
      TENON_RETURN_IF_ERROR(status);
      group_.Barrier();
    }
    Values result = local.Load(types, I64(0), items);
    group_.Barrier();  // before the memory is used again
    return result;
  }

  // The same where the items of a subgroup exchange values in registers. Subgroups
  // exchange theirs in local memory, and each combines all of them.
  StatusOr<Values> CombineSubgroups(Values partial, int subgroup) {
    llvm::Value* lane = b_.CreateAnd(group_.item(), I64(subgroup - 1));
    const int64_t subgroups = (active_ + subgroup - 1) / subgroup;
    TENON_ASSIGN_OR_RETURN(
        partial,
        CombineNeighbours(std::move(partial), lane, std::min<int64_t>(active_, subgroup),
                          active_ % subgroup != 0 && subgroups > 1));
    if (subgroups > 1) {
      llvm::SmallVector<llvm::Type*> types = TypesOf(partial);
      LocalMemory& local = group_.local();
      const int set = group_.NextExchange();
      llvm::Value* number = b_.CreateUDiv(group_.item(), I64(subgroup));
      EmitIf(b_, b_.CreateICmpEQ(lane, I64(0)),
             [&] { local.Store(partial, number, subgroups, set); });
      group_.Barrier();
      group_.ForgetAccesses();  // this op has loaded its points
      llvm::Value* last = I64(subgroups - 1);
      llvm::Value* from = b_.CreateSelect(b_.CreateICmpULT(lane, last), lane, last);
      partial = local.Load(types, from, subgroups, set);
      if (group_.repeats()) group_.Barrier();  // before the memory is used again
      TENON_ASSIGN_OR_RETURN(
          partial, CombineNeighbours(std::move(partial), lane, subgroups, false));
    }
    return group_.ReadLane(partial, b_.getInt32(0));
  }

  // Combines the partial results of the first `count` items of each subgroup, neighbours
  // first. The first item gets the result. `is_cut`: only items up to active_ of the
  // group have one.
  StatusOr<Values> CombineNeighbours(Values partial, llvm::Value* lane, int64_t count,
                                     bool is_cut) {
    for (int64_t distance = 1; distance < count; distance *= 2) {
      llvm::Value* other = b_.CreateAdd(lane, I64(distance));
      Values right = group_.ReadLane(partial, b_.CreateTrunc(other, b_.getInt32Ty()));
      TENON_ASSIGN_OR_RETURN(
          Values sum, group_.InItem([&] { return CombinePartial(partial, right); }));
      llvm::Value* exists = nullptr;
      if (is_cut)
        exists =
            b_.CreateICmpSLT(b_.CreateAdd(group_.item(), I64(distance)), I64(active_));
      else if ((count & (count - 1)) != 0)
        exists = b_.CreateICmpSLT(other, I64(count));
      if (exists)
        for (auto [value, old] : llvm::zip_equal(sum, partial))
          value = b_.CreateSelect(exists, value, old);
      partial = std::move(sum);
    }
    return partial;
  }

  static llvm::SmallVector<llvm::Type*> TypesOf(llvm::ArrayRef<llvm::Value*> values) {
    llvm::SmallVector<llvm::Type*> types;
    for (llvm::Value* value : values) types.push_back(value->getType());
    return types;
  }

  GroupBody& group_;
  const bool reorders_;
  int64_t total_, block_ = 0, active_ = 0;
  int lanes_ = 1;  // points of one access
};

}  // namespace

Status EmitGroupReduce(GroupBody& body, ir::ReduceOp reduce) {
  return GroupReduction(body, reduce).Emit();
}

}  // namespace tenon::codegen
