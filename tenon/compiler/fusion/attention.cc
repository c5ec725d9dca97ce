#include "tenon/compiler/fusion/attention.h"

#include <map>

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/analysis/softmax.h"
#include "tenon/compiler/fusion/attention_finder.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/matrix_instructions.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Fewer scores than this stay in the cache anyway. If rows are longer than kMaxColumns,
// not even a few of them fit the cache.
constexpr int64_t kMinScores = 1 << 16, kMaxColumns = 8192;
constexpr int64_t kMaxDepth = 512;  // of operands that every block of rows reads again

bool IsAttentionType(mlir::Type type) {
  return type.isF32() || type.isF64() || type.isF16() || type.isBF16();
}

}  // namespace

bool AttentionFinder::HasAttentionTypes(stablehlo::DotGeneralOp product) {
  mlir::Type type = ElementOf(product.getLhs()), result = ElementOf(product.getResult());
  return IsAttentionType(type) && ElementOf(product.getRhs()) == type &&
         (result == type || (IsNarrow(type) && result.isF32()));
}

stablehlo::DotGeneralOp AttentionFinder::ProductOf(const Cluster* cluster) {
  if (!cluster || cluster->kind != ir::FusionKind::kContract) return nullptr;
  return llvm::dyn_cast_or_null<stablehlo::DotGeneralOp>(cluster->hero);
}

void AttentionFinder::Visit(Cluster* last) {
  auto product = ProductOf(last);
  if (!product || !HasAttentionTypes(product)) return;
  for (unsigned number : {0u, 1u}) {
    if (!IsWeights(product, number)) continue;
    auto before = CandidateBefore(last, number);
    if (!before) continue;
    Attention attention{
        last,
        product,
        std::move(before->kinds),
        BatchRank(product),
        llvm::to_vector(ShapeOf(product->getOperand(number))),
        {last->members.begin(), last->members.end()},
    };
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
    joined_.push_back(std::move(attention));
    return;
  }
}

bool AttentionFinder::CanStream(const Attention& attention) {
  llvm::SmallVector<stablehlo::DotGeneralOp> scores, products;
  llvm::SmallVector<stablehlo::ReduceOp> reductions;
  auto inside = [&](mlir::Operation* op) {
    return op && found_.Of(op) == attention.cluster;
  };
  for (mlir::Operation* op : attention.cluster->members) {
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      const bool is_product = llvm::any_of(dot->getOperands(), [&](mlir::Value operand) {
        return inside(operand.getDefiningOp());
      });
      (is_product ? products : scores).push_back(dot);
    } else if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      // Others are of rows with one element.
      if (ShapeOf(reduce.getInputs()[0]) == llvm::ArrayRef(attention.shape))
        reductions.push_back(reduce);
    }
  }
  const mlir::Type type = ElementOf(products.front().getLhs());
  auto can_stream = [&](int64_t depth, int64_t columns) {
    return CanStreamAttention(*matrix_, ir::ElementTypeOf(type), depth, columns);
  };
  auto has_types = [&](stablehlo::DotGeneralOp dot) {
    // Instructions round f32.
    return ElementOf(dot.getLhs()) == type && ElementOf(dot.getRhs()) == type &&
           (IsNarrow(type) || (type.isF32() && MayRound(dot)));
  };
  auto summed = [](stablehlo::DotGeneralOp dot, unsigned number) {
    auto numbers = dot.getDotDimensionNumbers();
    int64_t size = 1;
    for (int64_t dim : number == 0 ? numbers.getLhsContractingDimensions()
                                   : numbers.getRhsContractingDimensions())
      size *= ShapeOf(dot->getOperand(number))[dim];
    return size;
  };
  for (stablehlo::DotGeneralOp dot : scores)
    if (!has_types(dot) || !can_stream(summed(dot, 0), 2)) return false;
  const int64_t batches =
      ElementCountOf(scores.front()) /
      (attention.shape.back() * RowsOf(attention.shape, attention.batch_rank));
  for (stablehlo::DotGeneralOp dot : products) {
    const unsigned other = inside(dot.getLhs().getDefiningOp()) ? 1 : 0;
    const int64_t columns =
        ElementCountOf(dot->getOperand(other)) / (batches * summed(dot, other));
    if (!has_types(dot) || !can_stream(1, columns)) return false;
  }
  // Elements are not stored, so no other kernel may read them.
  for (auto [value, kind] : attention.kinds)
    if (kind == ValueKind::kElement && inside(value.getDefiningOp()) &&
        !UsedOnlyBy(value, attention.cluster))
      return false;
  if (scores.size() == 1 && products.size() == 1) {
    for (mlir::Value weights : products.front()->getOperands()) {
      if (!inside(weights.getDefiningOp())) continue;
      auto softmax = FindSoftmax(weights, ignores_rounding_);
      if (softmax && IsOfPoint(softmax->scores, scores.front(), inside) &&
          llvm::all_of(reductions, [&](stablehlo::ReduceOp reduce) {
            return softmax->IsReduction(reduce);
          }))
        return true;
    }
  }
  return llvm::all_of(reductions, [&](stablehlo::ReduceOp reduce) {
    return IsExactFold(reduce) || (ignores_rounding_ && FoldOf(reduce));
  });
}

bool AttentionFinder::Refuse(llvm::SmallPtrSetImpl<mlir::Operation*>& refused) {
  bool any = false;
  if (matrix_)
    for (Attention& attention : joined_)
      if (!CanStream(attention)) any |= refused.insert(attention.hero).second;
  if (!any) return false;
  // An original comes before all users of its copy, which comes right before it.
  for (auto [copy, original] : llvm::reverse(copied_)) {
    copy->replaceAllUsesWith(original);
    copy->erase();
  }
  return true;
}

bool AttentionFinder::IsWeights(stablehlo::DotGeneralOp product, unsigned number) {
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
         (matrix_ || shape[rank - 1] <= kMaxColumns) && columns >= kMinSide &&
         columns <= kMaxDepth;
}

std::optional<AttentionFinder::Candidate> AttentionFinder::CandidateBefore(
    Cluster* last, unsigned number) {
  mlir::Value weights = last->hero->getOperand(number);
  Cluster* first = ScoresBefore(weights, BatchRank(ProductOf(last)));
  if (!first || first == last) return std::nullopt;
  mlir::Value scores = OnlyResult(first);
  ValueKinds kinds = ValuesByRow(scores, found_.positions[last->hero]);
  auto kind = kinds.find(weights);
  if (kind == kinds.end() || kind->second != ValueKind::kElement) return std::nullopt;
  Candidate candidate = CandidateBetween(weights, kinds);
  size_t ops = first->op_count + last->op_count;
  for (Cluster* cluster : candidate.clusters) {
    if (!IsOfRows(*cluster, scores, kinds, candidate)) return std::nullopt;
    ops += cluster->op_count;
  }
  candidate.clusters.insert(first);
  if (ops > kMaxOps || ReadsOtherValues(last, number, candidate)) return std::nullopt;
  Candidate all = candidate;
  all.clusters.insert(last);
  if (DependsOnItself(all)) return std::nullopt;
  candidate.kinds = std::move(kinds);
  return candidate;
}

Cluster* AttentionFinder::ScoresBefore(mlir::Value weights, int64_t batch_rank) {
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

mlir::Value AttentionFinder::OnlyResult(const Cluster* cluster) {
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

bool AttentionFinder::IsScores(mlir::Value scores, Cluster* first,
                               llvm::ArrayRef<int64_t> shape, int64_t batch_rank) {
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

AttentionFinder::ValueKinds AttentionFinder::ValuesByRow(mlir::Value scores,
                                                         int64_t end) {
  ValueKinds kinds;
  std::map<int64_t, mlir::Operation*> work;  // by position: operands before users
  auto add = [&](mlir::Value value, ValueKind kind) {
    kinds[value] = kind;
    for (mlir::Operation* user : value.getUsers()) {
      Cluster* cluster = found_.Of(user);
      bool of_loop = cluster ? cluster->kind == ir::FusionKind::kLoop : IsView(user);
      if (of_loop && found_.positions.lookup(user) < end)
        work[found_.positions[user]] = user;
    }
  };
  add(scores, ValueKind::kElement);
  while (!work.empty()) {
    mlir::Operation* op = work.begin()->second;
    work.erase(work.begin());
    if (auto kind = KindOf(op, ShapeOf(scores), kinds))
      for (mlir::Value result : op->getResults()) add(result, *kind);
  }
  return kinds;
}

std::optional<AttentionFinder::ValueKind> AttentionFinder::KindOf(
    mlir::Operation* op, llvm::ArrayRef<int64_t> scores, const ValueKinds& kinds) {
  auto is_row = [&](llvm::ArrayRef<int64_t> shape) {
    return shape.take_front(scores.size() - 1) == scores.drop_back() &&
           (shape.size() == scores.size() - 1 ||
            (shape.size() == scores.size() && shape.back() == 1));
  };
  auto kind_of = [&](mlir::Value value) -> std::optional<ValueKind> {
    auto found = kinds.find(value);
    if (found == kinds.end()) return std::nullopt;
    return found->second;
  };
  int64_t last = static_cast<int64_t>(scores.size()) - 1;
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
    if (reduce.getDimensions() != llvm::ArrayRef<int64_t>(last)) return std::nullopt;
    for (mlir::Value init : reduce.getInitValues())
      if (kind_of(init)) return std::nullopt;
    return ValueKind::kRow;
  }
  llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0));
  if (IsElementwise(op)) {
    // The result's shape tells elements from rows.
    if (shape == scores) return ValueKind::kElement;
    return is_row(shape) ? std::optional(ValueKind::kRow) : std::nullopt;
  }
  if (kind_of(op->getOperand(0)) != ValueKind::kRow) return std::nullopt;
  if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    llvm::ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    int64_t rank = static_cast<int64_t>(dims.size());
    if (!llvm::equal(dims, llvm::seq<int64_t>(0, rank))) return std::nullopt;
    if (shape == scores) return ValueKind::kElement;
    return is_row(shape) ? std::optional(ValueKind::kRow) : std::nullopt;
  }
  if (llvm::isa<stablehlo::ReshapeOp>(op) && is_row(shape)) return ValueKind::kRow;
  return std::nullopt;
}

AttentionFinder::Candidate AttentionFinder::CandidateBetween(mlir::Value weights,
                                                             const ValueKinds& kinds) {
  Candidate candidate;
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  llvm::SmallVector<mlir::Operation*> work{weights.getDefiningOp()};
  while (!work.empty()) {
    mlir::Operation* op = work.pop_back_val();
    if (!seen.insert(op).second || ProductOf(found_.Of(op))) continue;
    if (Cluster* cluster = found_.Of(op))
      candidate.clusters.insert(cluster);
    else
      candidate.views.insert(op);
    for (mlir::Value operand : op->getOperands())
      if (kinds.contains(operand)) work.push_back(operand.getDefiningOp());
  }
  return candidate;
}

bool AttentionFinder::IsOfRows(const Cluster& cluster, mlir::Value scores,
                               const ValueKinds& kinds, const Candidate& candidate) {
  int64_t outer = TypeOf(scores).getRank() - 1;
  if (cluster.has_column_reduce || cluster.has_window ||
      (cluster.row_rank && *cluster.row_rank != outer))
    return false;
  for (mlir::Operation* op : cluster.members) {
    bool of_scores = llvm::any_of(
        op->getOperands(), [&](mlir::Value operand) { return kinds.contains(operand); });
    for (mlir::Value result : op->getResults()) {
      if (kinds.contains(result)) continue;
      bool used_inside = llvm::all_of(result.getUsers(), [&](mlir::Operation* user) {
        return Contains(candidate, user);
      });
      if (of_scores || !used_inside) return false;
    }
  }
  return true;
}

bool AttentionFinder::ReadsOtherValues(const Cluster* last, unsigned number,
                                       const Candidate& before) {
  for (mlir::Operation* op : last->members) {
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      mlir::Operation* def = operand.get().getDefiningOp();
      bool is_weights = op == last->hero && operand.getOperandNumber() == number;
      if (def && !is_weights && Contains(before, def)) return true;
    }
  }
  return false;
}

bool AttentionFinder::DependsOnItself(const Candidate& candidate) {
  llvm::SmallVector<mlir::Operation*> work;
  llvm::SmallPtrSet<mlir::Operation*, 32> seen;
  bool found = false;
  auto need = [&](mlir::Operation* op, bool from_inside) {
    if (Contains(candidate, op))
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
  for (mlir::Operation* view : candidate.views) need_operands(view, true);
  for (Cluster* cluster : candidate.clusters)
    for (mlir::Operation* op : cluster->members) need_operands(op, true);
  while (!work.empty() && !found) {
    mlir::Operation* op = work.pop_back_val();
    need_operands(op, false);
    // A cluster executes as a whole, so it depends on the operands of all its members.
    if (Cluster* cluster = found_.Of(op))
      for (mlir::Operation* member : cluster->members) need(member, false);
    else if (mlir::Operation* before = found_.effect_before.lookup(op))
      need(before, false);
  }
  return found;
}

bool JoinAttention(BlockClusters& clusters, const TargetTraits& target,
                   bool ignores_rounding,
                   llvm::SmallPtrSetImpl<mlir::Operation*>& refused) {
  AttentionFinder finder(clusters, target.device ? target.device->matrix : nullptr,
                         ignores_rounding);
  for (auto& cluster : clusters.clusters)
    if (!refused.contains(cluster->hero)) finder.Visit(cluster.get());
  finder.Extend();
  return !finder.Refuse(refused);
}

}  // namespace tenon::compiler
