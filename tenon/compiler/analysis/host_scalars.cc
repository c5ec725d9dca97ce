#include "tenon/compiler/analysis/host_scalars.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

bool IsRankZeroTensor(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType()) &&
         IsRankZero(value.getType());
}

}  // namespace

HostScalars::HostScalars(mlir::func::FuncOp function, bool on_device)
    : on_device_(on_device) {
  if (on_device) FindLoopArguments(function);
}

// Assumes that the host has all carried scalars, and takes back those whose next value,
// in a loop, or whose value in a branch, comes from the device, until nothing changes.
void HostScalars::FindLoopArguments(mlir::func::FuncOp function) {
  bool changed = true;
  auto move = [&](mlir::Value value) {
    changed |= carried_on_device_.insert(value).second;
  };
  while (changed) {
    changed = false;
    function.walk([&](mlir::Operation* op) {
      if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
        mlir::Operation* yield = loop.getBody().front().getTerminator();
        for (auto [number, result] : llvm::enumerate(loop.getResults())) {
          const auto position = static_cast<unsigned>(number);
          if (!IsRankZeroTensor(result) || carried_on_device_.contains(result) ||
              Contains(yield->getOperand(position)))
            continue;
          move(result);
          move(loop.getCond().getArgument(position));
          move(loop.getBody().getArgument(position));
        }
      } else if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
        for (auto [number, result] : llvm::enumerate(op->getResults())) {
          if (!IsRankZeroTensor(result) || carried_on_device_.contains(result)) continue;
          for (mlir::Region& branch : op->getRegions()) {
            mlir::Value value =
                branch.front().getTerminator()->getOperand(static_cast<unsigned>(number));
            if (!Contains(value)) move(result);
          }
        }
      }
    });
  }
}

bool HostScalars::Contains(mlir::Value value) const {
  if (!on_device_) return true;
  llvm::SmallVector<mlir::Value> work{value};
  llvm::DenseSet<mlir::Value> seen;
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    if (!seen.insert(next).second) continue;
    if (!IsRankZeroTensor(next) || carried_on_device_.contains(next)) return false;
    mlir::Operation* op = next.getDefiningOp();
    if (!op) {
      if (llvm::isa<mlir::func::FuncOp>(next.getParentBlock()->getParentOp()))
        return false;
      continue;
    }
    if (llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
                  stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op))
      continue;
    if (!IsScalarOp(op) && !llvm::isa<stablehlo::ReshapeOp>(op)) return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

}  // namespace tenon::compiler
