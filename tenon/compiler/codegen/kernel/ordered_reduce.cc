// A reduction along contiguous rows whose combiner is not known to be reorderable.
//
// Each block of consecutive points is reduced by a tree of neighbours: the even lanes of
// two registers are combined with the odd lanes, which keeps the order of the points. The
// results of the blocks, and the points after the last block, are combined into the
// accumulator one by one.
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"

namespace tenon::codegen {
namespace {

// A block has four registers, or one if body and combiner are longer.
constexpr size_t kMaxOpsOfFourRegisters = 12;

class OrderedReduction : Reduction {
 public:
  OrderedReduction(BodyEmitter& body, ir::ReduceOp reduce, int width)
      : Reduction(body, reduce), width_(width), row_(reduce.getSizes().back()) {
    size_t ops = CountOps(reduce.getBody().front()) + CountOps(combiner_);
    registers_ = ops <= kMaxOpsOfFourRegisters && row_ >= 4 * width ? 4 : 1;
  }

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : reduce_.getInits()) inits.push_back(points_.Scalar(init));
    llvm::SmallVector<IndexValue> indices;
    Values results = EmitLoopNest(
        b_, reduce_.getSizes().drop_back(), FlattenParts(inits), indices,
        [&](llvm::ArrayRef<IndexValue> outer, llvm::ArrayRef<llvm::Value*> carried) {
          return EmitRow(outer, carried);
        });
    TENON_RETURN_IF_ERROR(status_);
    SetResults(results);
    return OkStatus();
  }

 private:
  Values EmitRow(llvm::ArrayRef<IndexValue> outer, llvm::ArrayRef<llvm::Value*> carried) {
    const int64_t block = int64_t{width_} * registers_, main_end = row_ / block * block;
    Values values = EmitForLoop(
        b_, b_.getInt64(0), b_.getInt64(main_end), block, carried,
        [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
          return KeepStatus(CombineBlock(outer, iv, accumulators), accumulators);
        });
    return EmitForLoop(b_, b_.getInt64(main_end), b_.getInt64(row_), 1, values,
                       [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
                         llvm::SmallVector<IndexValue> point(outer);
                         point.push_back({iv, 0, 1});
                         return KeepStatus(Accumulate(point, accumulators), accumulators);
                       });
  }

  // Emits the points of a block and combines its result into the accumulators.
  StatusOr<Values> CombineBlock(llvm::ArrayRef<IndexValue> outer, llvm::Value* iv,
                                llvm::ArrayRef<llvm::Value*> accumulators) {
    points_.set_lanes({width_, nullptr});
    std::vector<Values> partial;
    for (int number = 0; number < registers_; ++number) {
      llvm::SmallVector<IndexValue> indices(outer);
      llvm::Value* first = b_.CreateAdd(iv, b_.getInt64(int64_t{width_} * number));
      indices.push_back({first, 1, width_});
      TENON_ASSIGN_OR_RETURN(Values values, PointValues(indices));
      partial.push_back(std::move(values));
    }
    for (; partial.size() > 1; partial.resize(partial.size() / 2)) {
      for (size_t i = 0; i < partial.size(); i += 2) {
        Values even = EverySecond(partial[i], partial[i + 1], width_, 0);
        Values odd = EverySecond(partial[i], partial[i + 1], width_, 1);
        TENON_ASSIGN_OR_RETURN(partial[i / 2], Combine(even, odd));
      }
    }
    Values lanes = std::move(partial[0]);
    for (int half = width_ / 2; half >= 1; half /= 2) {
      Values even = EverySecond(lanes, lanes, half, 0);
      Values odd = EverySecond(lanes, lanes, half, 1);
      points_.set_lanes({half, nullptr});
      TENON_ASSIGN_OR_RETURN(lanes, Combine(even, odd));
    }
    return Combine(accumulators, lanes);
  }

  // Takes every second lane of the concatenation of `low` and `high`, from lane `first`
  // on.
  Values EverySecond(const Values& low, const Values& high, int lanes, int first) {
    llvm::SmallVector<int> mask;
    for (int lane = 0; lane < lanes; ++lane) mask.push_back(first + 2 * lane);
    Values taken;
    for (auto [x, y] : llvm::zip_equal(low, high))
      taken.push_back(lanes == 1 ? b_.CreateExtractElement(x, uint64_t(first))
                                 : b_.CreateShuffleVector(x, y, mask));
    return taken;
  }

  // Returns `next`, or `carried` if it is an error, which it keeps. Resets the lanes.
  Values KeepStatus(StatusOr<Values> next, llvm::ArrayRef<llvm::Value*> carried) {
    points_.set_lanes({});
    if (next.ok()) return *next;
    if (status_.ok()) status_ = next.status();
    return Values(carried);
  }

  const int width_;
  const int64_t row_;  // points of a row
  int registers_;      // of a block
  Status status_;
};

}  // namespace

Status EmitOrderedReduce(BodyEmitter& body, ir::ReduceOp reduce, int width) {
  return OrderedReduction(body, reduce, width).Emit();
}

}  // namespace tenon::codegen
