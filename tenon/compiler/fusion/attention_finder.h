// Finds the clusters of a block that together form attention; see attention.h.
#ifndef TENON_COMPILER_FUSION_ATTENTION_FINDER_H_
#define TENON_COMPILER_FUSION_ATTENTION_FINDER_H_

#include <vector>

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

struct MatrixInstructions;  // matrix_instructions.h

class AttentionFinder {
 public:
  // `matrix`: the device's matrix instructions, or null. See JoinAttention.
  AttentionFinder(BlockClusters& found, const MatrixInstructions* matrix,
                  bool ignores_rounding)
      : found_(found), matrix_(matrix), ignores_rounding_(ignores_rounding) {}

  void Visit(Cluster* last);

  // Call this after all attention clusters are found. Products that sum a cluster's
  // values over rows join the cluster. Elements that one cluster computes only for a
  // cluster of gradients are rematerialized in the latter.
  void Extend();

  // Adds to `refused` the products from which clusters were found that the device cannot
  // compute. If there are any, undoes all changes of ops, and returns true.
  bool Refuse(llvm::SmallPtrSetImpl<mlir::Operation*>& refused);

 private:
  // Limits that both attention.cc and attention_gradients.cc use.
  static constexpr int64_t kMinSide = 16;  // of any matrix
  static constexpr size_t kMaxOps = 256;   // see find_clusters.cc

  // How a value computed from the scores, [batch..., row..., column], is indexed. There
  // are several row dimensions if several query heads share their keys.
  enum class ValueKind {
    kElement,  // like the scores: one element per score
    kRow,      // [batch..., row...] or [batch..., row..., 1]: one element per row
  };
  using ValueKinds = llvm::DenseMap<mlir::Value, ValueKind>;
  struct Attention {
    Cluster* cluster;
    mlir::Operation* hero;  // the product that it was found from
    ValueKinds kinds;
    int64_t batch_rank;  // number of batch dimensions of its scores, which come first
    llvm::SmallVector<int64_t> shape;  // of the scores
    // The products that read computed values, and their epilogues.
    llvm::SmallPtrSet<mlir::Operation*, 8> last;
  };

  // A candidate for one kernel: clusters, and views of their results.
  struct Candidate {
    llvm::SmallSetVector<Cluster*, 4> clusters;
    llvm::SmallSetVector<mlir::Operation*, 4> views;
    ValueKinds kinds;  // of the values that the clusters compute
  };

  // Whether both operands have one type, and the result has that type or, for 16-bit
  // operands, the type of their accumulators.
  static bool HasAttentionTypes(stablehlo::DotGeneralOp product);
  static bool IsNarrow(mlir::Type type) { return type.isF16() || type.isBF16(); }
  static stablehlo::DotGeneralOp ProductOf(const Cluster* cluster);

  bool Contains(const Candidate& candidate, mlir::Operation* op) {
    return candidate.views.contains(op) || candidate.clusters.contains(found_.Of(op));
  }

  static int64_t BatchRank(stablehlo::DotGeneralOp product) {
    auto numbers = product.getDotDimensionNumbers();
    return static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  }

  // Whether operand `number` of the product is [batch..., row..., k], within the size
  // limits.
  bool IsWeights(stablehlo::DotGeneralOp product, unsigned number);

  // The rows of one batch of scores of this shape.
  static int64_t RowsOf(llvm::ArrayRef<int64_t> shape, int64_t batch_rank) {
    int64_t rows = 1;
    for (int64_t size : shape.drop_back().drop_front(batch_rank)) rows *= size;
    return rows;
  }

  // The clusters that compute operand `number` of the product of `last` from the scores
  // of an earlier product, with that product's cluster. Nullopt unless they work row by
  // row.
  std::optional<Candidate> CandidateBefore(Cluster* last, unsigned number);

  // The last product before `weights` from whose rows loop clusters may compute the
  // weights.
  Cluster* ScoresBefore(mlir::Value weights, int64_t batch_rank);

  // The only value of `cluster` with uses outside it; null if there are several.
  mlir::Value OnlyResult(const Cluster* cluster);
  bool UsedOnlyBy(mlir::Value value, const Cluster* cluster) {
    return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
      return found_.Of(user) == cluster;
    });
  }

  bool IsScores(mlir::Value scores, Cluster* first, llvm::ArrayRef<int64_t> shape,
                int64_t batch_rank);

  // Whether tenon.attention ops can compute the cluster.
  bool CanStream(const Attention& attention);

  // Whether `op` is a reshape outside all kernels.
  bool IsView(mlir::Operation* op) {
    return llvm::isa<stablehlo::ReshapeOp>(op) && found_.positions.contains(op) &&
           !found_.Of(op);
  }

  // The values that loop clusters before position `end` compute from `scores` row by row.
  ValueKinds ValuesByRow(mlir::Value scores, int64_t end);

  static std::optional<ValueKind> KindOf(mlir::Operation* op,
                                         llvm::ArrayRef<int64_t> scores,
                                         const ValueKinds& kinds);

  // The clusters and views on the paths of uses from the scores to `weights`.
  Candidate CandidateBetween(mlir::Value weights, const ValueKinds& kinds);

  // Whether `cluster` computes everything that depends on the scores row by row, and
  // other clusters use none of its other values.
  bool IsOfRows(const Cluster& cluster, mlir::Value scores, const ValueKinds& kinds,
                const Candidate& candidate);

  // Whether `last` reads a value of `before` other than its weights operand.
  bool ReadsOtherValues(const Cluster* last, unsigned number, const Candidate& before);

  // Whether an operand of `candidate` depends on a result of `candidate` through ops
  // outside it.
  bool DependsOnItself(const Candidate& candidate);

  // The following are in attention_gradients.cc.

  // The values of kind `wanted` that `attention` computes, in program order.
  llvm::SmallVector<mlir::Value> ComputedValues(const Attention& attention,
                                                ValueKind wanted);

  // If the product of `cluster` sums `value` over rows and `attention` can compute that
  // sum: the operand number of `value` in the product.
  std::optional<unsigned> SummedOperand(const Attention& attention, Cluster* cluster,
                                        mlir::Value value);

  // Moves the products that sum `value` over rows into `attention`. There they use `copy`
  // instead of `value`, if it is not null.
  void AddSums(Attention& attention, mlir::Value value,
               llvm::function_ref<mlir::Value()> copy);

  // The ops of `from` that compute `value` from values outside `from` and from values of
  // rows. Nullopt if they include more than one product. Narrow values of rows are
  // rematerialized, too: passing them on would round values that a kernel keeps
  // unrounded.
  std::optional<llvm::SmallVector<mlir::Operation*>> ProducersOf(const Attention& from,
                                                                 mlir::Value value);

  // Whether `attention` reads `value`, a value of kind `kind` of another cluster, only in
  // its row operations, and each at its own row. Elsewhere the value cannot be
  // rematerialized: a block of rows has only its own scores, and an epilogue none.
  bool IsReadByRow(const Attention& attention, mlir::Value value, ValueKind kind);

  // Rematerializes elements of `from` in `attention` if only `attention`, and sums over
  // rows that can join it, use them. They are then never written to memory.
  void Rematerialize(Attention& attention, const Attention& from);

  void CopyInto(Attention& attention, const Attention& from, mlir::Operation* op,
                mlir::IRMapping& copies);

  BlockClusters& found_;
  const MatrixInstructions* matrix_;
  bool ignores_rounding_;
  std::vector<Attention> joined_;
  std::vector<std::pair<mlir::Operation*, mlir::Operation*>> copied_;  // copy, original
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ATTENTION_FINDER_H_
