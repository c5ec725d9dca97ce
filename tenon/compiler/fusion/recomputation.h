// Whether kernels should compute a value of their common producers again, each for
// itself, instead of reading it from memory (docs/design/0012).
#ifndef TENON_COMPILER_FUSION_RECOMPUTATION_H_
#define TENON_COMPILER_FUSION_RECOMPUTATION_H_

#include "llvm/ADT/SetVector.h"
#include "tenon/compiler/fusion/cluster.h"

namespace tenon::compiler {

// Estimates from the traffic to memory: a stored value is written once and read by each
// cluster; a recomputed one is computed by each from the arrays that it depends on, some
// of which the cluster reads anyway. Pure but for the clusters that it looks at.
class Recomputation {
 public:
  Recomputation(const BlockClusters& clusters, const TargetTraits& target)
      : clusters_(clusters), target_(target) {}

  // Whether all of `users`, at least two and the only users of `op`, should compute `op`,
  // which is elementwise and cheap, for themselves.
  bool Pays(mlir::Operation* op, llvm::ArrayRef<Cluster*> users) const;
  // The arrays from which `cluster` computes its operands, or reads them. Those of
  // operands that are not cheap are the operands themselves. `without`: an op that does
  // not count.
  llvm::SmallSetVector<mlir::Value, 8> ArraysOf(const Cluster& cluster,
                                                mlir::Operation* without) const;

 private:
  // What it takes to compute a value again.
  struct Sources {
    llvm::SmallSetVector<mlir::Value, 4> arrays;  // as many elements as the value
    int64_t instructions = 0;
    // Bytes, per element, of arrays that nothing else uses. The kernel that computes one
    // would otherwise store the value instead, as a product's epilogue does.
    int64_t stored_bytes = 0;
  };
  std::optional<Sources> SourcesOf(mlir::Value value) const;

  const BlockClusters& clusters_;
  const TargetTraits& target_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_RECOMPUTATION_H_
