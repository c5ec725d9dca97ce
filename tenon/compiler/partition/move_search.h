// The steps of moves between shardings, what they cost, and the search for the cheapest
// ones. Internal to move_plan.cc.
#ifndef TENON_COMPILER_PARTITION_MOVE_SEARCH_H_
#define TENON_COMPILER_PARTITION_MOVE_SEARCH_H_

#include "tenon/compiler/partition/move_plan.h"

namespace tenon::compiler::partition {

// What each step costs for one tensor.
class MoveCosts {
 public:
  MoveCosts(const MovePlanner& planner, llvm::ArrayRef<int64_t> shape,
            int64_t element_bytes)
      : planner_(planner), shape_(shape) {
    bytes_ = static_cast<double>(element_bytes);
    for (int64_t size : shape) bytes_ *= static_cast<double>(size);
  }

  // The bytes that a device receives in a step from `before`, on average.
  double Received(const Placement& before, const MoveStep& step) const;
  // Whether every dimension is a multiple of its shards.
  bool Divides(const Placement& placement) const;

 private:
  const MovePlanner& planner_;
  llvm::ArrayRef<int64_t> shape_;
  double bytes_;  // of the whole tensor
};

// Steps from `has`, without their cost. `count` are the number of moved axes, the minor
// ones of a dimension.
MoveStep SliceStep(const Placement& has, int64_t dim, AxesRef axes);
MoveStep ReduceScatterStep(const Placement& has, int64_t dim, AxesRef axes);
MoveStep AllReduceStep(const Placement& has, AxesRef axes);
MoveStep AllToAllStep(const Placement& has, int64_t from, int64_t to, size_t count);
MoveStep PermuteStep(const Placement& has, llvm::ArrayRef<Axes> dims);
MoveStep AllGatherStep(const Placement& has, int64_t dim, size_t count);

// Replaces `plan` by a cheaper one, if there is one. `all` are the axes of both
// shardings.
void SearchMoves(const Sharding& from, const Sharding& to, AxesRef all,
                 const MoveCosts& costs, MovePlan& plan);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_MOVE_SEARCH_H_
