#include "tenon/compiler/partition/data_flow.h"

#include "mlir/IR/PatternMatch.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Operation;
using mlir::Value;

// Whether values pass from the op's operands to arguments of its body, each with an edge.
bool HasBodyEdges(Operation* op) {
  return llvm::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op);
}

sdy::DataFlowEdgeOp EdgeUser(Value owner) {
  if (!owner) return nullptr;
  for (Operation* user : owner.getUsers()) {
    if (auto edge = llvm::dyn_cast<sdy::DataFlowEdgeOp>(user)) return edge;
  }
  return nullptr;
}

Value ResultOrNull(Operation* op, unsigned number) {
  return number < op->getNumResults() ? op->getResult(number) : Value();
}

// The owner of the edge of a result or block argument of a data flow op; null if none.
Value OwnerOfTarget(Operation* op, Value target) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(target);
  if (!argument || HasBodyEdges(op)) return target;
  if (!llvm::isa<stablehlo::WhileOp>(op)) return {};
  return ResultOrNull(op, argument.getArgNumber());
}

void AddEdges(mlir::ValueRange owners, mlir::OpBuilder& builder) {
  // In reverse, because each is inserted right after its value, and they keep their
  // order.
  for (Value owner : llvm::reverse(owners)) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(owner.getType());
    if (!type || !type.hasStaticShape()) continue;
    builder.setInsertionPointAfterValue(owner);
    auto edge = sdy::DataFlowEdgeOp::create(builder, owner.getLoc(), owner);
    owner.replaceAllUsesExcept(edge, edge);
  }
}

}  // namespace

bool IsDataFlowOp(Operation* op) {
  return llvm::isa<stablehlo::WhileOp, stablehlo::CaseOp,
                   stablehlo::OptimizationBarrierOp>(op) ||
         HasBodyEdges(op);
}

Operation* OwningOp(Value value) {
  if (Operation* op = value.getDefiningOp()) return op;
  return value.getParentBlock()->getParentOp();
}

void AddDataFlowEdges(Operation* op) {
  mlir::OpBuilder builder(op->getContext());
  if (HasBodyEdges(op)) {
    AddEdges(llvm::to_vector_of<Value>(op->getRegion(0).getArguments()), builder);
  }
  AddEdges(op->getResults(), builder);
}

void AddDataFlowEdges(mlir::ModuleOp module) {
  module.walk([&](Operation* op) {
    if (IsDataFlowOp(op)) AddDataFlowEdges(op);
  });
}

sdy::DataFlowEdgeOp EdgeOf(Value target) {
  Operation* op = OwningOp(target);
  return op && IsDataFlowOp(op) ? EdgeUser(OwnerOfTarget(op, target)) : nullptr;
}

sdy::DataFlowEdgeOp EdgeOf(mlir::OpOperand& source) {
  Operation* user = source.getOwner();
  bool returned = user->hasTrait<mlir::OpTrait::IsTerminator>();
  Operation* op = returned ? user->getParentOp() : user;
  if (!op || !IsDataFlowOp(op)) return nullptr;
  if (!returned && HasBodyEdges(op)) return nullptr;
  return EdgeUser(ResultOrNull(op, source.getOperandNumber()));
}

llvm::SmallVector<Value, 2> SourcesOf(sdy::DataFlowEdgeOp edge) {
  Operation* op = OwningOp(edge.getInput());
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(edge.getInput())) {
    return {op->getOperand(argument.getArgNumber())};
  }
  unsigned number = llvm::cast<mlir::OpResult>(edge.getInput()).getResultNumber();
  auto returned = [&](mlir::Region& region) {
    return region.front().getTerminator()->getOperand(number);
  };
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
    return {op->getOperand(number), returned(loop.getBody())};
  }
  if (llvm::isa<stablehlo::OptimizationBarrierOp>(op)) return {op->getOperand(number)};
  llvm::SmallVector<Value, 2> sources;
  for (mlir::Region& region : op->getRegions()) sources.push_back(returned(region));
  return sources;
}

llvm::SmallVector<Value, 2> OtherTargetsOf(sdy::DataFlowEdgeOp edge) {
  auto loop = edge.getInput().getDefiningOp<stablehlo::WhileOp>();
  if (!loop) return {};
  unsigned number = llvm::cast<mlir::OpResult>(edge.getInput()).getResultNumber();
  return {loop.getCond().getArgument(number), loop.getBody().getArgument(number)};
}

}  // namespace tenon::compiler::partition
