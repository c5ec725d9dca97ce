#include "tenon/compiler/codegen/kernel/reduce_emitter.h"

#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/stablehlo/combiner.h"

namespace tenon::codegen {
namespace {

// Shorter rows are left folds, as in XLA's CPU backend.
constexpr int64_t kMinOrderedRow = 32;

// Emits the points of a loop nest one after another, without loops.
Values EmitUnrolled(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                    llvm::SmallVector<IndexValue>& indices, NestBody body) {
  if (sizes.empty()) return body(indices, carried);
  for (int64_t i = 0; i < sizes.front(); ++i) {
    indices.push_back({b.getInt64(i), 0, i});
    carried = EmitUnrolled(b, sizes.drop_front(), carried, indices, body);
    indices.pop_back();
  }
  return carried;
}

bool HasMaskedLoads(ir::ReduceOp reduce) {
  return llvm::any_of(reduce.getBody().getOps<ir::LoadOp>(),
                      [](ir::LoadOp load) { return load.getMask() != nullptr; });
}

// The number of trailing dimensions of the window of a pooling whose points are unrolled.
// LLVM does not unroll them, because they are masked at the edge of the image.
size_t UnrolledRank(ir::ReduceOp reduce) {
  constexpr int64_t kMaxPoints = 9;
  constexpr size_t kMaxOps = 24;
  if (CountOps(reduce.getBody().front()) > kMaxOps) return 0;
  llvm::ArrayRef<int64_t> sizes = reduce.getSizes();
  size_t rank = 0;
  for (int64_t points = 1; rank < sizes.size(); ++rank) {
    points *= sizes[sizes.size() - 1 - rank];
    if (points > kMaxPoints) break;
  }
  return rank == sizes.size() || HasMaskedLoads(reduce) ? rank : 0;
}

// Counts the shuffles and insertions of what is emitted after it is created.
class LaneMoveCounter {
 public:
  explicit LaneMoveCounter(llvm::IRBuilderBase& b)
      : block_(b.GetInsertBlock()),
        last_(&block_->getParent()->back()),
        size_(block_->size()) {}

  int64_t Count() const {
    auto is_move = llvm::IsaPred<llvm::InsertElementInst, llvm::ShuffleVectorInst>;
    int64_t count = llvm::count_if(llvm::drop_begin(*block_, size_), is_move);
    for (auto next = std::next(last_->getIterator()); next != block_->getParent()->end();
         ++next)
      count += llvm::count_if(*next, is_move);
    return count;
  }

 private:
  llvm::BasicBlock* block_;
  llvm::BasicBlock* last_;  // new blocks follow it
  size_t size_;
};

// A left fold with one accumulator, in scalar code or in each lane of the loop around it.
class SequentialReduction : Reduction {
 public:
  using Reduction::Reduction;

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : reduce_.getInits())
      inits.push_back(points_.Broadcast(points_.Scalar(init)));
    if (body_.target().device) return EmitSteps(FlattenParts(inits));
    int64_t points = 1;
    for (int64_t size : reduce_.getSizes()) points *= size;
    const Values starts = points > kBlockSteps
                              ? SumStarts(combiner_, FlattenParts(inits), inits.size())
                              : Values();
    if (points_.lanes().width > 1 && starts.empty()) {
      TENON_ASSIGN_OR_RETURN(bool done, EmitUnrolledWindow(inits));
      if (done) return OkStatus();
    }
    Status status;
    const SumBlocks blocks{starts, [&](llvm::ArrayRef<llvm::Value*> totals,
                                       llvm::ArrayRef<llvm::Value*> sums) {
                             auto both = Combine(totals, sums);
                             if (both.ok()) return *both;
                             status = both.status();
                             return Values(totals);
                           }};
    auto in_blocks = [&](llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes,
                         Values carried, llvm::SmallVector<IndexValue>& indices,
                         NestBody body) {
      return EmitNestInBlocks(b, sizes, 1, std::move(carried), blocks, indices, body);
    };
    TENON_ASSIGN_OR_RETURN(auto results, starts.empty() ? EmitNest(EmitLoopNest, inits, 1)
                                                        : EmitNest(in_blocks, inits, 1));
    TENON_RETURN_IF_ERROR(status);
    SetResults(*results);
    return OkStatus();
  }

 private:
  using Nest =
      llvm::function_ref<Values(llvm::IRBuilderBase&, llvm::ArrayRef<int64_t>, Values,
                                llvm::SmallVector<IndexValue>&, NestBody)>;

  // Emits the points of the last dimensions of a window one after another. False if there
  // are too many.
  StatusOr<bool> EmitUnrolledWindow(llvm::ArrayRef<ElementValue> inits) {
    const size_t rank = UnrolledRank(reduce_);
    if (rank == 0) return false;
    llvm::ArrayRef<int64_t> unrolled = reduce_.getSizes().take_back(rank);
    auto nest = [&](llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                    llvm::SmallVector<IndexValue>& indices, NestBody body) {
      return EmitLoopNest(b, sizes.drop_back(rank), std::move(carried), indices,
                          [&](auto, llvm::ArrayRef<llvm::Value*> values) {
                            return EmitUnrolled(b, unrolled, Values(values), indices,
                                                body);
                          });
    };
    int64_t copies = 1;
    for (int64_t size : unrolled) copies *= size;
    TENON_ASSIGN_OR_RETURN(auto results, EmitNest(nest, inits, copies));
    if (results) SetResults(*results);
    return results.has_value();
  }

  // Folds all points, each of which is emitted `copies` times. Returns nullopt, and
  // leaves dead code, if that is too long, because lanes are loaded one by one.
  StatusOr<std::optional<Values>> EmitNest(Nest nest, llvm::ArrayRef<ElementValue> inits,
                                           int64_t copies) {
    // Poolings, whose loads are masked, gain from more.
    const int64_t max_lane_moves = HasMaskedLoads(reduce_) ? 96 : 40;
    const LaneMoveCounter moves(b_);
    const bool is_limited = copies > 1;
    bool is_first = true, is_long = false;
    Status status;
    llvm::SmallVector<IndexValue> indices;
    Values results = nest(
        b_, reduce_.getSizes(), FlattenParts(inits), indices,
        [&](llvm::ArrayRef<IndexValue> point, llvm::ArrayRef<llvm::Value*> accumulators) {
          if (!status.ok() || is_long) return Values(accumulators);
          auto next = Accumulate(point, accumulators);
          if (is_limited && is_first) is_long = moves.Count() * copies > max_lane_moves;
          is_first = false;
          if (next.ok()) return *next;
          status = next.status();
          return Values(accumulators);
        });
    TENON_RETURN_IF_ERROR(status);
    if (is_long) return std::optional<Values>();
    return std::optional<Values>(std::move(results));
  }

  // An item of a device waits for each load, so it loads several points, and then
  // combines them, in the same order.
  Status EmitSteps(Values inits) {
    constexpr int64_t kPoints = 8;
    constexpr size_t kMaxOps = 32;
    llvm::ArrayRef<int64_t> sizes = reduce_.getSizes();
    const bool loads_ahead =
        !sizes.empty() && CountOps(reduce_.getBody().front()) <= kMaxOps;
    const int64_t last = sizes.empty() ? 1 : sizes.back();
    const int64_t step = loads_ahead ? std::min(kPoints, last) : 1;
    Status status;
    llvm::SmallVector<IndexValue> indices;
    auto points = [&](llvm::ArrayRef<IndexValue> outer, llvm::Value* first, int64_t count,
                      llvm::ArrayRef<llvm::Value*> accumulators) {
      llvm::SmallVector<Values> values;
      for (int64_t i = 0; i < count && status.ok(); ++i) {
        llvm::SmallVector<IndexValue> point(outer);
        if (!sizes.empty())
          point.push_back({b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(i))), 0,
                           last == 1 ? 0 : 1});
        auto next = PointValues(point);
        if (next.ok())
          values.push_back(*next);
        else
          status = next.status();
      }
      Values sum(accumulators);
      for (const Values& value : values) {
        if (!status.ok()) break;
        auto next = Combine(sum, value);
        if (next.ok())
          sum = *next;
        else
          status = next.status();
      }
      return sum;
    };
    Values results = EmitLoopNest(
        b_, sizes.empty() ? sizes : sizes.drop_back(), std::move(inits), indices,
        [&](llvm::ArrayRef<IndexValue> outer, llvm::ArrayRef<llvm::Value*> carried) {
          if (step == 0) return Values(carried);
          llvm::Value* whole = b_.getInt64(static_cast<uint64_t>(last / step * step));
          Values sum = EmitForLoop(
              b_, b_.getInt64(0), whole, step, carried,
              [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
                return points(outer, iv, step, accumulators);
              });
          return points(outer, whole, last % step, sum);
        });
    TENON_RETURN_IF_ERROR(status);
    SetResults(results);
    return OkStatus();
  }
};

}  // namespace

Status EmitReduce(BodyEmitter& body, ir::ReduceOp reduce) {
  SequentialReduction sequential(body, reduce);
  // Vectors may start from the first points, which must exist.
  const bool has_points =
      !reduce.getSizes().empty() && !llvm::is_contained(reduce.getSizes(), 0);
  if (body.points().lanes().width > 1 || !has_points) return sequential.Emit();
  int width = ChooseWidth(reduce.getBody().front(), body.target());
  while (width > 1 && reduce.getSizes().back() < width) width /= 2;
  if (width < 2) return sequential.Emit();
  bool any_order = stablehlo::IsReorderable(reduce.getCombiner().front());
  if (any_order || reduce.getPositionOperand())
    return EmitVectorReduce(body, reduce, width);
  if (reduce.getSizes().back() < kMinOrderedRow) return sequential.Emit();
  return EmitOrderedReduce(body, reduce, width);
}

}  // namespace tenon::codegen
