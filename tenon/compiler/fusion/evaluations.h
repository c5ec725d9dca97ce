// Counts how often the kernel of a cluster evaluates each op, and limits it: a kernel's
// code must not grow exponentially along a chain of ops that each read the previous one
// at several points (docs/design/0012).
#ifndef TENON_COMPILER_FUSION_EVALUATIONS_H_
#define TENON_COMPILER_FUSION_EVALUATIONS_H_

#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/fusion/demand.h"

namespace tenon::compiler {

class Evaluations {
 public:
  // `clusters` are still being found: ops join them from the block's end backwards.
  Evaluations(const BlockClusters& clusters, const TargetTraits& target)
      : clusters_(clusters), target_(target) {}

  // The points of the root of a cluster whose kind and shape are known.
  DemandPoints Start(Cluster* cluster);
  // The points at which `cluster` would evaluate `op` if it joined. `is_result`: `op`
  // would also be a result of the kernel.
  DemandPoints PointsOf(mlir::Operation* op, Cluster* cluster, bool is_result) const;
  // Whether evaluating `op` at all of `points` takes more code or time than computing it
  // in a kernel of its own and loading the result.
  bool AreTooMany(mlir::Operation* op, Cluster* cluster,
                  const DemandPoints& points) const;
  // Splits the cluster's rows so that the source of `op`, evaluated at `points`, is known
  // in each part. False if the kernel cannot split its rows that way.
  bool SplitRows(mlir::Operation* op, Cluster* cluster, const DemandPoints& points) const;
  // Splits the cluster's rows where windows along them begin or cease to reach into the
  // padding, if loads under masks are slow.
  void SplitWindowRows(stablehlo::ReduceWindowOp window, Cluster* cluster,
                       const DemandPoints& points) const;
  // Forgets a cluster whose ops are another's from now on.
  void Forget(Cluster* cluster) { demands_.erase(cluster); }
  // Records that `op` has joined `cluster`.
  void Record(mlir::Operation* op, Cluster* cluster, DemandPoints points);

 private:
  int64_t InstructionsOf(mlir::Operation* op) const;
  // Splits the cluster's rows at `starts`. False if its kernel cannot, or if the code of
  // the parts would cost more than it saves.
  static bool SplitRowsAt(llvm::SmallVector<int64_t> starts, int64_t row_length,
                          Cluster* cluster);

  const BlockClusters& clusters_;
  const TargetTraits& target_;
  llvm::DenseMap<const Cluster*, Demand> demands_;
  llvm::DenseMap<mlir::Operation*, DemandPoints> points_;
};

// Whether `op` is a transpose that moves the last dimension. The kernel of such a
// transpose has tiles instead of rows that could be split.
bool MovesRows(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_EVALUATIONS_H_
