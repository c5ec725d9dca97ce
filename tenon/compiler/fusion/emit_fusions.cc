#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/sort_parts.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

std::string Describe(mlir::Operation& op) {
  std::string text = op.getName().getStringRef().str();
  std::string location = DescribeLocation(op.getLoc());
  return location.empty() ? text : text + " at " + location;
}

class FusionEmitter {
 public:
  FusionEmitter(mlir::Block& block, BlockClusters clusters)
      : block_(block),
        clusters_(std::move(clusters)),
        end_(block.mightHaveTerminator() ? mlir::Block::iterator(block.getTerminator())
                                         : block.end()) {}

  Status Run() {
    llvm::SmallVector<mlir::Operation*> ops;
    for (mlir::Operation& op : llvm::make_range(block_.begin(), end_)) ops.push_back(&op);
    // A cluster runs at the position of its last member. Thus a cluster that updates an
    // array comes after the array's other readers, and may update it in place.
    llvm::DenseMap<Cluster*, mlir::Operation*> last;
    for (mlir::Operation* op : ops)
      if (Cluster* cluster = clusters_.Of(op)) last[cluster] = op;
    for (mlir::Operation* op : ops) {
      Cluster* cluster = clusters_.Of(op);
      if (!cluster || last[cluster] == op) TENON_RETURN_IF_ERROR(Order(UnitOf(op)));
    }
    for (mlir::Operation* unit : order_) {
      if (Cluster* cluster = clusters_.Of(unit))
        EmitCluster(*cluster);
      else
        unit->moveBefore(&block_, end_);
    }
    return OkStatus();
  }

 private:
  // The unit of ordering: a cluster, represented by one of its members, or a single op.
  mlir::Operation* UnitOf(mlir::Operation* op) {
    Cluster* cluster = clusters_.Of(op);
    if (!cluster) return op;
    return unit_of_cluster_.try_emplace(cluster, op).first->second;
  }

  // The units that must come before `unit`.
  llvm::SmallVector<mlir::Operation*> DependenciesOf(mlir::Operation* unit) {
    llvm::SmallVector<mlir::Operation*> dependencies;
    auto add = [&](mlir::Operation* def) {
      mlir::Operation* other = UnitOf(def);
      if (other != unit) dependencies.push_back(other);
    };
    auto add_operands = [&](mlir::Operation* op) {
      op->walk([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Operation* def = operand.getDefiningOp();
          if (def && def->getBlock() == &block_) add(def);
        }
      });
    };
    if (Cluster* cluster = clusters_.Of(unit)) {
      for (mlir::Operation* member : cluster->members) add_operands(member);
      return dependencies;
    }
    if (mlir::Operation* before = clusters_.effect_before.lookup(unit)) add(before);
    add_operands(unit);
    return dependencies;
  }

  // Appends `root` to the order, after all units that it needs: depth first.
  Status Order(mlir::Operation* root) {
    llvm::SmallVector<mlir::Operation*> stack{root};
    while (!stack.empty()) {
      mlir::Operation* unit = stack.back();
      auto [state, is_new] = states_.try_emplace(unit, State::kOpen);
      if (!is_new) {
        if (state->second == State::kOpen) order_.push_back(unit);
        state->second = State::kDone;
        stack.pop_back();
        continue;
      }
      for (mlir::Operation* dependency : DependenciesOf(unit)) {
        auto dependency_state = states_.find(dependency);
        if (dependency_state == states_.end())
          stack.push_back(dependency);
        else if (dependency_state->second == State::kOpen)
          return Internal("fused kernels depend on each other: the kernel of " +
                          Describe(*unit) + " and the kernel of " +
                          Describe(*dependency));
      }
    }
    return OkStatus();
  }

  void EmitCluster(Cluster& cluster) {
    llvm::stable_sort(cluster.members, [&](mlir::Operation* a, mlir::Operation* b) {
      return clusters_.positions.lookup(a) < clusters_.positions.lookup(b);
    });
    llvm::SmallPtrSet<mlir::Operation*, 16> members(cluster.members.begin(),
                                                    cluster.members.end());
    // Operands from outside. Those that a hero updates in place come first.
    llvm::SmallSetVector<mlir::Value, 8> inputs;
    auto is_inside = [&](mlir::Value value) {
      mlir::Operation* def = value.getDefiningOp();
      return def && members.contains(def);
    };
    auto consider = [&](mlir::Value value) {
      if (!is_inside(value)) inputs.insert(value);
    };
    if (cluster.hero && cluster.kind != ir::FusionKind::kContract &&
        cluster.kind != ir::FusionKind::kConvolution)
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
        // Most ops with several results keep them all, because one loop computes them
        // all.
        bool kept = op == cluster.hero && op->getNumResults() > 1;
        if (auto sort = llvm::dyn_cast<stablehlo::SortOp>(op); sort && kept)
          kept = !HasKnownOrder(sort);
        if (needed || kept) outputs.push_back(result);
      }
    }
    mlir::OpBuilder b(block_.getParentOp()->getContext());
    b.setInsertionPoint(&block_, end_);
    llvm::SmallVector<mlir::Location> locations;
    for (mlir::Operation* op : cluster.members) locations.push_back(op->getLoc());
    mlir::Location loc = cluster.hero ? cluster.hero->getLoc() : locations.back();
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value output : outputs) types.push_back(output.getType());
    auto fusion = ir::FusionOp::create(b, loc, types, inputs.getArrayRef(), cluster.kind);
    if (cluster.row_rank && cluster.kind == ir::FusionKind::kLoop)
      fusion->setAttr("rows", b.getI64IntegerAttr(*cluster.row_rank));
    if (!cluster.row_starts.empty() && cluster.kind == ir::FusionKind::kLoop)
      fusion->setAttr("row_starts", b.getDenseI64ArrayAttr(cluster.row_starts));
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

  // kOpen: the units that it needs are being ordered.
  enum class State { kOpen, kDone };

  mlir::Block& block_;
  BlockClusters clusters_;
  mlir::Block::iterator end_;  // the insertion point: everything goes before it
  llvm::DenseMap<Cluster*, mlir::Operation*> unit_of_cluster_;
  llvm::DenseMap<mlir::Operation*, State> states_;
  llvm::SmallVector<mlir::Operation*> order_;
};

}  // namespace

Status EmitFusions(mlir::Block& block, BlockClusters clusters) {
  return FusionEmitter(block, std::move(clusters)).Run();
}

}  // namespace tenon::compiler
