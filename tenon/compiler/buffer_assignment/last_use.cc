#include "tenon/compiler/buffer_assignment/last_use.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

// Calls `visit` with each op that reads the storage of `root`, until it returns true.
// Returns whether it did.
bool AnyReader(mlir::Value root, llvm::function_ref<bool(mlir::Operation*)> visit) {
  llvm::SmallVector<mlir::Value, 4> views{root};
  while (!views.empty()) {
    for (mlir::Operation* user : views.pop_back_val().getUsers()) {
      if (visit(user)) return true;
      if (ViewedOperand(user)) views.push_back(user->getResult(0));
    }
  }
  return false;
}

// Whether `value` is a carried value in a loop's condition. The body reads it afterwards.
bool IsCarriedIntoCondition(mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  if (!argument) return false;
  auto loop = llvm::dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp());
  return loop && argument.getParentRegion() == &loop.getCond();
}

// The outermost loop that contains `op` and lies within `defining_block`, a block around
// `op`.
mlir::Operation* LoopAround(mlir::Operation* op, mlir::Block* defining_block) {
  mlir::Operation* loop = nullptr;
  while (op->getBlock() != defining_block) {
    op = op->getParentOp();
    if (llvm::isa<stablehlo::WhileOp>(op)) loop = op;
  }
  return loop;
}

}  // namespace

LastUses::LastUses(mlir::func::FuncOp function) { Number(function.getBody()); }

void LastUses::Number(mlir::Region& region) {
  for (mlir::Block& block : region) {
    for (mlir::Operation& op : block) {
      starts_[&op] = next_++;
      if (!llvm::isa<ir::FusionOp>(op))
        for (mlir::Region& inner : op.getRegions()) Number(inner);
      ends_[&op] = op.getNumRegions() > 0 ? next_++ : starts_[&op];
    }
  }
}

mlir::Value LastUses::ViewRoot(mlir::Value value) {
  for (mlir::Operation* def = value.getDefiningOp(); def; def = value.getDefiningOp()) {
    mlir::Value viewed = ViewedOperand(def);
    if (!viewed) break;
    value = viewed;
  }
  return value;
}

int64_t LastUses::LastPosition(mlir::Value root) const {
  auto [entry, is_new] = last_positions_.try_emplace(root, -1);
  if (!is_new) return entry->second;
  int64_t last = -1;
  AnyReader(root, [&](mlir::Operation* user) {
    mlir::Operation* ancestor = root.getParentBlock()->findAncestorOpInBlock(*user);
    last =
        std::max(last, ancestor == user ? starts_.lookup(user) : ends_.lookup(ancestor));
    return false;
  });
  return last_positions_[root] = last;
}

bool LastUses::IsLiveAfter(mlir::Value value, mlir::Operation* op) const {
  mlir::Value root = ViewRoot(value);
  mlir::Block* defining_block = root.getParentBlock();
  if (defining_block == op->getBlock())
    return LastPosition(root) > ends_.lookup(op) || IsCarriedIntoCondition(root);
  // Values of a region that has ended, or of another branch, are no longer read.
  if (!defining_block->findAncestorOpInBlock(*op)) return false;
  if (IsCarriedIntoCondition(root)) return true;
  mlir::Operation* loop = LoopAround(op, defining_block);
  return AnyReader(root, [&](mlir::Operation* user) {
    if (loop && loop->isProperAncestor(user)) return true;
    if (op->isAncestor(user)) return false;
    // Compares positions in the innermost block that contains both ops.
    mlir::Operation *reader = user, *op_ancestor;
    while (!(op_ancestor = reader->getBlock()->findAncestorOpInBlock(*op)))
      reader = reader->getParentOp();
    return reader != op_ancestor && starts_.lookup(reader) > starts_.lookup(op_ancestor);
  });
}

bool LastUses::IsReadBy(mlir::Value value, mlir::Operation* op) const {
  return AnyReader(ViewRoot(value),
                   [&](mlir::Operation* user) { return op->isAncestor(user); });
}

bool LastUses::IsReadInside(mlir::Value value, mlir::Operation* op) const {
  return AnyReader(ViewRoot(value),
                   [&](mlir::Operation* user) { return op->isProperAncestor(user); });
}

bool LastUses::IsDeadFrom(mlir::Value value, mlir::Operation* op) const {
  mlir::Value root = ViewRoot(value);
  mlir::Block* defining_block = root.getParentBlock();
  if (defining_block == op->getBlock())
    return LastPosition(root) < starts_.lookup(op) && !IsCarriedIntoCondition(root);
  return !defining_block->findAncestorOpInBlock(*op);
}

}  // namespace tenon::compiler
