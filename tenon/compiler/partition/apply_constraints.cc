#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/partition/prepare.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Operation;
using mlir::Value;

class Applier {
 public:
  explicit Applier(ShardingTable& table) : table_(table) {}

  void Apply(sdy::ShardingConstraintOp op) {
    UseEndOfChain(op);
    const Sharding* sharding = table_.Find(op.getResult());
    if (!sharding || !ShouldApply(op.getInput(), *sharding)) return;
    Value input = op.getInput();
    if (!BelongsToEdge(input)) {
      table_.Set(table_.PlaceOf(input), Sharding(*sharding));
      return;
    }
    MoveAfter(op, input);
    ConstrainUses(input, op, *sharding);
  }

  void Apply(sdy::ManualComputationOp op) {
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      Value input = operand.get();
      std::optional<Sharding> sharding =
          table_.InSharding(op, operand.getOperandNumber());
      if (!sharding || !ShouldApply(input, *sharding)) continue;
      if (!BelongsToEdge(input)) {
        table_.Set(table_.PlaceOf(input), *sharding);
        continue;
      }
      mlir::OpBuilder builder(op);
      builder.setInsertionPointAfterValue(input);
      auto constraint = sdy::ShardingConstraintOp::create(
          builder, op.getLoc(), input,
          WriteSharding(*sharding, table_.meshes(), op.getContext()));
      table_.Replace(table_.PlaceOf(constraint.getResult()), *sharding);
      ConstrainUses(input, constraint, *sharding);
    }
  }

 private:
  // Whether the value is constrained with another sharding elsewhere.
  bool IsContradicted(Value input, const Sharding& sharding) {
    return llvm::any_of(input.getUses(), [&](mlir::OpOperand& use) {
      if (auto constraint = llvm::dyn_cast<sdy::ShardingConstraintOp>(use.getOwner())) {
        const Sharding* other = table_.Find(constraint.getResult());
        return !other || *other != sharding;
      }
      if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(use.getOwner())) {
        return table_.InSharding(manual, use.getOperandNumber()) != sharding;
      }
      return false;
    });
  }

  bool ShouldApply(Value input, const Sharding& sharding) {
    return table_.PlaceOf(input) >= 0 && !table_.Find(input) &&
           sharding.IsFullyClosed() && !IsContradicted(input, sharding);
  }

  // A constraint on such a value would apply to all values of the edge, so its users get
  // the constraint's result instead.
  bool BelongsToEdge(Value input) {
    return input.getDefiningOp<sdy::DataFlowEdgeOp>() || EdgeOf(input);
  }

  void ConstrainUses(Value input, sdy::ShardingConstraintOp constraint,
                     Sharding sharding) {
    input.replaceAllUsesExcept(constraint, constraint);
    if (sharding.unreduced.empty()) return;
    // Unreduced axes do not propagate.
    const Sharding* current = table_.Find(input);
    Sharding changed = current ? *current
                               : Sharding::Replicated(sharding.mesh, sharding.rank(),
                                                      /*open=*/true);
    changed.unreduced = sharding.unreduced;
    changed.reduction = sharding.reduction;
    table_.Set(table_.PlaceOf(input), std::move(changed));
  }

  void MoveAfter(Operation* op, Value value) {
    if (Operation* source = value.getDefiningOp()) {
      op->moveAfter(source);
    } else {
      mlir::Block* block = value.getParentBlock();
      op->moveBefore(block, block->begin());
    }
  }

  bool IsConstrained(Value value, Operation* except) {
    return llvm::any_of(value.getUsers(), [&](Operation* user) {
      return user != except &&
             llvm::isa<sdy::ShardingConstraintOp, sdy::ManualComputationOp>(user);
    });
  }

  // The last of a chain of constraints with single uses that begins with `head`; null if
  // there is no such chain or its value has another sharding.
  sdy::ShardingConstraintOp EndOfChain(sdy::ShardingConstraintOp head) {
    Value input = head.getInput();
    if (input.getDefiningOp<sdy::ShardingConstraintOp>() || table_.Find(input) ||
        IsConstrained(input, head)) {
      return nullptr;
    }
    sdy::ShardingConstraintOp tail = head;
    while (tail->hasOneUse()) {
      auto next = llvm::dyn_cast<sdy::ShardingConstraintOp>(*tail->user_begin());
      if (!next) break;
      tail = next;
    }
    return tail == head || IsConstrained(tail.getResult(), nullptr) ? nullptr : tail;
  }

  // Later users of a constrained value get the end of the chain of its constraints.
  void UseEndOfChain(sdy::ShardingConstraintOp head) {
    sdy::ShardingConstraintOp tail = EndOfChain(head);
    if (!tail) return;
    head.getInput().replaceUsesWithIf(tail.getResult(), [&](mlir::OpOperand& use) {
      Operation* user = use.getOwner();
      return user != head && !llvm::isa<mlir::func::ReturnOp>(user) &&
             tail->getBlock() == user->getBlock() && tail->isBeforeInBlock(user);
    });
  }

  ShardingTable& table_;
};

}  // namespace

void ApplyConstraints(mlir::ModuleOp module, ShardingTable& table) {
  Applier applier(table);
  module.walk([&](Operation* op) {
    if (auto constraint = llvm::dyn_cast<sdy::ShardingConstraintOp>(op)) {
      applier.Apply(constraint);
    } else if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
      applier.Apply(manual);
    }
  });
}

}  // namespace tenon::compiler::partition
