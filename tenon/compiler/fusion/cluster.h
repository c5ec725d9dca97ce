// Clusters: the groups of ops of a block that become one kernel each.
#ifndef TENON_COMPILER_FUSION_CLUSTER_H_
#define TENON_COMPILER_FUSION_CLUSTER_H_

#include <memory>
#include <optional>
#include <vector>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

class HostScalars;  // analysis/host_scalars.h

struct Cluster {
  ir::FusionKind kind = ir::FusionKind::kLoop;
  llvm::SmallVector<mlir::Operation*> members;  // in the order found: last ones first
  llvm::SmallVector<int64_t> shape;             // the iteration space: the root's shape
  // The hero (XLA's term): the op whose kind decides the kernel's loops, such as a
  // product. Null in loop clusters.
  mlir::Operation* hero = nullptr;
  std::optional<int64_t> row_rank;  // number of dimensions outside its row reductions
  bool has_column_reduce = false;
  bool has_window = false;
  bool several_results = false;  // several members have uses outside
  size_t op_count = 0;
  // The cluster of the ops that this one uses and has no room for, if there is one.
  Cluster* continuation = nullptr;
  // The number of times that the kernel's code evaluates ops: the sum over ops of points.
  size_t evaluations = 0;
  // Where the kernel splits its rows: the first index of each part; see fusion/demand.h.
  llvm::SmallVector<int64_t> row_starts;
  bool moves_rows = false;  // contains a transpose of the last dimension
};

// The clusters of one block, and the original order of its ops.
struct BlockClusters {
  std::vector<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<mlir::Operation*, Cluster*> cluster_of;
  llvm::DenseMap<mlir::Operation*, int64_t> positions;
  // The previous, or next, op with side effects of an op with side effects.
  llvm::DenseMap<mlir::Operation*, mlir::Operation*> effect_before, effect_after;

  Cluster* Of(mlir::Operation* op) const { return cluster_of.lookup(op); }
};

// Finds the clusters of a block. Clones constants and broadcasts into clusters using
// them. Scalars that the host computes are in no cluster.
BlockClusters FindClusters(mlir::Block& block, const TargetTraits& target,
                           const HostScalars& hosts);

// Turns the clusters into tenon.fusion ops and orders them so that every value is defined
// before its uses. INTERNAL, naming an op and its location, if clusters depend on each
// other.
Status EmitFusions(mlir::Block& block, BlockClusters clusters);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_CLUSTER_H_
