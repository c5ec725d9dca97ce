// Visits a block from its end: each op joins a cluster of its users, or starts one.
#include <limits>
#include <map>

#include "mlir/IR/Builders.h"
#include "tenon/compiler/analysis/host_scalars.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/analysis/sort_parts.h"
#include "tenon/compiler/fusion/access.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/fusion/evaluations.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/compiler/fusion/recomputation.h"
#include "tenon/compiler/fusion/sibling_reductions.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Larger fusions would become kernels whose code does not fit the instruction cache, and
// building their points would recurse too deeply. Constants and broadcasts do not count:
// outside the fusion they would become arrays.
constexpr size_t kMaxOps = 256;

class ClusterFinder {
 public:
  ClusterFinder(mlir::Block& block, const TargetTraits& target, const HostScalars& hosts)
      : block_(block),
        target_(target),
        hosts_(hosts),
        evaluations_(found_, target),
        recomputation_(found_, target) {}

  BlockClusters Run() {
    int64_t position = 0;
    mlir::Operation* effect = nullptr;
    for (mlir::Operation& op : block_) {
      found_.positions[&op] = position++;
      if (IsScalarOp(&op) && IsOnHost(op)) on_host_.insert(&op);
      if (op.hasTrait<mlir::OpTrait::IsTerminator>() || mlir::isMemoryEffectFree(&op) ||
          IsElementwise(&op))
        continue;  // a composite may have side effects, but not an elementwise one
      // Ops with side effects keep their order.
      if (effect) {
        found_.effect_before[&op] = effect;
        found_.effect_after[effect] = &op;
      }
      effect = &op;
    }
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block_)))
      Visit(&op);
    return std::move(found_);
  }

 private:
  void Join(mlir::Operation* op, Cluster* cluster, Access access, DemandPoints points) {
    cluster->members.push_back(op);
    if (!IsBroadcast(op)) ++cluster->op_count;
    found_.cluster_of[op] = cluster;
    access_[op] = std::move(access);
    evaluations_.Record(op, cluster, std::move(points));
    if (cluster->several_results) RecordSpan(cluster);
  }

  std::pair<int64_t, int64_t> SpanOf(const Cluster* cluster) {
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (mlir::Operation* member : cluster->members) {
      first = std::min(first, found_.positions[member]);
      last = std::max(last, found_.positions[member]);
    }
    return {first, last};
  }

  // Records the range of block positions that a multi-result cluster spans. A path of
  // uses that enters the cluster inside that range may leave it at an earlier position.
  void RecordSpan(const Cluster* cluster) {
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

  Cluster* NewCluster(mlir::Operation* root, ir::FusionKind kind) {
    found_.clusters.push_back(std::make_unique<Cluster>());
    Cluster* cluster = found_.clusters.back().get();
    cluster->kind = kind;
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(root->getResult(0).getType()))
      cluster->shape = llvm::SmallVector<int64_t>(type.getShape());
    DemandPoints points = evaluations_.Start(cluster);
    if (SplitsItsRows(root)) evaluations_.SplitRows(root, cluster, points);
    if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(root))
      evaluations_.SplitWindowRows(window, cluster, points);
    Join(root, cluster, IdentityAccess(cluster->shape.size()), std::move(points));
    return cluster;
  }

  // Whether the rows of a kernel that only pads are split. For short rows of elements
  // that have masks, a mask costs less.
  static bool SplitsItsRows(mlir::Operation* root) {
    if (!llvm::isa<stablehlo::PadOp>(root)) return false;
    auto type = TypeOf(root->getResult(0));
    constexpr int64_t kMinRowLength = 32, kMaskedBits = 32;
    return type.getRank() > 0 && (type.getShape().back() >= kMinRowLength ||
                                  (type.getElementType().isIntOrFloat() &&
                                   type.getElementTypeBitWidth() < kMaskedBits));
  }

  // The access by which the members of `cluster` that use `op` index it. Dimensions in
  // which their accesses differ are kAccessOther.
  Access AccessFrom(mlir::Operation* op, Cluster* cluster) {
    std::optional<Access> result;
    for (mlir::OpResult value : op->getResults()) {
      for (mlir::OpOperand& use : value.getUses()) {
        mlir::Operation* user = use.getOwner();
        if (user->getBlock() != &block_ || found_.Of(user) != cluster) continue;
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

  // Whether the host computes a scalar op. The ops before it have been looked at.
  bool IsOnHost(mlir::Operation& op) const {
    return llvm::all_of(op.getOperands(), [&](mlir::Value operand) {
      mlir::Operation* def = operand.getDefiningOp();
      return def && def->getBlock() == &block_ && IsScalarOp(def)
                 ? on_host_.contains(def)
                 : hosts_.Contains(operand);
    });
  }

  void Visit(mlir::Operation* op) {
    if (op->hasTrait<mlir::OpTrait::IsTerminator>() || op->getNumResults() == 0) return;
    if (on_host_.contains(op)) return;
    if (op->use_empty() && mlir::isMemoryEffectFree(op)) return;
    if (VisitSortedPrefix(op) || ViewsStoredElements(op)) return;
    bool point = IsPointOp(op);
    auto hero = HeroKind(op);
    if (!point && !hero) return;

    llvm::SmallSetVector<Cluster*, 4> users;
    bool outside = false;
    for (mlir::Operation* user : op->getUsers()) {
      Cluster* cluster = user->getBlock() == &block_ ? found_.Of(user) : nullptr;
      if (cluster)
        users.insert(cluster);
      else
        outside = true;
    }

    MergeSiblings(op, users);
    if (!outside && users.size() == 1 && TryJoin(op, users[0], /*extra_result=*/false))
      return;
    if (!outside && ShouldRecompute(op, users.getArrayRef())) {
      DuplicateInto(op, users.getArrayRef());
      op->erase();
      return;
    }
    if (IsBroadcast(op) && !users.empty()) {
      DuplicateInto(op, users.getArrayRef());
      if (op->use_empty()) {
        op->erase();
        return;
      }
      users.clear();
      outside = true;
    }
    if (llvm::isa<stablehlo::ConstantOp>(op)) {
      // The remaining constant becomes data, unless a loop should fill it.
      if (!IsSplatConstant(op) || ElementCountOf(op->getResult(0)) <= 1024) return;
    }
    if (ViewedOperand(op)) return;
    for (Cluster* cluster : users) {
      if (TryJoin(op, cluster, /*extra_result=*/true)) return;
    }
    for (Cluster* cluster : users) {
      if (TryJoinContinuation(op, cluster->continuation)) return;
    }
    if (hero) {
      Cluster* cluster = NewCluster(op, *hero);
      cluster->hero = op;
      FuseInitialValues(op, cluster);
      return;
    }
    if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op)) {
      NewCluster(op, ir::FusionKind::kUpdateSlice)->hero = op;
      return;
    }
    if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op);
        concatenate && !InterleavesColumns(concatenate)) {
      NewCluster(op, ir::FusionKind::kConcatenate)->hero = op;
      return;
    }
    Cluster* cluster = NewCluster(op, ir::FusionKind::kLoop);
    for (Cluster* user : users)
      if (IsFull(user) && !user->continuation) user->continuation = cluster;
    FuseInitialValues(op, cluster);
    cluster->has_window = llvm::isa<stablehlo::ReduceWindowOp>(op);
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      RecordReduce(reduce, cluster);
      MergeReductions(reduce, cluster);
    }
  }

  // Whether `op` views parts of the elements of an array in memory. A kernel would take
  // each part out of an element.
  bool ViewsStoredElements(mlir::Operation* op) const {
    mlir::Value viewed = ViewedOperand(op);
    if (target_.device || !viewed || !llvm::isa<stablehlo::BitcastConvertOp>(op) ||
        ShapeOf(op->getResult(0)).size() == ShapeOf(viewed).size())
      return false;
    mlir::Operation* def = viewed.getDefiningOp();
    return !def || def->getBlock() != &block_ || !IsPointOp(def);
  }

  // Fuses a sort with the slices that take a prefix of its rows. The kernel then computes
  // only that prefix.
  bool VisitSortedPrefix(mlir::Operation* op) {
    if (auto sort = SortOfPrefix(op)) {
      Cluster*& cluster = prefix_of_[sort];
      if (cluster)
        Join(op, cluster, {}, {});
      else
        cluster = NewCluster(op, ir::FusionKind::kSort);
      return true;
    }
    auto found = prefix_of_.find(op);
    if (found == prefix_of_.end()) return false;
    found->second->hero = op;
    Join(op, found->second, {}, {});
    return true;
  }

  // Kernels of windows, and of reductions with several operands, inspect their initial
  // values, so constant ones join the cluster.
  void FuseInitialValues(mlir::Operation* op, Cluster* cluster) {
    mlir::MutableOperandRange inits(op, 0, 0);
    if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op))
      inits = window.getInitValuesMutable();
    else if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
             reduce && reduce.getInputs().size() > 1)
      inits = reduce.getInitValuesMutable();
    for (mlir::OpOperand& operand : inits) {
      mlir::Operation* init = operand.get().getDefiningOp();
      if (!init || !IsSplatConstant(init)) continue;
      mlir::Operation* copy = mlir::OpBuilder(op).clone(*init);
      operand.set(copy->getResult(0));
      // A constant of an outer block comes before all ops of this one.
      const auto entry = found_.positions.find(init);
      const int64_t position = entry == found_.positions.end() ? -1 : entry->second;
      found_.positions[copy] = position;
      Join(copy, cluster, {}, {});
    }
  }

  // Whether one of the reduced dimensions is the operand's innermost dimension.
  static bool ReducesInnermost(stablehlo::ReduceOp reduce) {
    int64_t rank = TypeOf(reduce.getInputs()[0]).getRank();
    return llvm::is_contained(reduce.getDimensions(), rank - 1);
  }

  void RecordReduce(stablehlo::ReduceOp reduce, Cluster* cluster) {
    if (ReducesInnermost(reduce))
      cluster->row_rank = TypeOf(reduce.getResult(0)).getRank();
    else
      cluster->has_column_reduce = true;
  }

  // Whether `access` reads `op` at the cluster's own indices, in the cluster's shape.
  static bool IsIdentity(mlir::Operation* op, const Cluster* cluster,
                         const Access& access) {
    return access == IdentityAccess(cluster->shape.size()) &&
           ShapeOf(op->getResult(0)) == llvm::ArrayRef<int64_t>(cluster->shape);
  }

  static bool IsFull(const Cluster* cluster) { return cluster->op_count >= kMaxOps; }

  bool TryJoin(mlir::Operation* op, Cluster* cluster, bool extra_result) {
    if (IsFull(cluster) && !IsBroadcast(op)) return false;
    Access access = AccessFrom(op, cluster);
    if (extra_result) return TryJoinAsResult(op, cluster, std::move(access));
    if (auto hero = HeroKind(op))
      return TryJoinAsHero(op, cluster, *hero, std::move(access));
    if (!OperandMayBeFused(op, cluster)) return false;
    DemandPoints points = evaluations_.PointsOf(op, cluster, extra_result);
    if (!IsBroadcast(op) && evaluations_.AreTooMany(op, cluster, points)) return false;
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      return TryJoinReduce(reduce, cluster, std::move(access), std::move(points));
    if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
      if (!IsIdentity(op, cluster, access) || cluster->kind != ir::FusionKind::kLoop ||
          cluster->row_rank)
        return false;
      cluster->has_window = true;
      evaluations_.SplitWindowRows(window, cluster, points);
      Join(op, cluster, std::move(access), std::move(points));
      FuseInitialValues(op, cluster);
      return true;
    }
    if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op)) {
      if (concatenate.getInputs().size() > 4) return false;
    }
    if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op)) {
      // Updating in place is better, unless the readers are small.
      if (ElementCountOf(op->getResult(0)) > 4096) return false;
    }
    // A costly value that many points read is computed once and stored.
    if (!IsCheap(op) && !IsUpdatingGather(op, cluster) &&
        IsRecomputed(op, cluster, access))
      return false;
    if (MovesRows(op) && !cluster->row_starts.empty()) return false;
    if (!evaluations_.SplitRows(op, cluster, points)) return false;
    cluster->moves_rows |= MovesRows(op);
    Join(op, cluster, std::move(access), std::move(points));
    return true;
  }

  // Makes `op` another result of the same loops. This pays for values that the loops
  // compute anyway, or that have operands in common with them.
  bool TryJoinAsResult(mlir::Operation* op, Cluster* cluster, Access access) {
    if (!IsIdentity(op, cluster, access) || cluster->kind != ir::FusionKind::kLoop ||
        op->getNumResults() != 1)
      return false;
    if (!IsElementwise(op) || cluster->has_window) return false;
    if (cluster->has_column_reduce && FeedsReduction(op, cluster)) return false;
    if (ReachesFromOutside(op, cluster)) return false;
    DemandPoints points = evaluations_.PointsOf(op, cluster, /*is_result=*/true);
    if (evaluations_.AreTooMany(op, cluster, points)) return false;
    cluster->several_results = true;
    Join(op, cluster, std::move(access), std::move(points));
    return true;
  }

  // Makes `op`, an operand of a full cluster, a result of the cluster of another operand.
  // They often have operands in common, as a weighted sum and the sum of the weights.
  bool TryJoinContinuation(mlir::Operation* op, Cluster* cluster) {
    return cluster && !IsFull(cluster) &&
           TryJoinAsResult(op, cluster, IdentityAccess(cluster->shape.size()));
  }

  // Makes `op` the hero of a loop cluster, which becomes its epilogue.
  bool TryJoinAsHero(mlir::Operation* op, Cluster* cluster, ir::FusionKind kind,
                     Access access) {
    bool fits = kind == ir::FusionKind::kContract ||
                kind == ir::FusionKind::kConvolution || kind == ir::FusionKind::kScan;
    if (!fits || !IsIdentity(op, cluster, access) ||
        cluster->kind != ir::FusionKind::kLoop || cluster->row_rank ||
        cluster->has_column_reduce || cluster->has_window)
      return false;
    if (!EpilogueIsSimple(cluster)) return false;
    DemandPoints points = evaluations_.PointsOf(op, cluster, /*is_result=*/false);
    if (points.saturated() || points.MaxPerIteration() > 1) return false;
    cluster->kind = kind;
    cluster->hero = op;
    Join(op, cluster, std::move(access), std::move(points));
    FuseInitialValues(op, cluster);
    return true;
  }

  bool TryJoinReduce(stablehlo::ReduceOp reduce, Cluster* cluster, Access access,
                     DemandPoints points) {
    if (cluster->kind != ir::FusionKind::kLoop || cluster->has_window) return false;
    auto rank = PrefixRank(access);
    if (!rank) return false;
    if (!ReducesInnermost(reduce)) {
      if (!IsIdentity(reduce, cluster, access) || cluster->row_rank ||
          FeedsReduction(reduce, cluster))
        return false;
      if (!cluster->row_starts.empty() || !FitsColumns(*cluster, reduce)) return false;
      cluster->has_column_reduce = true;
    } else {
      if (cluster->has_column_reduce) return false;
      if (cluster->row_rank && *cluster->row_rank != *rank) return false;
      cluster->row_rank = *rank;
    }
    Join(reduce, cluster, std::move(access), std::move(points));
    FuseInitialValues(reduce, cluster);
    MergeReductions(reduce, cluster);
    return true;
  }

  // Whether a reduction in `cluster` depends on `op`. Every row of the reduction would
  // then evaluate the same elements again.
  bool FeedsReduction(mlir::Operation* op, Cluster* cluster) {
    llvm::SmallVector<mlir::Operation*> work{op};
    llvm::SmallPtrSet<mlir::Operation*, 16> seen;
    while (!work.empty()) {
      for (mlir::Operation* user : work.pop_back_val()->getUsers()) {
        if (found_.Of(user) != cluster || !seen.insert(user).second) continue;
        if (llvm::isa<stablehlo::ReduceOp>(user)) return true;
        work.push_back(user);
      }
    }
    return false;
  }

  // Whether `users`, which are all that use `op`, should compute it for themselves.
  bool ShouldRecompute(mlir::Operation* op, llvm::ArrayRef<Cluster*> users) {
    return users.size() > 1 && op->getNumResults() == 1 && IsElementwise(op) &&
           IsCheap(op) &&
           llvm::all_of(users,
                        [&](Cluster* cluster) { return CanRecompute(op, cluster); }) &&
           recomputation_.Pays(op, users);
  }

  // Whether `cluster` reads `op` in rows, once per iteration, and has room for it.
  bool CanRecompute(mlir::Operation* op, Cluster* cluster) {
    if (cluster->kind != ir::FusionKind::kLoop || cluster->has_window ||
        cluster->moves_rows || !cluster->row_starts.empty() || IsFull(cluster) ||
        cluster->continuation || !ReadsInOrder(op, cluster))
      return false;
    DemandPoints points = evaluations_.PointsOf(op, cluster, /*is_result=*/false);
    return !points.saturated() && points.MaxPerIteration() <= 1;
  }

  // Whether consecutive iterations of the cluster read consecutive elements of `op`, each
  // once.
  bool ReadsInOrder(mlir::Operation* op, Cluster* cluster) {
    Access access = AccessFrom(op, cluster);
    if (llvm::is_contained(access, kAccessOther)) {
      return llvm::all_of(op->getUsers(), [&](mlir::Operation* user) {
        return found_.Of(user) != cluster ||
               ((llvm::isa<stablehlo::ReshapeOp>(user) || IsElementwise(user)) &&
                ReadsInOrder(user, cluster));
      });
    }
    for (auto [dim, size] : llvm::enumerate(cluster->shape))
      if (size > 1 && !llvm::is_contained(access, static_cast<int64_t>(dim)))
        return false;
    return true;
  }

  // Whether the cluster would evaluate elements of `op` more than once.
  bool IsRecomputed(mlir::Operation* op, Cluster* cluster, const Access& access) {
    if (auto rank = PrefixRank(access)) {
      // Values that depend only on the outer dimensions are computed outside the inner
      // loop.
      int64_t used = *rank;
      if (used == static_cast<int64_t>(cluster->shape.size()))
        return cluster->has_column_reduce && FeedsReduction(op, cluster);
      if (cluster->row_rank && used == *cluster->row_rank) return false;
      if (!cluster->row_rank && used + 1 == static_cast<int64_t>(cluster->shape.size()))
        return false;
      if (llvm::is_contained(access, kAccessReduced)) return false;
    }
    if (llvm::is_contained(access, kAccessReduced)) {
      // A reduction reads each input element once.
      return cluster->has_window;
    }
    int64_t points = 1;
    for (int64_t size : cluster->shape) points *= size;
    return ElementCountOf(op->getResult(0)) < points || cluster->has_window;
  }

  // Whether `op` gathers the updates of the cluster's scatter. The scatter reads each
  // update once, so gathered rows need no array in between. Indices are different: each
  // part of the target reads all of them. And rows gathered from the target itself must
  // be read before the first update.
  bool IsUpdatingGather(mlir::Operation* op, Cluster* cluster) {
    if (cluster->kind != ir::FusionKind::kScatter || !llvm::isa<stablehlo::GatherOp>(op))
      return false;
    auto scatter = llvm::cast<stablehlo::ScatterOp>(cluster->hero);
    size_t targets = scatter.getInputs().size();
    if (llvm::is_contained(scatter.getInputs(), op->getOperand(0))) return false;
    llvm::SmallVector<mlir::Operation*> work{op};
    llvm::SmallPtrSet<mlir::Operation*, 16> seen;
    while (!work.empty()) {
      for (mlir::OpOperand& use : work.pop_back_val()->getUses()) {
        mlir::Operation* user = use.getOwner();
        if (user == scatter && use.getOperandNumber() <= targets) return false;
        if (user != scatter && found_.Of(user) == cluster && seen.insert(user).second)
          work.push_back(user);
      }
    }
    return true;
  }

  // Whether all users of `op` in `cluster` can read it element by element.
  bool OperandMayBeFused(mlir::Operation* op, Cluster* cluster) {
    for (mlir::OpOperand& use : op->getUses()) {
      mlir::Operation* user = use.getOwner();
      if (found_.Of(user) != cluster) continue;
      if (user == cluster->hero) {
        unsigned number = use.getOperandNumber();
        if (cluster->kind == ir::FusionKind::kScatter) {
          auto scatter = llvm::cast<stablehlo::ScatterOp>(user);
          if (number < scatter.getInputs().size()) return false;
          if (!IsCheap(op) && !IsUpdatingGather(op, cluster)) return false;
          continue;
        }
        if (cluster->kind == ir::FusionKind::kUpdateSlice) {
          if (number == 0) return false;
          continue;
        }
        if (cluster->kind == ir::FusionKind::kConcatenate) continue;
        if (cluster->kind == ir::FusionKind::kSort &&
            ArePositions(llvm::cast<stablehlo::SortOp>(user), number))
          continue;
        if (cluster->kind == ir::FusionKind::kScan && number == 0) {
          // The scan of a long row reads its operand twice.
          if (!IsCheap(op)) return false;
          continue;
        }
        return false;
      }
      if (llvm::isa<stablehlo::ReduceWindowOp>(user) && !IsCheap(op)) return false;
    }
    return !llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) ||
           cluster->kind == ir::FusionKind::kLoop;
  }

  // Whether the members fit a product's epilogue: elementwise ops and broadcasts, which
  // compute one value at one point.
  bool EpilogueIsSimple(Cluster* cluster) {
    return llvm::all_of(cluster->members, [](mlir::Operation* op) {
      return IsElementwise(op) || IsSplatConstant(op) ||
             llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp,
                       stablehlo::ReshapeOp>(op);
    });
  }

  // Merges those of `users`, the clusters that use `op`, whose loops only differ in what
  // they compute. They have `op` in common, which is then neither stored nor loaded.
  void MergeSiblings(mlir::Operation* op, llvm::SmallSetVector<Cluster*, 4>& users) {
    constexpr size_t kMaxUsers = 8;
    if (!IsElementwise(op) || users.size() < 2 || users.size() > kMaxUsers) return;
    llvm::SmallVector<Cluster*> all(users.begin(), users.end());
    llvm::erase_if(all, [&](Cluster* cluster) { return !IsPlainUser(cluster, op); });
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = all.size() - 1; j > i; --j) {
        Cluster* other = all[j];
        if (!HaveSameLoops(*all[i], *other) || !MayMerge(all[i], other)) continue;
        Merge(all[i], other);
        users.remove(other);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  // Whether the loops of two clusters that have an operand in common only differ in what
  // they compute.
  static bool HaveSameLoops(const Cluster& first, const Cluster& second) {
    if (first.has_column_reduce && second.has_column_reduce)
      return HaveSameReductionLoops(first, second);
    return first.shape == second.shape;
  }

  // Whether neither depends on the other, and their ops fit one kernel.
  bool MayMerge(Cluster* first, Cluster* second) {
    constexpr size_t kMaxOpsOfMerged = 64;
    return first->op_count + second->op_count <= kMaxOpsOfMerged &&
           !Reaches(first->members, first, second) &&
           !Reaches(second->members, second, first);
  }

  // Merges `cluster`, which `reduce` has joined, with others that reduce what depends on
  // the same array.
  void MergeReductions(stablehlo::ReduceOp reduce, Cluster* cluster) {
    constexpr size_t kMaxSearched = 8;
    mlir::Value input = reduce.getInputs()[0];
    if (!ReducesLargeArray(*cluster, input, target_)) return;
    llvm::erase(reductions_, cluster);
    auto arrays = recomputation_.ArraysOf(*cluster, nullptr);
    for (size_t i = reductions_.size(); i-- > 0;) {
      Cluster* other = reductions_[i];
      auto common = recomputation_.ArraysOf(*other, nullptr);
      common.remove_if([&](mlir::Value array) { return !arrays.contains(array); });
      if (!ReducesLargeArray(*other, input, target_) ||
          !HaveSameReductionLoops(*other, *cluster) ||
          !GainsFromCommonArrays(*cluster, common.getArrayRef()) ||
          !MayMerge(cluster, other))
        continue;
      Merge(cluster, other);
      arrays = recomputation_.ArraysOf(*cluster, nullptr);
    }
    llvm::erase(reductions_, cluster);
    reductions_.push_back(cluster);
    if (reductions_.size() > kMaxSearched) reductions_.erase(reductions_.begin());
  }

  // Whether `cluster` has only elementwise ops and broadcasts, or reduces columns first,
  // and reads `op` at its own indices.
  bool IsPlainUser(Cluster* cluster, mlir::Operation* op) {
    return cluster->kind == ir::FusionKind::kLoop && !cluster->continuation &&
           llvm::all_of(
               cluster->members,
               [&](mlir::Operation* member) {
                 return IsElementwise(member) || IsBroadcast(member) ||
                        (cluster->has_column_reduce &&
                         llvm::isa<stablehlo::ReduceOp, stablehlo::ReshapeOp>(member));
               }) &&
           !(cluster->has_column_reduce && FeedsReduction(op, cluster)) &&
           IsIdentity(op, cluster, AccessFrom(op, cluster));
  }

  void Merge(Cluster* merged, Cluster* other) {
    for (mlir::Operation* member : other->members) found_.cluster_of[member] = merged;
    llvm::append_range(merged->members, other->members);
    merged->op_count += other->op_count;
    merged->evaluations += other->evaluations;
    merged->several_results = true;
    for (auto& cluster : found_.clusters)
      if (cluster->continuation == other) cluster->continuation = merged;
    merged->has_column_reduce |= other->has_column_reduce;
    if (llvm::is_contained(reductions_, merged))
      llvm::erase(reductions_, other);
    else
      llvm::replace(reductions_, other, merged);
    evaluations_.Forget(other);  // the next cluster may have its address
    llvm::erase_if(found_.clusters,
                   [&](const auto& cluster) { return cluster.get() == other; });
    RecordSpan(merged);
  }

  // Whether a user of `op` outside `cluster` reaches back into it. Fusing would then
  // create a cycle.
  bool ReachesFromOutside(mlir::Operation* op, Cluster* cluster) {
    return Reaches(op, cluster, cluster);
  }

  // Whether a path of uses from one of `ops` to an op outside of `own` leads on to
  // `cluster`.
  bool Reaches(llvm::ArrayRef<mlir::Operation*> ops, const Cluster* own,
               const Cluster* cluster) {
    // Ops after this position cannot reach the cluster.
    int64_t last = SpanOf(cluster).second;
    if (auto span = spans_.upper_bound(last); span != spans_.begin())
      last = std::max(last, std::prev(span)->second);
    llvm::SmallVector<mlir::Operation*> work;
    llvm::SmallPtrSet<mlir::Operation*, 32> seen;
    llvm::SmallPtrSet<Cluster*, 4> expanded;  // whose members' users are in `seen`
    auto push = [&](mlir::Operation* user) {
      mlir::Operation* ancestor = block_.findAncestorOpInBlock(*user);
      if (ancestor && seen.insert(ancestor).second) work.push_back(ancestor);
    };
    for (mlir::Operation* op : ops)
      for (mlir::Operation* user : op->getUsers())
        if (found_.Of(user) != own) push(user);
    while (!work.empty()) {
      if (seen.size() > 256) return true;  // too many to search: assumes a path
      mlir::Operation* current = work.pop_back_val();
      if (Cluster* other = found_.Of(current)) {
        if (other == cluster) return true;
        // A cluster runs as a whole: it reaches whatever any member reaches.
        if (!expanded.insert(other).second) continue;
        for (mlir::Operation* member : other->members)
          for (mlir::Operation* user : member->getUsers()) push(user);
        continue;
      }
      if (found_.positions[current] > last) continue;
      if (mlir::Operation* next = found_.effect_after.lookup(current)) push(next);
      for (mlir::Operation* user : current->getUsers()) push(user);
    }
    return false;
  }

  void DuplicateInto(mlir::Operation* op, llvm::ArrayRef<Cluster*> clusters) {
    // Sorts the uses by cluster once: constants of long programs have thousands of uses.
    llvm::DenseMap<Cluster*, llvm::SmallVector<mlir::OpOperand*>> uses;
    mlir::Value value = op->getResult(0);
    for (mlir::OpOperand& use : value.getUses()) {
      if (use.getOwner()->getBlock() != &block_) continue;
      if (Cluster* cluster = found_.Of(use.getOwner())) uses[cluster].push_back(&use);
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
      found_.positions[copy] = found_.positions[op];
      Join(copy, cluster, AccessFrom(copy, cluster),
           evaluations_.PointsOf(copy, cluster, /*extra_result=*/false));
    }
  }

  mlir::Block& block_;
  const TargetTraits& target_;
  const HostScalars& hosts_;
  llvm::DenseSet<mlir::Operation*> on_host_;  // scalar ops
  BlockClusters found_;
  std::map<int64_t, int64_t> spans_;  // first to last position; spans do not overlap
  llvm::DenseMap<mlir::Operation*, Access> access_;
  Evaluations evaluations_;
  Recomputation recomputation_;
  llvm::SmallVector<Cluster*> reductions_;  // of large arrays, those found last
  llvm::DenseMap<mlir::Operation*, Cluster*> prefix_of_;  // by sort
};

}  // namespace

BlockClusters FindClusters(mlir::Block& block, const TargetTraits& target,
                           const HostScalars& hosts) {
  return ClusterFinder(block, target, hosts).Run();
}

}  // namespace tenon::compiler
