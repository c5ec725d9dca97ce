#include "tenon/compiler/fusion/attention.h"

#include <map>

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Fewer scores than this stay in the cache anyway. Of rows longer than kMaxColumns not
// even a few fit the cache.
constexpr int64_t kMinScores = 1 << 16, kMaxColumns = 8192;
constexpr int64_t kMinSide = 16;    // of any matrix
constexpr int64_t kMaxDepth = 512;  // of operands that every block of rows reads again
constexpr size_t kMaxOps = 256;     // see find_clusters.cc
// Accumulators of sums over rows stay in the cache.
constexpr int64_t kMaxSums = 1 << 18;
// Scores with a contracted size of at most this are cheaper to recompute than to store
// and load.
constexpr int64_t kMaxRematerializedDepth = 128;

bool IsNarrow(mlir::Type type) { return type.isF16() || type.isBF16(); }

bool IsAttentionType(mlir::Type type) {
  return type.isF32() || type.isF64() || IsNarrow(type);
}

// Whether both operands have one type, and the result has that type or, for 16-bit
// operands, the type of their accumulators.
bool HasAttentionTypes(stablehlo::DotGeneralOp product) {
  mlir::Type type = ElementOf(product.getLhs()), result = ElementOf(product.getResult());
  return IsAttentionType(type) && ElementOf(product.getRhs()) == type &&
         (result == type || (IsNarrow(type) && result.isF32()));
}

stablehlo::DotGeneralOp ProductOf(const Cluster* cluster) {
  if (!cluster || cluster->kind != ir::FusionKind::kContract) return nullptr;
  return llvm::dyn_cast_or_null<stablehlo::DotGeneralOp>(cluster->hero);
}

// How a value computed from the scores, [batch..., row..., column], is indexed. There are
// several row dimensions if several query heads share their keys.
enum class Part {
  kElement,  // like the scores: one element a score
  kRow,      // [batch..., row...] or [batch..., row..., 1]: one element a row
};

class AttentionFinder {
 public:
  explicit AttentionFinder(BlockClusters& found) : found_(found) {}

  void Visit(Cluster* last) {
    auto product = ProductOf(last);
    if (!product || !HasAttentionTypes(product)) return;
    for (unsigned number : {0u, 1u}) {
      if (!IsWeights(product, number)) continue;
      auto before = PartsBefore(last, number);
      if (!before) continue;
      for (mlir::Operation* view : before->views) {
        found_.cluster_of[view] = last;
        last->members.push_back(view);
      }
      for (Cluster* from : before->clusters) {
        for (mlir::Operation* op : from->members) found_.cluster_of[op] = last;
        last->members.append(from->members);
        last->op_count += from->op_count;
        from->members.clear();
        from->hero = nullptr;
      }
      last->kind = ir::FusionKind::kAttention;
      joined_.push_back({last, std::move(before->parts), BatchRank(product)});
      return;
    }
  }

  // Call this after all attention clusters are found. Products that sum a cluster's
  // values over rows join the cluster. Elements that one cluster computes for another
  // one, of gradients, are rematerialized there.
  void Extend() {
    for (Attention& attention : joined_) {
      if (attention.cluster->several_results) continue;
      for (Attention& from : joined_)
        if (&from != &attention && from.batch_rank == attention.batch_rank)
          Rematerialize(attention, from);
      for (mlir::Value value : ComputedValues(attention, Part::kElement))
        AddSums(attention, value, nullptr);
    }
  }

 private:
  using Parts = llvm::DenseMap<mlir::Value, Part>;
  struct Attention {
    Cluster* cluster;
    Parts parts;
    int64_t batch_rank;  // number of batch dimensions of its scores, which come first
  };

  // A candidate for one kernel: clusters, and views of their results.
  struct Group {
    llvm::SmallSetVector<Cluster*, 4> clusters;
    llvm::SmallSetVector<mlir::Operation*, 4> views;
    Parts parts;  // of the values that the clusters compute
  };
  bool Contains(const Group& group, mlir::Operation* op) {
    return group.views.contains(op) || group.clusters.contains(found_.Of(op));
  }

  static int64_t BatchRank(stablehlo::DotGeneralOp product) {
    auto numbers = product.getDotDimensionNumbers();
    return static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  }

  // Whether operand `number` of the product is [batch..., row..., sum], of a fitting
  // size.
  bool IsWeights(stablehlo::DotGeneralOp product, unsigned number) {
    mlir::Value weights = product->getOperand(number);
    int64_t rank = TypeOf(weights).getRank(), batch_rank = BatchRank(product);
    if (rank < batch_rank + 2) return false;
    auto numbers = product.getDotDimensionNumbers();
    auto batch = number == 0 ? numbers.getLhsBatchingDimensions()
                             : numbers.getRhsBatchingDimensions();
    auto sum = number == 0 ? numbers.getLhsContractingDimensions()
                           : numbers.getRhsContractingDimensions();
    if (sum.size() != 1 || sum[0] != rank - 1 ||
        !llvm::equal(batch, llvm::seq<int64_t>(0, batch_rank)))
      return false;
    mlir::Value other = product->getOperand(1 - number);
    llvm::ArrayRef<int64_t> shape = ShapeOf(weights);
    if (ElementCountOf(weights) < kMinScores) return false;
    int64_t rows = RowsOf(shape, batch_rank);
    int64_t batches = ElementCountOf(weights) / (rows * shape[rank - 1]);
    int64_t columns = ElementCountOf(other) / (batches * shape[rank - 1]);
    return rows >= kMinSide && shape[rank - 1] >= kMinSide &&
           shape[rank - 1] <= kMaxColumns && columns >= kMinSide && columns <= kMaxDepth;
  }

  // The rows of one batch of scores of this shape.
  static int64_t RowsOf(llvm::ArrayRef<int64_t> shape, int64_t batch_rank) {
    int64_t rows = 1;
    for (int64_t size : shape.drop_back().drop_front(batch_rank)) rows *= size;
    return rows;
  }

  // The clusters that compute operand `number` of the product of `last` from the scores
  // of an earlier product, with that product's cluster. Nothing unless they work row by
  // row.
  std::optional<Group> PartsBefore(Cluster* last, unsigned number) {
    mlir::Value weights = last->hero->getOperand(number);
    Cluster* first = ScoresBefore(weights, BatchRank(ProductOf(last)));
    if (!first || first == last) return std::nullopt;
    mlir::Value scores = OnlyResult(first);
    Parts parts = PartsOf(scores, found_.positions[last->hero]);
    auto kind = parts.find(weights);
    if (kind == parts.end() || kind->second != Part::kElement) return std::nullopt;
    Group group = GroupBetween(weights, parts);
    size_t ops = first->op_count + last->op_count;
    for (Cluster* cluster : group.clusters) {
      if (!IsOfRows(*cluster, scores, parts, group)) return std::nullopt;
      ops += cluster->op_count;
    }
    group.clusters.insert(first);
    if (ops > kMaxOps || ReadsOtherValues(last, number, group)) return std::nullopt;
    Group all = group;
    all.clusters.insert(last);
    if (DependsOnItself(all)) return std::nullopt;
    group.parts = std::move(parts);
    return group;
  }

  // The last product before `weights` whose rows they may be computed from, through
  // loops.
  Cluster* ScoresBefore(mlir::Value weights, int64_t batch_rank) {
    Cluster* latest = nullptr;
    llvm::SmallSetVector<Cluster*, 8> loops;
    auto consider = [&](mlir::Value value) {
      mlir::Operation* def = value.getDefiningOp();
      Cluster* cluster = def ? found_.Of(def) : nullptr;
      if (!cluster) return;
      if (cluster->kind == ir::FusionKind::kLoop) loops.insert(cluster);
      if (IsScores(value, cluster, ShapeOf(weights), batch_rank) &&
          (!latest || found_.positions[latest->hero] < found_.positions[cluster->hero]))
        latest = cluster;
    };
    mlir::Operation* def = weights.getDefiningOp();
    Cluster* start = def ? found_.Of(def) : nullptr;
    if (!start || start->kind != ir::FusionKind::kLoop) return nullptr;
    loops.insert(start);
    for (size_t i = 0; i < loops.size(); ++i)
      for (mlir::Operation* op : loops[i]->members)
        for (mlir::Value operand : op->getOperands()) consider(operand);
    return latest;
  }

  // The only value of `cluster` with uses outside it; null if there are several.
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
  bool UsedOnlyBy(mlir::Value value, const Cluster* cluster) {
    return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
      return found_.Of(user) == cluster;
    });
  }

  bool IsScores(mlir::Value scores, Cluster* first, llvm::ArrayRef<int64_t> shape,
                int64_t batch_rank) {
    auto product = ProductOf(first);
    if (!product || !HasAttentionTypes(product) || ShapeOf(scores) != shape ||
        ShapeOf(product.getResult()) != shape)
      return false;
    if (!IsAttentionType(ElementOf(scores)) || OnlyResult(first) != scores) return false;
    auto numbers = product.getDotDimensionNumbers();
    int64_t row_rank = TypeOf(scores).getRank() - 1 - batch_rank;
    auto sum = numbers.getLhsContractingDimensions();
    int64_t shared = batch_rank + static_cast<int64_t>(sum.size());
    if (BatchRank(product) != batch_rank ||
        TypeOf(product.getLhs()).getRank() != shared + row_rank ||
        TypeOf(product.getRhs()).getRank() != shared + 1)
      return false;
    int64_t depth = 1;
    for (int64_t dim : sum) depth *= ShapeOf(product.getLhs())[dim];
    return depth >= kMinSide && depth <= kMaxDepth;
  }

  // Whether `op` is a reshape outside all kernels.
  bool IsView(mlir::Operation* op) {
    return llvm::isa<stablehlo::ReshapeOp>(op) && found_.positions.contains(op) &&
           !found_.Of(op);
  }

  // The values that loops before position `end` compute from `scores` row by row.
  Parts PartsOf(mlir::Value scores, int64_t end) {
    Parts parts;
    std::map<int64_t, mlir::Operation*> work;  // by position: operands before users
    auto add = [&](mlir::Value value, Part part) {
      parts[value] = part;
      for (mlir::Operation* user : value.getUsers()) {
        Cluster* cluster = found_.Of(user);
        bool of_loop = cluster ? cluster->kind == ir::FusionKind::kLoop : IsView(user);
        if (of_loop && found_.positions.lookup(user) < end)
          work[found_.positions[user]] = user;
      }
    };
    add(scores, Part::kElement);
    while (!work.empty()) {
      mlir::Operation* op = work.begin()->second;
      work.erase(work.begin());
      if (auto part = PartOf(op, ShapeOf(scores), parts))
        for (mlir::Value result : op->getResults()) add(result, *part);
    }
    return parts;
  }

  static std::optional<Part> PartOf(mlir::Operation* op, llvm::ArrayRef<int64_t> scores,
                                    const Parts& parts) {
    auto is_row = [&](llvm::ArrayRef<int64_t> shape) {
      return shape.take_front(scores.size() - 1) == scores.drop_back() &&
             (shape.size() == scores.size() - 1 ||
              (shape.size() == scores.size() && shape.back() == 1));
    };
    auto part_of = [&](mlir::Value value) -> std::optional<Part> {
      auto found = parts.find(value);
      if (found == parts.end()) return std::nullopt;
      return found->second;
    };
    int64_t last = static_cast<int64_t>(scores.size()) - 1;
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      if (reduce.getDimensions() != llvm::ArrayRef<int64_t>(last)) return std::nullopt;
      for (mlir::Value init : reduce.getInitValues())
        if (part_of(init)) return std::nullopt;
      return Part::kRow;
    }
    llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0));
    if (IsElementwise(op)) {
      // The result's shape tells elements from rows.
      if (shape == scores) return Part::kElement;
      return is_row(shape) ? std::optional(Part::kRow) : std::nullopt;
    }
    if (part_of(op->getOperand(0)) != Part::kRow) return std::nullopt;
    if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      llvm::ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
      int64_t rank = static_cast<int64_t>(dims.size());
      if (!llvm::equal(dims, llvm::seq<int64_t>(0, rank))) return std::nullopt;
      if (shape == scores) return Part::kElement;
      return is_row(shape) ? std::optional(Part::kRow) : std::nullopt;
    }
    if (llvm::isa<stablehlo::ReshapeOp>(op) && is_row(shape)) return Part::kRow;
    return std::nullopt;
  }

  // The clusters and views on the way from the scores to `weights`.
  Group GroupBetween(mlir::Value weights, const Parts& parts) {
    Group group;
    llvm::SmallPtrSet<mlir::Operation*, 16> seen;
    llvm::SmallVector<mlir::Operation*> work{weights.getDefiningOp()};
    while (!work.empty()) {
      mlir::Operation* op = work.pop_back_val();
      if (!seen.insert(op).second || ProductOf(found_.Of(op))) continue;
      if (Cluster* cluster = found_.Of(op))
        group.clusters.insert(cluster);
      else
        group.views.insert(op);
      for (mlir::Value operand : op->getOperands())
        if (parts.contains(operand)) work.push_back(operand.getDefiningOp());
    }
    return group;
  }

  // Whether `cluster` computes everything that depends on the scores row by row, and
  // other clusters use none of its other values.
  bool IsOfRows(const Cluster& cluster, mlir::Value scores, const Parts& parts,
                const Group& group) {
    int64_t outer = TypeOf(scores).getRank() - 1;
    if (cluster.has_column_reduce || cluster.has_window ||
        (cluster.row_rank && *cluster.row_rank != outer))
      return false;
    for (mlir::Operation* op : cluster.members) {
      bool of_scores = llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
        return parts.contains(operand);
      });
      for (mlir::Value result : op->getResults()) {
        if (parts.contains(result)) continue;
        bool used_inside = llvm::all_of(result.getUsers(), [&](mlir::Operation* user) {
          return Contains(group, user);
        });
        if (of_scores || !used_inside) return false;
      }
    }
    return true;
  }

  // Whether `last` reads a value of `before` other than its weights operand.
  bool ReadsOtherValues(const Cluster* last, unsigned number, const Group& before) {
    for (mlir::Operation* op : last->members) {
      for (mlir::OpOperand& operand : op->getOpOperands()) {
        mlir::Operation* def = operand.get().getDefiningOp();
        bool is_weights = op == last->hero && operand.getOperandNumber() == number;
        if (def && !is_weights && Contains(before, def)) return true;
      }
    }
    return false;
  }

  // Whether an operand of `group` depends on a result of `group` through ops outside it.
  bool DependsOnItself(const Group& group) {
    llvm::SmallVector<mlir::Operation*> work;
    llvm::SmallPtrSet<mlir::Operation*, 32> seen;
    bool found = false;
    auto need = [&](mlir::Operation* op, bool from_inside) {
      if (Contains(group, op))
        found |= !from_inside;
      else if (seen.insert(op).second)
        work.push_back(op);
    };
    auto need_operands = [&](mlir::Operation* op, bool is_inside) {
      op->walk([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Operation* def = operand.getDefiningOp();
          if (def && def->getBlock() == op->getBlock()) need(def, is_inside);
        }
      });
    };
    for (mlir::Operation* view : group.views) need_operands(view, true);
    for (Cluster* cluster : group.clusters)
      for (mlir::Operation* op : cluster->members) need_operands(op, true);
    while (!work.empty() && !found) {
      mlir::Operation* op = work.pop_back_val();
      need_operands(op, false);
      // A cluster runs as a whole, so the needs of all its members count.
      if (Cluster* cluster = found_.Of(op))
        for (mlir::Operation* member : cluster->members) need(member, false);
      else if (mlir::Operation* before = found_.effect_before.lookup(op))
        need(before, false);
    }
    return found;
  }

  // The values of kind `wanted` that `attention` computes, in program order.
  llvm::SmallVector<mlir::Value> ComputedValues(const Attention& attention, Part wanted) {
    llvm::SmallVector<mlir::Value> elements;
    for (auto [value, part] : attention.parts) {
      mlir::Operation* def = value.getDefiningOp();
      if (part == wanted && found_.Of(def) == attention.cluster &&
          def->getNumResults() == 1)
        elements.push_back(value);
    }
    llvm::sort(elements, [&](mlir::Value a, mlir::Value b) {
      return found_.positions[a.getDefiningOp()] < found_.positions[b.getDefiningOp()];
    });
    return elements;
  }

  // If the product of `cluster` sums `value` over rows and `attention` can compute that
  // sum: the operand number of `value` in the product.
  std::optional<unsigned> SummedOperand(const Attention& attention, Cluster* cluster,
                                        mlir::Value value) {
    auto product = ProductOf(cluster);
    if (!product || cluster->several_results || !HasAttentionTypes(product))
      return std::nullopt;
    unsigned number = product.getLhs() == value ? 0 : 1;
    mlir::Value other = product->getOperand(1 - number);
    if (product->getOperand(number) != value || other == value) return std::nullopt;
    auto numbers = product.getDotDimensionNumbers();
    auto batch = number == 0 ? numbers.getLhsBatchingDimensions()
                             : numbers.getRhsBatchingDimensions();
    auto sum = number == 0 ? numbers.getLhsContractingDimensions()
                           : numbers.getRhsContractingDimensions();
    llvm::ArrayRef<int64_t> shape = ShapeOf(value);
    int64_t rank = static_cast<int64_t>(shape.size());
    int64_t batch_rank = attention.batch_rank;
    if (!llvm::equal(sum, llvm::seq<int64_t>(batch_rank, rank - 1)) ||
        !llvm::equal(batch, llvm::seq<int64_t>(0, batch_rank)))
      return std::nullopt;
    int64_t rows = RowsOf(shape, batch_rank);
    int64_t batches = ElementCountOf(value) / (rows * shape[rank - 1]);
    int64_t columns = ElementCountOf(other) / (batches * rows);
    if (columns < kMinSide || columns * shape[rank - 1] > kMaxSums ||
        attention.cluster->op_count + cluster->op_count > kMaxOps)
      return std::nullopt;
    Group group;
    group.clusters.insert(attention.cluster);
    if (ReadsOtherValues(cluster, number, group)) return std::nullopt;
    group.clusters.insert(cluster);
    if (DependsOnItself(group)) return std::nullopt;
    return number;
  }

  // Moves the products that sum `value` over rows into `attention`. There they use `copy`
  // instead of `value`, if it is not null.
  void AddSums(Attention& attention, mlir::Value value,
               llvm::function_ref<mlir::Value()> copy) {
    for (mlir::Operation* user : llvm::to_vector_of<mlir::Operation*>(value.getUsers())) {
      Cluster* cluster = found_.Of(user);
      if (!cluster || cluster == attention.cluster || cluster->hero != user) continue;
      auto number = SummedOperand(attention, cluster, value);
      if (!number) continue;
      if (copy) user->setOperand(*number, copy());
      for (mlir::Operation* op : cluster->members)
        found_.cluster_of[op] = attention.cluster;
      attention.cluster->members.append(cluster->members);
      attention.cluster->op_count += cluster->op_count;
      cluster->members.clear();
      cluster->hero = nullptr;
    }
  }

  // The ops of `from` that compute `value` from values outside `from` and from values of
  // rows. Nothing if they include more than one product. Narrow values of rows are
  // rematerialized, too: passing them on would round values that a kernel keeps
  // unrounded.
  std::optional<llvm::SmallVector<mlir::Operation*>> ProducersOf(const Attention& from,
                                                                 mlir::Value value) {
    llvm::SmallSetVector<mlir::Operation*, 16> producers;
    producers.insert(value.getDefiningOp());
    int products = 0;
    for (size_t i = 0; i < producers.size(); ++i) {
      mlir::Operation* op = producers[i];
      bool is_reduction = llvm::isa<stablehlo::ReduceOp>(op);
      if (op->getNumResults() != 1 ||
          (is_reduction && !from.parts.contains(op->getResult(0))))
        return std::nullopt;
      if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
        int64_t depth = 1;
        for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
          depth *= ShapeOf(dot.getLhs())[dim];
        if (depth > kMaxRematerializedDepth || ++products > 1) return std::nullopt;
      }
      for (mlir::Value operand : op->getOperands()) {
        mlir::Operation* def = operand.getDefiningOp();
        auto part = from.parts.find(operand);
        bool of_row = part != from.parts.end() && part->second == Part::kRow &&
                      !IsNarrow(ElementOf(operand));
        if (def && found_.Of(def) == from.cluster && !of_row) producers.insert(def);
      }
    }
    llvm::SmallVector<mlir::Operation*> ordered(producers.begin(), producers.end());
    llvm::sort(ordered, [&](mlir::Operation* a, mlir::Operation* b) {
      return found_.positions[a] < found_.positions[b];
    });
    return ordered;
  }

  // Rematerializes elements of `from` in `attention` if only `attention`, and sums over
  // rows that can join it, use them. They are then never written to memory.
  void Rematerialize(Attention& attention, const Attention& from) {
    auto is_read = [&](mlir::Value value) {
      return llvm::any_of(value.getUsers(), [&](mlir::Operation* user) {
        return found_.Of(user) == attention.cluster;
      });
    };
    auto elements = ComputedValues(from, Part::kElement);
    if (llvm::none_of(elements, is_read)) return;
    mlir::IRMapping copies;
    auto copy = [&](mlir::Value value, llvm::ArrayRef<mlir::Operation*> producers) {
      for (mlir::Operation* op : producers)
        if (!copies.contains(op->getResult(0))) CopyInto(attention, from, op, copies);
      return copies.lookup(value);
    };
    auto replace = [&](mlir::Value value, llvm::ArrayRef<mlir::Operation*> producers) {
      if (is_read(value))
        value.replaceUsesWithIf(copy(value, producers), [&](mlir::OpOperand& use) {
          return found_.Of(use.getOwner()) == attention.cluster;
        });
    };
    for (mlir::Value value : elements) {
      bool for_it_alone = llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
        Cluster* cluster = found_.Of(user);
        return cluster == attention.cluster || cluster == from.cluster ||
               (cluster && cluster->hero == user &&
                SummedOperand(attention, cluster, value));
      });
      auto producers = ProducersOf(from, value);
      if (!for_it_alone || !producers ||
          attention.cluster->op_count + producers->size() > kMaxOps)
        continue;
      AddSums(attention, value, [&] { return copy(value, *producers); });
      replace(value, *producers);
    }
    for (mlir::Value value : ComputedValues(from, Part::kRow)) {
      if (!IsNarrow(ElementOf(value)) || !is_read(value)) continue;
      if (auto producers = ProducersOf(from, value)) replace(value, *producers);
    }
  }

  void CopyInto(Attention& attention, const Attention& from, mlir::Operation* op,
                mlir::IRMapping& copies) {
    mlir::Operation* copy = mlir::OpBuilder(op).clone(*op, copies);
    found_.positions[copy] = found_.positions[op];
    found_.cluster_of[copy] = attention.cluster;
    attention.cluster->members.push_back(copy);
    ++attention.cluster->op_count;
    if (auto part = from.parts.find(op->getResult(0)); part != from.parts.end())
      attention.parts[copy->getResult(0)] = part->second;
  }

  BlockClusters& found_;
  std::vector<Attention> joined_;
};

}  // namespace

void JoinAttention(BlockClusters& clusters) {
  AttentionFinder finder(clusters);
  for (auto& cluster : clusters.clusters) finder.Visit(cluster.get());
  finder.Extend();
}

}  // namespace tenon::compiler
