// Counts at how many points a fused kernel evaluates each of its ops.
//
// A kernel computes an element of a result by asking backwards from the root (see
// kernels/point_builder.h): a slice asks for its operand at a shifted index, a
// concatenate asks each operand under a condition. An op that is asked for at k distinct
// points is emitted k times, and so are its producers, so k grows exponentially along a
// chain of rolls unless fusion stops. Demand repeats that walk on symbolic indices,
// without building code.
#ifndef TENON_COMPILER_FUSION_DEMAND_H_
#define TENON_COMPILER_FUSION_DEMAND_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"

namespace tenon::compiler {

// A symbolic index: a variable that takes the values [0, size), plus a constant. Equal
// variables have equal hashes; variable 0 is the constant 0.
struct DemandIndex {
  uint64_t variable = 0;
  int64_t size = 1;
  int64_t offset = 0;

  bool operator==(const DemandIndex& other) const = default;
};

// One evaluation of an op.
struct DemandPoint {
  llvm::SmallVector<DemandIndex, 4> indices;
  uint64_t mask = 0;  // identifies the condition under which it happens; 0: always
  uint64_t loop = 0;  // identifies the reduction loop that contains it; 0: none
  // The values of the row variable for which it happens.
  int64_t first = 0, last = 0;

  bool operator==(const DemandPoint& other) const = default;
};

// The points at which one op is evaluated; more than kMaxPoints are not told apart.
class DemandPoints {
 public:
  static constexpr size_t kMaxPoints = 32;

  void Insert(DemandPoint point);
  bool saturated() const { return saturated_; }
  llvm::ArrayRef<DemandPoint> points() const { return points_; }
  // The most evaluations that one iteration of any one loop makes.
  int64_t MaxPerIteration() const;

 private:
  llvm::SmallVector<DemandPoint, 2> points_;
  bool saturated_ = false;
};

// The points of one fusion's iteration space. Rows run along the last dimension; the
// kernel splits them where an op of the fusion changes its source (a roll wraps around),
// so that each part of a row knows its source.
class Demand {
 public:
  // `splits_rows`: the kernel has rows that it may split.
  Demand(llvm::ArrayRef<int64_t> shape, bool splits_rows);

  // The evaluation of a root.
  DemandPoints Root() const;
  // The evaluations of operand `number` of `user`, which is evaluated at `points`.
  // `Hero` ops with loops of their own evaluate each element once.
  DemandPoints OfOperand(mlir::Operation* user, unsigned number,
                         const DemandPoints& points) const;
  static DemandPoints OfHeroOperand(mlir::Operation* hero, unsigned number);

  bool splits_rows() const { return row_variable_ != 0; }
  int64_t row_length() const { return row_length_; }

 private:
  void Concatenate(mlir::Operation* user, unsigned number, const DemandPoint& point,
                   DemandPoints& result) const;
  // Restricts `point` to where 0 <= index < size; false if that is nowhere.
  bool Restrict(DemandPoint& point, const DemandIndex& index, int64_t size) const;

  llvm::SmallVector<int64_t> shape_;
  uint64_t row_variable_ = 0;
  int64_t row_length_ = 0;
};

// Adds to `starts` where the parts of a row must begin for `points`; sorted, unique.
void AddRowStarts(const DemandPoints& points, int64_t row_length,
                  llvm::SmallVectorImpl<int64_t>& starts);

// Rows are split into at most this many parts; each is a copy of the kernel's code.
inline constexpr size_t kMaxRowParts = 8;

// Rows of fewer elements are not loops of their own, so they are never split.
inline constexpr int64_t kMinRowLength = 16;

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_DEMAND_H_
