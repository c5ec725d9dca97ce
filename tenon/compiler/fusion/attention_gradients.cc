// Extends attention clusters: sums over rows join them, and elements that gradients share
// are rematerialized.
#include "mlir/IR/Builders.h"
#include "tenon/compiler/fusion/attention_finder.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Accumulators of sums over rows stay in the cache.
constexpr int64_t kMaxSums = 1 << 18;
// Scores with a contracted size of at most this are cheaper to recompute than to store
// and load.
constexpr int64_t kMaxRematerializedDepth = 128;

}  // namespace

void AttentionFinder::Extend() {
  for (Attention& attention : joined_) {
    if (attention.cluster->several_results) continue;
    for (Attention& from : joined_)
      if (&from != &attention && from.batch_rank == attention.batch_rank &&
          from.shape == attention.shape)
        Rematerialize(attention, from);
    for (mlir::Value value : ComputedValues(attention, ValueKind::kElement))
      AddSums(attention, value, nullptr);
  }
}

llvm::SmallVector<mlir::Value> AttentionFinder::ComputedValues(const Attention& attention,
                                                               ValueKind wanted) {
  llvm::SmallVector<mlir::Value> elements;
  for (auto [value, kind] : attention.kinds) {
    mlir::Operation* def = value.getDefiningOp();
    if (kind == wanted && found_.Of(def) == attention.cluster &&
        def->getNumResults() == 1)
      elements.push_back(value);
  }
  llvm::sort(elements, [&](mlir::Value a, mlir::Value b) {
    return found_.positions[a.getDefiningOp()] < found_.positions[b.getDefiningOp()];
  });
  return elements;
}

std::optional<unsigned> AttentionFinder::SummedOperand(const Attention& attention,
                                                       Cluster* cluster,
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
  if (columns < kMinSide || (!matrix_ && columns * shape[rank - 1] > kMaxSums) ||
      attention.cluster->op_count + cluster->op_count > kMaxOps)
    return std::nullopt;
  // Sums are complete only after all rows.
  for (mlir::Operation* op : cluster->members)
    for (mlir::Operation* user : op->getUsers())
      if (found_.Of(user) == attention.cluster) return std::nullopt;
  Candidate candidate;
  candidate.clusters.insert(attention.cluster);
  if (ReadsOtherValues(cluster, number, candidate)) return std::nullopt;
  candidate.clusters.insert(cluster);
  if (DependsOnItself(candidate)) return std::nullopt;
  return number;
}

void AttentionFinder::AddSums(Attention& attention, mlir::Value value,
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
    attention.last.insert_range(cluster->members);
    attention.cluster->op_count += cluster->op_count;
    cluster->members.clear();
    cluster->hero = nullptr;
  }
}

std::optional<llvm::SmallVector<mlir::Operation*>> AttentionFinder::ProducersOf(
    const Attention& from, mlir::Value value) {
  llvm::SmallSetVector<mlir::Operation*, 16> producers;
  producers.insert(value.getDefiningOp());
  int products = 0;
  for (size_t i = 0; i < producers.size(); ++i) {
    mlir::Operation* op = producers[i];
    bool is_reduction = llvm::isa<stablehlo::ReduceOp>(op);
    if (op->getNumResults() != 1 ||
        (is_reduction && !from.kinds.contains(op->getResult(0))))
      return std::nullopt;
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      int64_t depth = 1;
      for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
        depth *= ShapeOf(dot.getLhs())[dim];
      if (depth > kMaxRematerializedDepth || ++products > 1) return std::nullopt;
    }
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation* def = operand.getDefiningOp();
      auto kind = from.kinds.find(operand);
      bool of_row = kind != from.kinds.end() && kind->second == ValueKind::kRow &&
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

bool AttentionFinder::IsReadByRow(const Attention& attention, mlir::Value value,
                                  ValueKind kind) {
  ValueKinds kinds = attention.kinds;
  kinds[value] = kind;
  llvm::SmallVector<mlir::Value> work{value};
  while (!work.empty()) {
    for (mlir::Operation* user : work.pop_back_val().getUsers()) {
      if (found_.Of(user) != attention.cluster) continue;
      if (attention.last.contains(user)) return false;
      auto kind_of_user = KindOf(user, attention.shape, kinds);
      if (!kind_of_user) return false;
      for (mlir::Value result : user->getResults())
        if (kinds.try_emplace(result, *kind_of_user).second) work.push_back(result);
    }
  }
  return true;
}

void AttentionFinder::Rematerialize(Attention& attention, const Attention& from) {
  auto is_read = [&](mlir::Value value) {
    return llvm::any_of(value.getUsers(), [&](mlir::Operation* user) {
      return found_.Of(user) == attention.cluster;
    });
  };
  auto elements = ComputedValues(from, ValueKind::kElement);
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
        !IsReadByRow(attention, value, ValueKind::kElement) ||
        attention.cluster->op_count + producers->size() > kMaxOps)
      continue;
    AddSums(attention, value, [&] { return copy(value, *producers); });
    replace(value, *producers);
  }
  for (mlir::Value value : ComputedValues(from, ValueKind::kRow)) {
    if (!IsNarrow(ElementOf(value)) || !is_read(value) ||
        !IsReadByRow(attention, value, ValueKind::kRow))
      continue;
    if (auto producers = ProducersOf(from, value)) replace(value, *producers);
  }
}

void AttentionFinder::CopyInto(Attention& attention, const Attention& from,
                               mlir::Operation* op, mlir::IRMapping& copies) {
  mlir::Operation* copy = mlir::OpBuilder(op).clone(*op, copies);
  copied_.emplace_back(copy, op);
  found_.positions[copy] = found_.positions[op];
  found_.cluster_of[copy] = attention.cluster;
  attention.cluster->members.push_back(copy);
  ++attention.cluster->op_count;
  if (auto kind = from.kinds.find(op->getResult(0)); kind != from.kinds.end())
    attention.kinds[copy->getResult(0)] = kind->second;
}

}  // namespace tenon::compiler
