// Which ops of a block become one kernel.
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

struct Cluster {
  ir::FusionKind kind = ir::FusionKind::kLoop;
  llvm::SmallVector<mlir::Operation*> members;  // in the order found: last ones first
  llvm::SmallVector<int64_t> shape;             // the iteration space: of the roots
  mlir::Operation* hero = nullptr;
  std::optional<int64_t> row_rank;  // dimensions outside of the reductions it holds
  bool has_column_reduce = false;
  bool has_window = false;
  bool several_results = false;  // of more than one member
  size_t op_count = 0;
  // Evaluations of ops that the kernel's code makes: those of its points, op by op.
  size_t evaluations = 0;
  // Where the parts begin into which the kernel splits its rows; see fusion/demand.h.
  llvm::SmallVector<int64_t> row_starts;
  bool moves_rows = false;  // holds a transpose of the last dimension
};

// The clusters of one block, and the order its ops had.
struct BlockClusters {
  std::vector<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<mlir::Operation*, Cluster*> cluster_of;
  llvm::DenseMap<mlir::Operation*, int64_t> positions;
  // What has effects and comes next before, or after, another op that has.
  llvm::DenseMap<mlir::Operation*, mlir::Operation*> effect_before, effect_after;

  Cluster* Of(mlir::Operation* op) const { return cluster_of.lookup(op); }
};

// Also duplicates constants and the like into the clusters that use them.
BlockClusters FindClusters(mlir::Block& block);

// Turns the clusters into tenon.fusion ops, in an order in which every value is made
// before use. INTERNAL, naming an op and its location, if there is none: clusters that
// need each other.
Status EmitFusions(mlir::Block& block, BlockClusters clusters);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_CLUSTER_H_
