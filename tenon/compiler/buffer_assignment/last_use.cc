#include "tenon/compiler/buffer_assignment/last_use.h"

#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

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
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

int64_t LastUses::Direct(mlir::Value value) const {
  mlir::Block* home = value.getParentBlock();
  int64_t last = -1;
  for (mlir::Operation* user : value.getUsers()) {
    mlir::Operation* ancestor = home->findAncestorOpInBlock(*user);
    if (!ancestor) continue;
    int64_t position = ancestor == user ? starts_.lookup(user) : ends_.lookup(ancestor);
    last = std::max(last, position);
    if (auto view = llvm::dyn_cast<stablehlo::ReshapeOp>(user))
      last = std::max(last, Direct(view.getResult()));
  }
  return last;
}

int64_t LastUses::Of(mlir::Value value) const { return Direct(ViewRoot(value)); }

}  // namespace tenon::compiler
