// How often the kernels of a block's clusters evaluate each op, and when that is too
// often: the code of a kernel must not grow exponentially along chains of ops each of
// which asks for the one before at several points (docs/design/0012).
#ifndef TENON_COMPILER_FUSION_EVALUATIONS_H_
#define TENON_COMPILER_FUSION_EVALUATIONS_H_

#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/fusion/demand.h"

namespace tenon::compiler {

class Evaluations {
 public:
  // `clusters` as they are while they are found; ops join them from the block's end on.
  explicit Evaluations(const BlockClusters& clusters) : clusters_(clusters) {}

  // The points of the root of a cluster whose kind and shape are known.
  DemandPoints Start(Cluster* cluster);
  // The points at which `cluster` would evaluate `op`, were it to join; `is_result`: it
  // would be another result, too.
  DemandPoints PointsOf(mlir::Operation* op, Cluster* cluster, bool is_result) const;
  // Whether evaluating `op` at all of `points` takes more code or time than a kernel of
  // its own whose result is loaded.
  bool AreTooMany(mlir::Operation* op, Cluster* cluster,
                  const DemandPoints& points) const;
  // Adds to the parts of the cluster's rows those in which `op`, evaluated at `points`,
  // knows its source; false if the kernel cannot split its rows so.
  bool SplitRows(mlir::Operation* op, Cluster* cluster, const DemandPoints& points) const;
  // `op` has joined.
  void Record(mlir::Operation* op, Cluster* cluster, DemandPoints points);

 private:
  int64_t InstructionsOf(mlir::Operation* op) const;

  const BlockClusters& clusters_;
  llvm::DenseMap<const Cluster*, Demand> demands_;
  llvm::DenseMap<mlir::Operation*, DemandPoints> points_;
};

// A transpose that reads along another dimension than the last; its kernel has tiles, and
// no rows that could be split.
bool MovesRows(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_EVALUATIONS_H_
