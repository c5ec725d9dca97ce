// Counts at how many points a fused kernel evaluates each of its ops.
//
// A kernel computes an element of a result on demand, from the root backwards (see
// kernels/point_builder.h): a slice reads its operand at a shifted index, a concatenate
// reads each operand under a condition. An op that is read at k distinct points is
// emitted k times, and so are its producers. So k grows exponentially along a chain of
// rolls unless fusion stops. Demand repeats that traversal on symbolic indices, without
// building code.
#ifndef TENON_COMPILER_FUSION_DEMAND_H_
#define TENON_COMPILER_FUSION_DEMAND_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// A symbolic index: a variable with values in [0, size), plus a constant. Variables are
// identified by a hash; variable 0 is the constant 0.
struct DemandIndex {
  uint64_t variable = 0;
  int64_t size = 1;
  int64_t offset = 0;

  bool operator==(const DemandIndex& other) const = default;
};

// One evaluation of an op.
struct DemandPoint {
  llvm::SmallVector<DemandIndex, 4> indices;
  uint64_t mask = 0;  // identifies the condition of the evaluation; 0: unconditional
  uint64_t loop = 0;  // identifies the enclosing reduction loop; 0: none
  // The range of the row variable for which the evaluation happens.
  int64_t first = 0, last = 0;

  bool operator==(const DemandPoint& other) const = default;
};

// The points at which one op is evaluated. Saturates beyond kMaxPoints.
class DemandPoints {
 public:
  static constexpr size_t kMaxPoints = 32;

  void Insert(DemandPoint point);
  bool saturated() const { return saturated_; }
  llvm::ArrayRef<DemandPoint> points() const { return points_; }
  // The maximum number of evaluations in one iteration of any one loop.
  int64_t MaxPerIteration() const;

 private:
  llvm::SmallVector<DemandPoint, 2> points_;
  bool saturated_ = false;
};

// The evaluations of one fusion. Rows run along the last dimension of its iteration
// space. The kernel splits rows where an op changes its source (where a roll wraps
// around), so that the source is known in each part of a row.
class Demand {
 public:
  // `splits_rows`: the kernel has rows, and may split them.
  Demand(llvm::ArrayRef<int64_t> shape, bool splits_rows);

  // The evaluation of a root.
  DemandPoints Root() const;
  // The evaluations of operand `number` of `user`, which is evaluated at `points`.
  // Heroes have loops of their own, and evaluate each operand element once.
  DemandPoints OfOperand(mlir::Operation* user, unsigned number,
                         const DemandPoints& points) const;
  static DemandPoints OfHeroOperand(mlir::Operation* hero, unsigned number);
  // The evaluations of `window`, which is evaluated at `points`, in the parts of rows
  // where whole windows lie inside the row of the operand.
  DemandPoints WithWholeWindows(stablehlo::ReduceWindowOp window,
                                const DemandPoints& points) const;

  bool splits_rows() const { return row_variable_ != 0; }
  int64_t row_length() const { return row_length_; }

 private:
  void Concatenate(mlir::Operation* user, unsigned number, const DemandPoint& point,
                   DemandPoints& result) const;
  // Maps `point` from the result of `user` to operand `number`; further points of the
  // operand are added to `result`. False if the operand is not read at that point.
  bool MapPoint(mlir::Operation* user, unsigned number, DemandPoint& point,
                DemandPoints& result) const;
  bool PadPoint(mlir::Operation* user, DemandPoint& point) const;
  // Restricts `point` to where 0 <= index < size. False if that range is empty.
  bool Restrict(DemandPoint& point, const DemandIndex& index, int64_t size) const;

  llvm::SmallVector<int64_t> shape_;
  uint64_t row_variable_ = 0;
  int64_t row_length_ = 0;
};

// Adds to `starts` the first index of each part of a row that `points` need. Keeps
// `starts` sorted and unique.
void AddRowStarts(const DemandPoints& points, int64_t row_length,
                  llvm::SmallVectorImpl<int64_t>& starts);

// The maximum number of parts of a row. Each part has its own copy of the kernel's code.
inline constexpr size_t kMaxRowParts = 8;

// Shorter rows have no loop of their own, so they are never split.
inline constexpr int64_t kMinRowLength = 16;

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_DEMAND_H_
