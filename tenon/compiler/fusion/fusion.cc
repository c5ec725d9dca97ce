#include "tenon/compiler/fusion/fusion.h"

#include <limits>
#include <map>
#include <set>

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"
#include "tenon/compiler/fusion/access.h"
#include "tenon/compiler/kernels/point_builder.h"
#include "tenon/compiler/kernels/prefix_scan.h"
#include "tenon/compiler/kernels/sort_parts.h"

namespace tenon::compiler {
namespace {

// Larger fusions would make kernels whose code no longer fits the instruction cache, and
// deep recursion when their points are built. Constants and what is spread from them do
// not count: left outside they would become arrays.
constexpr size_t kMaxOps = 256;

mlir::RankedTensorType TensorType(mlir::Value value) {
  return llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
}

int64_t ElementCount(mlir::Value value) {
  auto type = TensorType(value);
  return type ? type.getNumElements() : 0;
}

bool IsSplat(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant) return false;
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat();
}

// Ops worth at most a few instructions an element, which may be computed more than once.
bool IsCheap(mlir::Operation* op) {
  if (!IsElementwise(op)) {
    return llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                     stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::TransposeOp>(
               op) ||
           IsSplat(op);
  }
  return !IsCostly(op);
}

// Ops that are looked through when a value of a scalar or tiny array is spread out.
bool IsSpread(mlir::Operation* op) {
  if (IsSplat(op) || llvm::isa<stablehlo::IotaOp>(op)) return true;
  auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return broadcast &&
         ElementCount(broadcast.getOperand()) < ElementCount(op->getResult(0));
}

std::optional<llvm::StringRef> HeroKind(mlir::Operation* op) {
  if (llvm::isa<stablehlo::DotGeneralOp>(op)) return kContractFusion;
  if (llvm::isa<stablehlo::ConvolutionOp>(op)) return kConvolutionFusion;
  if (llvm::isa<stablehlo::FftOp>(op)) return kFftFusion;
  if (llvm::isa<stablehlo::SortOp>(op)) return kSortFusion;
  if (AsPrefixScan(op)) return kScanFusion;
  if (llvm::isa<stablehlo::ScatterOp>(op)) return kScatterFusion;
  if (llvm::isa<stablehlo::SelectAndScatterOp>(op)) return kSelectAndScatterFusion;
  return std::nullopt;
}

struct Cluster {
  llvm::StringRef kind = kLoopFusion;
  llvm::SmallVector<mlir::Operation*> members;  // in the order found: last ones first
  llvm::SmallVector<int64_t> shape;             // the iteration space: of the roots
  mlir::Operation* hero = nullptr;
  std::optional<int64_t> row_rank;  // dimensions outside of the reductions it holds
  bool has_column_reduce = false;
  bool has_window = false;
  bool several_results = false;  // of more than one member
  size_t op_count = 0;
};

class BlockFuser {
 public:
  explicit BlockFuser(mlir::Block& block) : block_(block) {}

  void Run() {
    int64_t position = 0;
    mlir::Operation* effect = nullptr;
    for (mlir::Operation& op : block_) {
      positions_[&op] = position++;
      if (op.hasTrait<mlir::OpTrait::IsTerminator>() || mlir::isMemoryEffectFree(&op) ||
          IsElementwise(&op))
        continue;  // element functions are composites, of which not all are free of
                   // effects
      // What has effects stays in its order.
      if (effect) {
        effect_before_[&op] = effect;
        effect_after_[effect] = &op;
      }
      effect = &op;
    }
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block_)))
      Visit(&op);
    Emit();
  }

 private:
  Cluster* ClusterOf(mlir::Operation* op) const {
    auto found = cluster_of_.find(op);
    return found == cluster_of_.end() ? nullptr : found->second;
  }

  void Join(mlir::Operation* op, Cluster* cluster, Access access) {
    cluster->members.push_back(op);
    if (!IsSpread(op)) ++cluster->op_count;
    cluster_of_[op] = cluster;
    access_[op] = std::move(access);
    if (cluster->several_results) NoteSpan(cluster);
  }

  std::pair<int64_t, int64_t> SpanOf(const Cluster* cluster) {
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (mlir::Operation* member : cluster->members) {
      first = std::min(first, positions_[member]);
      last = std::max(last, positions_[member]);
    }
    return {first, last};
  }

  // Remembers from where to where a cluster of several results reaches: who gets into it
  // there gets to results before.
  void NoteSpan(const Cluster* cluster) {
    auto [first, last] = SpanOf(cluster);
    auto next = spans_.upper_bound(last);
    while (next != spans_.begin()) {
      auto before = std::prev(next);
      if (before->second < first) break;
      first = std::min(first, before->first);
      last = std::max(last, before->second);
      next = spans_.erase(before);
    }
    spans_[first] = last;
  }

  Cluster* NewCluster(mlir::Operation* root, llvm::StringRef kind) {
    clusters_.push_back(std::make_unique<Cluster>());
    Cluster* cluster = clusters_.back().get();
    cluster->kind = kind;
    if (auto type = TensorType(root->getResult(0)))
      cluster->shape = llvm::SmallVector<int64_t>(type.getShape());
    Join(root, cluster, IdentityAccess(cluster->shape.size()));
    return cluster;
  }

  // How the members of `cluster` that use `op` read it; dimensions in which they do not
  // agree are "other".
  Access AccessFrom(mlir::Operation* op, Cluster* cluster) {
    std::optional<Access> result;
    for (mlir::OpResult value : op->getResults()) {
      for (mlir::OpOperand& use : value.getUses()) {
        mlir::Operation* user = use.getOwner();
        if (user->getBlock() != &block_ || ClusterOf(user) != cluster) continue;
        Access access = OperandAccess(user, use.getOperandNumber(), access_[user]);
        if (result && result->size() == access.size()) {
          for (auto [dim, earlier] : llvm::zip_equal(access, *result))
            if (dim != earlier) dim = kAccessOther;
        }
        result = access;
      }
    }
    return result.value_or(Access());
  }

  void Visit(mlir::Operation* op) {
    if (op->hasTrait<mlir::OpTrait::IsTerminator>() || op->getNumResults() == 0) return;
    if (IsScalarOp(op)) return;
    if (op->use_empty() && mlir::isMemoryEffectFree(op)) return;
    if (VisitSortedPrefix(op)) return;
    bool point = IsPointOp(op);
    auto hero = HeroKind(op);
    if (!point && !hero) return;

    llvm::SmallSetVector<Cluster*, 4> users;
    bool outside = false;
    for (mlir::Operation* user : op->getUsers()) {
      Cluster* cluster = user->getBlock() == &block_ ? ClusterOf(user) : nullptr;
      if (cluster)
        users.insert(cluster);
      else
        outside = true;
    }

    if (!outside && users.size() == 1 && TryJoin(op, users[0], /*extra_result=*/false))
      return;
    if (IsSpread(op) && !users.empty()) {
      DuplicateInto(op, users.getArrayRef());
      if (op->use_empty()) {
        op->erase();
        return;
      }
      users.clear();
      outside = true;
    }
    if (llvm::isa<stablehlo::ConstantOp>(op)) {
      // What is left of it is data, unless it is worth a loop that fills it.
      if (!IsSplat(op) || ElementCount(op->getResult(0)) <= 1024) return;
    }
    if (llvm::isa<stablehlo::ReshapeOp>(op)) return;  // a view
    for (Cluster* cluster : users) {
      if (TryJoin(op, cluster, /*extra_result=*/true)) return;
    }
    if (hero) {
      Cluster* cluster = NewCluster(op, *hero);
      cluster->hero = op;
      TakeInit(op, cluster);
      return;
    }
    if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op)) {
      NewCluster(op, kUpdateSliceFusion)->hero = op;
      return;
    }
    if (llvm::isa<stablehlo::ConcatenateOp>(op)) {
      NewCluster(op, kConcatenateFusion)->hero = op;
      return;
    }
    Cluster* cluster = NewCluster(op, kLoopFusion);
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      NoteReduce(reduce, cluster);
    cluster->has_window = llvm::isa<stablehlo::ReduceWindowOp>(op);
  }

  // Sorts of which only the first elements are used make no others: with the slices that
  // take them they are one kernel.
  bool VisitSortedPrefix(mlir::Operation* op) {
    if (auto sort = SortOfPrefix(op)) {
      Cluster*& cluster = prefix_of_[sort];
      if (cluster)
        Join(op, cluster, {});
      else
        cluster = NewCluster(op, kSortFusion);
      return true;
    }
    auto found = prefix_of_.find(op);
    if (found == prefix_of_.end()) return false;
    found->second->hero = op;
    Join(op, found->second, {});
    return true;
  }

  // A scan looks at its initial value: a constant comes along.
  void TakeInit(mlir::Operation* hero, Cluster* cluster) {
    auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(hero);
    if (!window) return;
    mlir::Operation* init = window.getInitValues()[0].getDefiningOp();
    if (!init || !IsSplat(init)) return;
    mlir::Operation* copy = mlir::OpBuilder(hero).clone(*init);
    window.getInitValuesMutable().assign(copy->getResult(0));
    positions_[copy] = positions_[init];
    Join(copy, cluster, {});
  }

  // Whether the innermost dimension of the reduced tensor is one of those reduced.
  static bool ReducesInnermost(stablehlo::ReduceOp reduce) {
    int64_t rank = TensorType(reduce.getInputs()[0]).getRank();
    return llvm::is_contained(reduce.getDimensions(), rank - 1);
  }
  static bool ReducesTrailing(stablehlo::ReduceOp reduce) {
    int64_t rank = TensorType(reduce.getInputs()[0]).getRank();
    int64_t first = rank - static_cast<int64_t>(reduce.getDimensions().size());
    return llvm::all_of(reduce.getDimensions(),
                        [&](int64_t dim) { return dim >= first; });
  }

  void NoteReduce(stablehlo::ReduceOp reduce, Cluster* cluster) {
    if (ReducesInnermost(reduce))
      cluster->row_rank = TensorType(reduce.getResult(0)).getRank();
    else
      cluster->has_column_reduce = true;
  }

  bool TryJoin(mlir::Operation* op, Cluster* cluster, bool extra_result) {
    if (cluster->op_count >= kMaxOps && !IsSpread(op)) return false;
    Access access = AccessFrom(op, cluster);
    bool identity = access == IdentityAccess(cluster->shape.size()) &&
                    TensorType(op->getResult(0)).getShape() ==
                        llvm::ArrayRef<int64_t>(cluster->shape);
    if (extra_result) {
      // Another result of the same loops: worth it only for what is computed there
      // anyway.
      if (!identity || cluster->kind != kLoopFusion || op->getNumResults() != 1)
        return false;
      if (!IsElementwise(op) || cluster->has_window) return false;
      if (ReachesFromOutside(op, cluster)) return false;
      cluster->several_results = true;
      Join(op, cluster, std::move(access));
      return true;
    }

    if (auto hero = HeroKind(op)) {
      bool fits =
          *hero == kContractFusion || *hero == kConvolutionFusion || *hero == kScanFusion;
      if (!fits || !identity || cluster->kind != kLoopFusion || cluster->row_rank ||
          cluster->has_column_reduce || cluster->has_window)
        return false;
      if (!EpilogueIsSimple(cluster)) return false;
      cluster->kind = *hero;
      cluster->hero = op;
      Join(op, cluster, std::move(access));
      TakeInit(op, cluster);
      return true;
    }
    if (!OperandMayBeFused(op, cluster)) return false;
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      if (cluster->kind != kLoopFusion || cluster->has_window) return false;
      auto rank = PrefixRank(access);
      if (!rank) return false;
      if (!ReducesInnermost(reduce)) {
        if (!identity || cluster->row_rank) return false;
        cluster->has_column_reduce = true;
        Join(op, cluster, std::move(access));
        return true;
      }
      if (cluster->has_column_reduce) return false;
      if (cluster->row_rank && *cluster->row_rank != *rank) return false;
      // Rows of a few elements are better off in a kernel of their own.
      cluster->row_rank = *rank;
      Join(op, cluster, std::move(access));
      return true;
    }
    if (llvm::isa<stablehlo::ReduceWindowOp>(op)) {
      if (!identity || cluster->kind != kLoopFusion || cluster->row_rank) return false;
      cluster->has_window = true;
      Join(op, cluster, std::move(access));
      return true;
    }
    if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op)) {
      if (concatenate.getInputs().size() > 4) return false;
    }
    if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op)) {
      // In place is better, unless what reads it is small.
      if (ElementCount(op->getResult(0)) > 4096) return false;
    }
    // A value that many points ask for again is computed once and kept, unless it is
    // cheap.
    if (!IsCheap(op) && IsRecomputed(op, cluster, access)) return false;
    Join(op, cluster, std::move(access));
    return true;
  }

  // Whether more points ask for the elements of `op` than it has.
  bool IsRecomputed(mlir::Operation* op, Cluster* cluster, const Access& access) {
    if (auto rank = PrefixRank(access)) {
      // Values that depend on the outer dimensions only are computed outside of the inner
      // loop.
      int64_t used = *rank;
      if (used == static_cast<int64_t>(cluster->shape.size())) return false;
      if (cluster->row_rank && used == *cluster->row_rank) return false;
      if (!cluster->row_rank && used + 1 == static_cast<int64_t>(cluster->shape.size()))
        return false;
      if (llvm::is_contained(access, kAccessReduced)) return false;
    }
    if (llvm::is_contained(access, kAccessReduced)) {
      // The input of a reduction is read once a point of it.
      return cluster->has_window;
    }
    int64_t points = 1;
    for (int64_t size : cluster->shape) points *= size;
    return ElementCount(op->getResult(0)) < points || cluster->has_window;
  }

  // The users of `op` in `cluster` must be able to ask for single elements of it.
  bool OperandMayBeFused(mlir::Operation* op, Cluster* cluster) {
    for (mlir::OpOperand& use : op->getUses()) {
      mlir::Operation* user = use.getOwner();
      if (ClusterOf(user) != cluster) continue;
      if (user == cluster->hero) {
        unsigned number = use.getOperandNumber();
        if (cluster->kind == kScatterFusion) {
          auto scatter = llvm::cast<stablehlo::ScatterOp>(user);
          if (number < scatter.getInputs().size()) return false;
          if (!IsCheap(op)) return false;
          continue;
        }
        if (cluster->kind == kUpdateSliceFusion) {
          if (number == 0) return false;
          continue;
        }
        if (cluster->kind == kConcatenateFusion) continue;
        if (cluster->kind == kSortFusion &&
            ArePositions(llvm::cast<stablehlo::SortOp>(user), number))
          continue;
        if (cluster->kind == kScanFusion && number == 0) {
          // Long rows read their operand twice.
          if (!IsCheap(op)) return false;
          continue;
        }
        return false;
      }
      if (llvm::isa<stablehlo::ReduceWindowOp>(user) && !IsCheap(op)) return false;
    }
    return !llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) ||
           cluster->kind == kLoopFusion;
  }

  // Epilogues of products take elementwise ops and broadcasts: one value at one point.
  bool EpilogueIsSimple(Cluster* cluster) {
    return llvm::all_of(cluster->members, [](mlir::Operation* op) {
      return IsElementwise(op) || IsSplat(op) ||
             llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp,
                       stablehlo::ReshapeOp>(op);
    });
  }

  // Whether a user of `op` outside `cluster` leads back into it, which would make a
  // cycle.
  bool ReachesFromOutside(mlir::Operation* op, Cluster* cluster) {
    // What is later than that leads to it no more.
    int64_t last = SpanOf(cluster).second;
    if (auto span = spans_.upper_bound(last); span != spans_.begin())
      last = std::max(last, std::prev(span)->second);
    llvm::SmallVector<mlir::Operation*> work;
    llvm::SmallPtrSet<mlir::Operation*, 32> seen;
    auto push = [&](mlir::Operation* user) {
      mlir::Operation* ancestor = block_.findAncestorOpInBlock(*user);
      if (ancestor && seen.insert(ancestor).second) work.push_back(ancestor);
    };
    for (mlir::Operation* user : op->getUsers())
      if (ClusterOf(user) != cluster) push(user);
    while (!work.empty()) {
      if (seen.size() > 256) return true;  // too far to look: assume so
      mlir::Operation* current = work.pop_back_val();
      if (Cluster* other = ClusterOf(current)) {
        if (other == cluster) return true;
        // A cluster runs as a whole: what any member leads to, the cluster leads to.
        for (mlir::Operation* member : other->members)
          for (mlir::Operation* user : member->getUsers()) push(user);
        continue;
      }
      if (positions_[current] > last) continue;
      if (mlir::Operation* next = effect_after_.lookup(current)) push(next);
      for (mlir::Operation* user : current->getUsers()) push(user);
    }
    return false;
  }

  void DuplicateInto(mlir::Operation* op, llvm::ArrayRef<Cluster*> clusters) {
    // Sorted by cluster once: constants of long programs have thousands of uses.
    llvm::DenseMap<Cluster*, llvm::SmallVector<mlir::OpOperand*>> uses;
    mlir::Value value = op->getResult(0);
    for (mlir::OpOperand& use : value.getUses()) {
      if (use.getOwner()->getBlock() != &block_) continue;
      if (Cluster* cluster = ClusterOf(use.getOwner())) uses[cluster].push_back(&use);
    }
    mlir::OpBuilder b(op);
    for (Cluster* cluster : clusters) {
      mlir::Operation* copy = b.clone(*op);
      for (mlir::OpOperand* use : uses[cluster]) use->set(copy->getResult(0));
      if (!OperandMayBeFused(copy, cluster)) {
        copy->getResult(0).replaceAllUsesWith(value);
        copy->erase();
        continue;
      }
      positions_[copy] = positions_[op];
      Join(copy, cluster, AccessFrom(copy, cluster));
    }
  }

  // Turns clusters into tenon.fusion ops, in an order in which every value is made before
  // use.
  void Emit() {
    llvm::SmallVector<mlir::Operation*> ops;
    for (mlir::Operation& op : block_) ops.push_back(&op);
    llvm::DenseSet<mlir::Operation*> done;
    mlir::Operation* terminator =
        block_.mightHaveTerminator() ? block_.getTerminator() : nullptr;
    // Depth-first over what each op or cluster needs.
    struct Frame {
      mlir::Operation* op;
      bool expanded;
    };
    llvm::SmallVector<Frame> stack;
    llvm::SmallVector<mlir::Operation*> order;  // representatives
    llvm::DenseMap<Cluster*, mlir::Operation*> representative;
    auto unit_of = [&](mlir::Operation* op) {
      Cluster* cluster = ClusterOf(op);
      if (!cluster) return op;
      return representative.try_emplace(cluster, op).first->second;
    };
    auto operands_of = [&](mlir::Operation* op, auto visit) {
      op->walk([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Operation* def = operand.getDefiningOp();
          if (def && def->getBlock() == &block_) visit(def);
        }
      });
    };
    for (mlir::Operation* op : ops) {
      if (op == terminator) continue;
      stack.push_back({unit_of(op), false});
      while (!stack.empty()) {
        Frame& frame = stack.back();
        mlir::Operation* unit = frame.op;
        if (done.contains(unit)) {
          stack.pop_back();
          continue;
        }
        if (frame.expanded) {
          done.insert(unit);
          order.push_back(unit);
          stack.pop_back();
          continue;
        }
        frame.expanded = true;
        Cluster* cluster = ClusterOf(unit);
        auto need = [&](mlir::Operation* def) {
          mlir::Operation* other = unit_of(def);
          if (other != unit && !done.contains(other)) stack.push_back({other, false});
        };
        if (cluster) {
          for (mlir::Operation* member : cluster->members) operands_of(member, need);
        } else {
          if (mlir::Operation* before = effect_before_.lookup(unit)) need(before);
          operands_of(unit, need);
        }
      }
    }
    for (mlir::Operation* unit : order) {
      Cluster* cluster = ClusterOf(unit);
      if (!cluster) {
        if (terminator)
          unit->moveBefore(terminator);
        else
          unit->moveBefore(&block_, block_.end());
        continue;
      }
      EmitCluster(*cluster, terminator);
    }
  }

  void EmitCluster(Cluster& cluster, mlir::Operation* terminator) {
    llvm::sort(cluster.members, [&](mlir::Operation* a, mlir::Operation* b) {
      if (positions_[a] != positions_[b]) return positions_[a] < positions_[b];
      return false;
    });
    llvm::SmallPtrSet<mlir::Operation*, 16> members(cluster.members.begin(),
                                                    cluster.members.end());
    // Operands from outside; those a hero updates in place come first.
    llvm::SmallSetVector<mlir::Value, 8> inputs;
    auto is_inside = [&](mlir::Value value) {
      mlir::Operation* def = value.getDefiningOp();
      return def && members.contains(def);
    };
    auto consider = [&](mlir::Value value) {
      if (!is_inside(value)) inputs.insert(value);
    };
    if (cluster.hero && cluster.kind != kContractFusion &&
        cluster.kind != kConvolutionFusion)
      for (mlir::Value operand : cluster.hero->getOperands()) consider(operand);
    for (mlir::Operation* op : cluster.members) {
      op->walk([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Region* region = operand.getParentRegion();
          if (op->isAncestor(region->getParentOp())) continue;
          consider(operand);
        }
      });
    }
    llvm::SmallVector<mlir::Value> outputs;
    for (mlir::Operation* op : cluster.members) {
      for (mlir::Value result : op->getResults()) {
        bool needed = llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
          mlir::Operation* ancestor = block_.findAncestorOpInBlock(*user);
          return !ancestor || !members.contains(ancestor);
        });
        // Most ops with several results keep them all: their loops make them together.
        bool kept = op == cluster.hero && op->getNumResults() > 1;
        if (auto sort = llvm::dyn_cast<stablehlo::SortOp>(op); sort && kept)
          kept = !HasKnownOrder(sort);
        if (needed || kept) outputs.push_back(result);
      }
    }
    mlir::OpBuilder b(block_.getParentOp()->getContext());
    if (terminator)
      b.setInsertionPoint(terminator);
    else
      b.setInsertionPointToEnd(&block_);
    llvm::SmallVector<mlir::Location> locations;
    for (mlir::Operation* op : cluster.members) locations.push_back(op->getLoc());
    mlir::Location loc = cluster.hero ? cluster.hero->getLoc() : locations.back();
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value output : outputs) types.push_back(output.getType());
    auto fusion = ir::FusionOp::create(b, loc, types, inputs.getArrayRef(),
                                       b.getStringAttr(cluster.kind));
    if (cluster.row_rank && cluster.kind == kLoopFusion)
      fusion->setAttr("rows", b.getI64IntegerAttr(*cluster.row_rank));
    mlir::Block* body = b.createBlock(&fusion.getBody());
    mlir::IRMapping mapping;
    for (mlir::Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), loc));
    for (mlir::Operation* op : cluster.members) b.clone(*op, mapping);
    llvm::SmallVector<mlir::Value> yields;
    for (mlir::Value output : outputs) yields.push_back(mapping.lookup(output));
    ir::YieldOp::create(b, loc, yields);
    for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults())) {
      output.replaceUsesWithIf(result, [&](mlir::OpOperand& use) {
        mlir::Operation* ancestor = block_.findAncestorOpInBlock(*use.getOwner());
        return !ancestor || !members.contains(ancestor);
      });
    }
    for (mlir::Operation* op : llvm::reverse(cluster.members)) op->erase();
  }

  mlir::Block& block_;
  llvm::DenseMap<mlir::Operation*, int64_t> positions_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  llvm::DenseMap<mlir::Operation*, Cluster*> cluster_of_;
  llvm::DenseMap<mlir::Operation*, mlir::Operation*> effect_before_, effect_after_;
  std::map<int64_t, int64_t> spans_;  // first and last position; they do not overlap
  llvm::DenseMap<mlir::Operation*, Access> access_;
  llvm::DenseMap<mlir::Operation*, Cluster*> prefix_of_;  // by sort
};

void FuseRegion(mlir::Region& region) {
  for (mlir::Block& block : region) {
    // Regions of control flow are programs of their own; those of other ops are part of
    // theirs.
    for (mlir::Operation& op : block) {
      if (llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
        for (mlir::Region& inner : op.getRegions()) FuseRegion(inner);
    }
    BlockFuser(block).Run();
  }
}

struct FusionPass
    : mlir::PassWrapper<FusionPass, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusionPass)
  llvm::StringRef getArgument() const override { return "tenon-fuse"; }
  llvm::StringRef getDescription() const override {
    return "group ops into the kernels they become";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<ir::TenonDialect>();
  }
  void runOnOperation() override { FuseFunction(getOperation()); }
};

}  // namespace

bool IsScalarOp(mlir::Operation* op) {
  if (op->getNumResults() != 1) return false;
  auto rank0 = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  };
  if (!rank0(op->getResult(0).getType())) return false;
  if (IsSplat(op)) return true;
  return llvm::all_of(op->getOperandTypes(), rank0) && IsElementwise(op);
}

void FuseFunction(mlir::func::FuncOp function) { FuseRegion(function.getBody()); }

std::unique_ptr<mlir::Pass> CreateFusionPass() { return std::make_unique<FusionPass>(); }

}  // namespace tenon::compiler
