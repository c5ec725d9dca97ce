#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/partition/prepare.h"
#include "tenon/compiler/partition/rule.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Operation;
using mlir::Value;

bool IsScalar(Value value) {
  auto type = llvm::dyn_cast<mlir::ShapedType>(value.getType());
  return type && type.hasRank() && type.getRank() == 0;
}

class Splitter {
 public:
  explicit Splitter(mlir::ModuleOp module) : symbols_(module) {}

  void Run(mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::func::FuncOp>()) VisitFunction(function);
  }

 private:
  // Bodies before what contains or calls them, as they decide whether that is a constant
  // expression. Recursion, which StableHLO does not allow, ends at functions seen before.
  void VisitFunction(mlir::func::FuncOp root) {
    llvm::SmallVector<std::pair<mlir::func::FuncOp, bool>> stack{{root, false}};
    while (!stack.empty()) {
      auto [function, callees_done] = stack.pop_back_val();
      if (callees_done) {
        function.walk([&](sdy::NamedComputationOp named) { Split(named.getBody()); });
        Split(function.getBody());
        continue;
      }
      if (!seen_.insert(function).second) continue;
      stack.push_back({function, true});
      function.walk([&](mlir::func::CallOp call) {
        if (auto callee = symbols_.lookup<mlir::func::FuncOp>(call.getCallee())) {
          stack.push_back({callee, false});
        }
      });
    }
  }

  // Whether the results are constant if all operands are.
  bool KeepsConstants(Operation* op) {
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) {
      return !not_constant_functions_.contains(call.getCallee());
    }
    if (auto named = llvm::dyn_cast<sdy::NamedComputationOp>(op)) {
      return !not_constant_.contains(named.getName());
    }
    if (!mlir::isPure(op)) return false;
    return llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                     stablehlo::SliceOp>(op) ||
           IsElementwiseForSharding(op);
  }

  bool IsConstantExpression(Operation* op) {
    if (llvm::isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op)) return true;
    return KeepsConstants(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
             return constants_.contains(operand.getDefiningOp());
           });
  }

  void Visit(Operation* op) {
    if (llvm::isa<sdy::ShardingGroupOp>(op)) return;
    if (IsConstantExpression(op)) {
      constants_.insert(op);
      return;
    }
    if (!KeepsConstants(op) && !op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      if (auto named = op->getParentOfType<sdy::NamedComputationOp>()) {
        not_constant_.insert(named.getName());
      }
      if (auto function = op->getParentOfType<mlir::func::FuncOp>()) {
        not_constant_functions_.insert(function.getSymName());
      }
    }
    if (llvm::isa<stablehlo::BroadcastInDimOp>(op) && IsScalar(op->getOperand(0))) {
      broadcasts_.insert(op);
      return;
    }
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      Operation* source = operand.get().getDefiningOp();
      if (source && !IsScalar(operand.get()) &&
          (constants_.contains(source) || broadcasts_.contains(source))) {
        mlir::IRMapping copies;
        Copy(operand.get(), copies);
        operand.set(copies.lookup(operand.get()));
      }
    }
  }

  // Copies the op that defines `value`, and what it depends on. Scalars are not copied,
  // because they cannot be split. Iterative, because expressions may be deep.
  void Copy(Value value, mlir::IRMapping& copies) {
    llvm::SmallVector<std::pair<Operation*, unsigned>> stack{{value.getDefiningOp(), 0}};
    while (!stack.empty()) {
      auto& [op, next] = stack.back();
      if (next < op->getNumOperands()) {
        Value operand = op->getOperand(next++);
        Operation* source = operand.getDefiningOp();
        if (source && !IsScalar(operand) && !copies.contains(operand)) {
          stack.push_back({source, 0});
        }
        continue;
      }
      if (!copies.contains(op->getResult(0))) {
        mlir::OpBuilder builder(op);
        builder.clone(*op, copies);
        for (Operation* user : llvm::to_vector(op->getResult(0).getUsers())) {
          if (llvm::isa<sdy::ShardingGroupOp>(user)) builder.clone(*user, copies);
        }
      }
      stack.pop_back();
    }
  }

  void EraseIfUnused(Operation* op) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<sdy::ShardingGroupOp>)) return;
    for (Operation* user : llvm::to_vector(op->getUsers())) user->erase();
    op->erase();
  }

  void Split(mlir::Region& region) {
    constants_.clear();
    broadcasts_.clear();
    region.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
      Visit(op);
      return llvm::isa<sdy::NamedComputationOp>(op) ? mlir::WalkResult::skip()
                                                    : mlir::WalkResult::advance();
    });
    for (Operation* op : broadcasts_) EraseIfUnused(op);
    for (Operation* op : llvm::reverse(constants_)) EraseIfUnused(op);
  }

  llvm::SetVector<Operation*> constants_;
  llvm::SetVector<Operation*> broadcasts_;  // of scalars that are no constants
  llvm::StringSet<> not_constant_;          // names of computations
  llvm::StringSet<> not_constant_functions_;
  llvm::DenseSet<Operation*> seen_;
  mlir::SymbolTable symbols_;
};

}  // namespace

void SplitConstants(mlir::ModuleOp module) { Splitter(module).Run(module); }

}  // namespace tenon::compiler::partition
