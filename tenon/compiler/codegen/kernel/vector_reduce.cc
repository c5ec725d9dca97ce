// A reduction along contiguous rows by vectors of partial results.
#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

class VectorReduction : Reduction {
 public:
  VectorReduction(BodyEmitter& body, ir::ReduceOp reduce, int width)
      : Reduction(body, reduce), width_(width), row_(reduce.getSizes().back()) {
    // Several independent accumulators hide the latency of the combiner.
    size_t ops = CountOps(reduce.getBody().front());
    copies_ = row_ < 4 * width || ops > 64 ? 1 : ops > 24 ? 2 : 4;
    step_ = int64_t{width} * copies_;
  }

  Status Emit() {
    TENON_ASSIGN_OR_RETURN(Values accumulators, EmitStart());
    accumulators = EmitRows(reduce_.getSizes().drop_back(), accumulators);
    TENON_RETURN_IF_ERROR(status_);
    points_.set_lanes({width_, nullptr});
    TENON_ASSIGN_OR_RETURN(Values lanes, CombineAccumulators(accumulators));
    TENON_ASSIGN_OR_RETURN(Values result, CombineLanes(std::move(lanes), width_));
    points_.set_lanes({});
    if (known_identity_ || from_points_) {
      TENON_ASSIGN_OR_RETURN(result, Combine(FlattenParts(inits_), result));
    }
    SetResults(result);
    return OkStatus();
  }

 private:
  // Returns the values that the accumulators start from. The initial value enters the
  // result once. So the lanes start from the combiner's identity if that is known, else
  // from the first points. The initial value of a selection may enter any number of
  // times.
  StatusOr<Values> EmitStart() {
    llvm::SmallVector<ElementValue> starts;
    for (auto [position, init] : llvm::enumerate(reduce_.getInits())) {
      ElementValue value = points_.Scalar(init);
      inits_.push_back(value);
      auto identity = IdentityConstant(combiner_, position, value.re->getType());
      known_identity_ &= identity.has_value();
      if (identity) value.re = *identity;
      starts.push_back(value);
    }
    if (!known_identity_) starts = inits_;
    from_points_ = !known_identity_ && !reduce_.getPositionOperand();
    has_blocks_ = known_identity_ && stablehlo::AddsFloats(combiner_);
    points_.set_lanes({width_, nullptr});
    for (ElementValue& start : starts) start = points_.Broadcast(start);
    Values start_parts = FlattenParts(starts);
    parts_ = start_parts.size();
    Values all;
    for (int copy = 0; copy < copies_; ++copy) {
      if (!from_points_) {
        llvm::append_range(all, start_parts);
        continue;
      }
      llvm::SmallVector<IndexValue> indices(reduce_.getSizes().size() - 1,
                                            {b_.getInt64(0), 0, 0});
      indices.push_back({b_.getInt64(int64_t{width_} * copy), 1, width_});
      TENON_ASSIGN_OR_RETURN(Values values, PointValues(indices));
      llvm::append_range(all, values);
    }
    return starts_ = all;
  }

  // Emits the points of one register at `iv` of the row. Lanes without `mask` (null: all)
  // keep their accumulators.
  Values EmitRegister(llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators,
                      llvm::Value* mask) {
    if (!status_.ok()) return Values(accumulators);
    points_.set_lanes({width_, mask});
    llvm::SmallVector<IndexValue> indices(outer_);
    indices.push_back({iv, 1, width_});
    auto next = Accumulate(indices, accumulators);
    if (!next.ok()) {
      status_ = next.status();
      return Values(accumulators);
    }
    if (mask) {
      for (auto [value, old] : llvm::zip_equal(*next, accumulators))
        value = b_.CreateSelect(mask, value, old);
    }
    return *next;
  }

  // Emits one register for each accumulator, from `iv` on.
  Values EmitStep(llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
    Values next;
    for (int copy = 0; copy < copies_; ++copy) {
      llvm::Value* index = b_.CreateAdd(iv, b_.getInt64(int64_t{width_} * copy));
      llvm::append_range(
          next, EmitRegister(index, accumulators.slice(copy * parts_, parts_), nullptr));
    }
    return next;
  }

  // Combines accumulators.
  Values Add(llvm::ArrayRef<llvm::Value*> totals, llvm::ArrayRef<llvm::Value*> sums) {
    points_.set_lanes({width_, nullptr});
    Values next;
    for (int copy = 0; copy < copies_ && status_.ok(); ++copy) {
      auto both = CombinePartial(totals.slice(copy * parts_, parts_),
                                 sums.slice(copy * parts_, parts_));
      status_ = both.status();
      if (both.ok()) llvm::append_range(next, *both);
    }
    return status_.ok() ? next : Values(totals);
  }

  SumBlocks Blocks() {
    return {starts_,
            [this](llvm::ArrayRef<llvm::Value*> totals,
                   llvm::ArrayRef<llvm::Value*> sums) { return Add(totals, sums); }};
  }

  // Emits all rows of dimensions `sizes`.
  Values EmitRows(llvm::ArrayRef<int64_t> sizes, const Values& carried) {
    auto row = [&](llvm::ArrayRef<IndexValue> outer,
                   llvm::ArrayRef<llvm::Value*> values) {
      return EmitRow(outer, values);
    };
    if (!has_blocks_) return EmitLoopNest(b_, sizes, carried, outer_, row);
    return EmitNestInBlocks(b_, sizes, CeilDiv(row_, step_), carried, Blocks(), outer_,
                            row);
  }

  // Emits a row: whole steps, then whole registers and a masked one into the first
  // accumulator.
  Values EmitRow(llvm::ArrayRef<IndexValue> outer, llvm::ArrayRef<llvm::Value*> carried) {
    const int64_t main_end = row_ / step_ * step_, vector_end = row_ / width_ * width_;
    llvm::Value* begin = b_.getInt64(0);
    if (from_points_) {
      // The accumulators have started from the first points of the first row.
      llvm::Value* any = b_.getInt64(0);
      for (const IndexValue& index : outer) any = b_.CreateOr(any, index.base);
      llvm::Value* is_first = b_.CreateICmpEQ(any, b_.getInt64(0));
      begin = b_.CreateSelect(is_first, b_.getInt64(step_), begin);
    }
    auto step = [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
      return EmitStep(iv, accumulators);
    };
    bool is_one_step = main_end == step_ && !from_points_;
    Values values;
    if (is_one_step)
      values = step(begin, carried);
    else if (has_blocks_ && main_end > kBlockSteps * step_)
      values = EmitBlocks(b_, begin, b_.getInt64(main_end),
                          StepsOfBlock(main_end / step_) * step_, carried, Blocks(),
                          [&](llvm::Value* first, llvm::Value* end, auto) {
                            return EmitForLoop(b_, first, end, step_, starts_, step);
                          });
    else
      values = EmitForLoop(b_, begin, b_.getInt64(main_end), step_, carried, step);
    Values first(values.begin(), values.begin() + parts_);
    first = EmitForLoop(b_, b_.getInt64(main_end), b_.getInt64(vector_end), width_, first,
                        [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
                          return EmitRegister(iv, accumulators, nullptr);
                        });
    if (vector_end < row_) {
      llvm::SmallVector<llvm::Constant*> lanes;
      for (int lane = 0; lane < width_; ++lane)
        lanes.push_back(b_.getInt1(lane < row_ - vector_end));
      first =
          EmitRegister(b_.getInt64(vector_end), first, llvm::ConstantVector::get(lanes));
    }
    std::copy(first.begin(), first.end(), values.begin());
    return values;
  }

  // Combines all accumulators into one.
  StatusOr<Values> CombineAccumulators(llvm::ArrayRef<llvm::Value*> accumulators) {
    llvm::SmallVector<Values> partial;
    for (int copy = 0; copy < copies_; ++copy)
      partial.emplace_back(accumulators.slice(copy * parts_, parts_));
    while (partial.size() > 1) {
      llvm::SmallVector<Values> next;
      for (size_t i = 0; i + 1 < partial.size(); i += 2) {
        TENON_ASSIGN_OR_RETURN(Values both, CombinePartial(partial[i], partial[i + 1]));
        next.push_back(std::move(both));
      }
      partial = std::move(next);
    }
    return partial[0];
  }

  const int width_;
  const int64_t row_;  // points of a row
  int copies_;         // accumulators
  int64_t step_;       // points of an iteration
  size_t parts_ = 0;   // of one accumulator
  bool known_identity_ = true;
  bool from_points_ = false;  // the accumulators start from the first points
  bool has_blocks_ = false;   // sums are made of blocks
  Values starts_;             // of all accumulators
  llvm::SmallVector<ElementValue> inits_;
  llvm::SmallVector<IndexValue> outer_;  // indices of the row
  Status status_;
};

}  // namespace

Status EmitVectorReduce(BodyEmitter& body, ir::ReduceOp reduce, int width) {
  return VectorReduction(body, reduce, width).Emit();
}

}  // namespace tenon::codegen
