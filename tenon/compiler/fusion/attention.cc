#include "tenon/compiler/fusion/attention.h"

#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tensor_types.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/compiler/kernels/point_ops.h"

namespace tenon::compiler {
namespace {

// Fewer scores stay in the cache anyway; longer rows do not, even a few of them.
constexpr int64_t kLeastScores = 1 << 16, kMostColumns = 8192;
constexpr int64_t kLeastSide = 16;   // of any matrix
constexpr int64_t kMostDepth = 512;  // of what is read again for every block of rows

bool IsAttentionType(mlir::Value tensor) {
  mlir::Type type = ElementOf(tensor);
  return type.isF32() || type.isF64();
}

stablehlo::DotGeneralOp ProductOf(const Cluster* cluster) {
  if (!cluster || cluster->kind != kContractFusion) return nullptr;
  return llvm::dyn_cast_or_null<stablehlo::DotGeneralOp>(cluster->hero);
}

class AttentionFinder {
 public:
  explicit AttentionFinder(BlockClusters& found) : found_(found) {}

  void Visit(Cluster* last) {
    auto product = ProductOf(last);
    if (!product) return;
    for (unsigned number : {0u, 1u}) {
      Cluster* rows = RowsBefore(product, number);
      Cluster* first = rows ? ScoresBefore(rows, ElementOf(product)) : nullptr;
      if (!first || first == last) continue;
      for (Cluster* from : {rows, first}) {
        for (mlir::Operation* op : from->members) found_.cluster_of[op] = last;
        last->members.append(from->members);
        from->members.clear();
        from->hero = nullptr;
      }
      last->kind = kAttentionFusion;
      return;
    }
  }

 private:
  bool UsedOnlyBy(mlir::Value value, const Cluster* cluster) {
    return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
      return found_.Of(user) == cluster;
    });
  }

  // The one value of `cluster` that others use; null if there are several.
  mlir::Value OnlyResult(const Cluster* cluster) {
    mlir::Value only;
    for (mlir::Operation* op : cluster->members) {
      for (mlir::Value result : op->getResults()) {
        if (UsedOnlyBy(result, cluster)) continue;
        if (only) return nullptr;
        only = result;
      }
    }
    return only;
  }

  // The loop that makes operand `number` of `product`, [batch..., row, sum], by rows.
  Cluster* RowsBefore(stablehlo::DotGeneralOp product, unsigned number) {
    mlir::Value weights = product->getOperand(number);
    mlir::Operation* def = weights.getDefiningOp();
    Cluster* rows = def ? found_.Of(def) : nullptr;
    if (!rows || rows->kind != kLoopFusion || !weights.hasOneUse()) return nullptr;
    int64_t rank = TypeOf(weights).getRank();
    if (rank < 2 || rows->row_rank != rank - 1 || OnlyResult(rows) != weights)
      return nullptr;
    auto numbers = product.getDotDimensionNumbers();
    auto batch = number == 0 ? numbers.getLhsBatchingDimensions()
                             : numbers.getRhsBatchingDimensions();
    auto sum = number == 0 ? numbers.getLhsContractingDimensions()
                           : numbers.getRhsContractingDimensions();
    if (static_cast<int64_t>(batch.size()) != rank - 2 || sum.size() != 1 ||
        sum[0] != rank - 1 || !llvm::equal(batch, llvm::seq<int64_t>(0, rank - 2)))
      return nullptr;
    mlir::Value other = product->getOperand(1 - number);
    if (other.getDefiningOp() && found_.Of(other.getDefiningOp()) == rows) return nullptr;
    llvm::ArrayRef<int64_t> shape = ShapeOf(weights);
    int64_t batches = ElementCountOf(weights) / (shape[rank - 2] * shape[rank - 1]);
    int64_t columns = ElementCountOf(other) / (batches * shape[rank - 1]);
    bool fits = shape[rank - 2] >= kLeastSide && shape[rank - 1] >= kLeastSide &&
                shape[rank - 1] <= kMostColumns && columns >= kLeastSide &&
                columns <= kMostDepth && ElementCountOf(weights) >= kLeastScores;
    bool types = IsAttentionType(weights) && ElementOf(other) == ElementOf(weights) &&
                 ElementOf(product.getResult()) == ElementOf(weights);
    return fits && types ? rows : nullptr;
  }

  // The product of elements of `element` whose rows `rows` works on.
  Cluster* ScoresBefore(Cluster* rows, mlir::Type element) {
    for (mlir::Operation* op : rows->members) {
      for (mlir::Value scores : op->getOperands()) {
        mlir::Operation* def = scores.getDefiningOp();
        Cluster* first = def ? found_.Of(def) : nullptr;
        if (first != rows && IsScores(scores, first, rows, element)) return first;
      }
    }
    return nullptr;
  }

  bool IsScores(mlir::Value scores, Cluster* first, Cluster* rows, mlir::Type element) {
    auto product = ProductOf(first);
    if (!product || ShapeOf(scores) != llvm::ArrayRef<int64_t>(rows->shape) ||
        ShapeOf(product.getResult()) != ShapeOf(scores))
      return false;
    if (OnlyResult(first) != scores || !UsedOnlyBy(scores, rows)) return false;
    if (ElementOf(scores) != element || ElementOf(product.getLhs()) != element ||
        ElementOf(product.getRhs()) != element ||
        ElementOf(product.getResult()) != element)
      return false;
    auto numbers = product.getDotDimensionNumbers();
    int64_t rank = TypeOf(scores).getRank();
    auto batch = numbers.getLhsBatchingDimensions();
    auto sum = numbers.getLhsContractingDimensions();
    int64_t of_one = static_cast<int64_t>(batch.size() + sum.size()) + 1;
    if (static_cast<int64_t>(batch.size()) != rank - 2 ||
        TypeOf(product.getLhs()).getRank() != of_one ||
        TypeOf(product.getRhs()).getRank() != of_one)
      return false;
    int64_t depth = 1;
    for (int64_t dim : sum) depth *= ShapeOf(product.getLhs())[dim];
    return depth >= kLeastSide && depth <= kMostDepth && StaysInRows(scores, rank - 1);
  }

  // Whether a row of what is made of `scores` depends on the same row of them alone, and
  // each element on the same one and what is said of the row. (What reductions give is
  // asked for by the row: else they would not be in a cluster of rows.)
  bool StaysInRows(mlir::Value scores, int64_t last) {
    llvm::SmallVector<mlir::Value> work{scores};
    llvm::SmallPtrSet<mlir::Operation*, 16> seen;
    while (!work.empty()) {
      mlir::Value value = work.pop_back_val();
      for (mlir::Operation* user : value.getUsers()) {
        if (!seen.insert(user).second || ProductOf(found_.Of(user))) continue;
        if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(user)) {
          bool of_row = reduce.getDimensions() == llvm::ArrayRef<int64_t>(last);
          if (!of_row || llvm::is_contained(reduce.getInitValues(), value)) return false;
          continue;
        }
        if (!IsElementwise(user)) return false;
        llvm::append_range(work, user->getResults());
      }
    }
    return true;
  }

  BlockClusters& found_;
};

}  // namespace

void JoinAttention(BlockClusters& clusters) {
  AttentionFinder finder(clusters);
  for (auto& cluster : clusters.clusters) finder.Visit(cluster.get());
}

}  // namespace tenon::compiler
