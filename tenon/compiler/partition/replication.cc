#include "tenon/compiler/partition/replication.h"

#include <bit>

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

// Subsets of more axes than this are not compared with the groups of collectives.
constexpr size_t kMaxComparedAxes = 6;

bool IsLoopOrBranch(mlir::Operation& op) {
  return llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
}

// Whether the results depend on nothing but operands and captured values.
bool IsFunctionOfOperands(mlir::Operation& op) {
  return llvm::isa<stablehlo::StableHLODialect>(op.getDialect()) &&
         mlir::isMemoryEffectFree(&op) &&
         !llvm::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp, stablehlo::RngOp,
                    stablehlo::CustomCallOp, stablehlo::CollectivePermuteOp,
                    stablehlo::CollectiveBroadcastOp, stablehlo::AllToAllOp>(op);
}

}  // namespace

Replication::Replication(mlir::func::FuncOp function, llvm::ArrayRef<AxisSet> arguments,
                         MeshCode& code)
    : code_(code) {
  const size_t count = code.mesh().sizes.size();
  all_ = count >= kMaxAxes ? ~AxisSet{0} : (AxisSet{1} << count) - 1;
  for (auto [argument, set] : llvm::zip_equal(function.getArguments(), arguments)) {
    sets_[argument] = set & all_;
  }
  Run(function.getBody().front());
}

Replication::AxisSet Replication::VariesAlong(mlir::Value value) const {
  auto found = sets_.find(value);
  return found == sets_.end() ? all_ : found->second;
}

bool Replication::Add(mlir::Value value, AxisSet axes) {
  AxisSet& set = sets_[value];
  const AxisSet before = set;
  set |= axes;
  return set != before;
}

std::optional<Replication::AxisSet> Replication::AxesOf(mlir::Operation* collective) {
  const auto groups =
      collective->getAttrOfType<mlir::DenseIntElementsAttr>("replica_groups");
  const size_t count = code_.mesh().sizes.size();
  if (!groups || count > kMaxComparedAxes) return std::nullopt;
  auto [known, is_new] = groups_.try_emplace(groups);
  if (!is_new) return known->second;
  for (AxisSet set = 1; set < AxisSet{1} << count; ++set) {
    Axes axes;
    for (size_t axis = 0; axis < count; ++axis) {
      if (set >> axis & 1) {
        AppendAxis(axes, code_.mesh().WholeAxis(static_cast<int32_t>(axis)));
      }
    }
    if (code_.GlobalGroups(axes) == groups) known->second = set;
  }
  return known->second;
}

Replication::AxisSet Replication::ResultsOf(mlir::Operation& op) {
  AxisSet set = IsFunctionOfOperands(op) ? 0 : all_;
  for (mlir::Value operand : op.getOperands()) set |= VariesAlong(operand);
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op.getRegions(), captured);
  for (mlir::Value value : captured) set |= VariesAlong(value);
  if (llvm::isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp>(op)) {
    set &= ~AxesOf(&op).value_or(0);
  } else if (llvm::isa<stablehlo::ReduceScatterOp>(op)) {
    set |= AxesOf(&op).value_or(all_);
  }
  return set;
}

void Replication::Run(mlir::Block& block) {
  for (mlir::Operation& op : block) Run(op);
}

// The carried values until nothing changes: sets only grow.
void Replication::RunLoop(mlir::Operation& op) {
  auto loop = llvm::cast<stablehlo::WhileOp>(op);
  mlir::Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  const auto carry = [&](mlir::ValueRange values) {
    bool changed = false;
    for (auto [i, value] : llvm::enumerate(values)) {
      const AxisSet set = VariesAlong(value);
      changed |= Add(condition.getArgument(i), set);
      changed |= Add(body.getArgument(i), set);
      changed |= Add(op.getResult(i), set);
    }
    return changed;
  };
  carry(op.getOperands());
  do {
    Run(condition);
    Run(body);
    // Devices that leave the loop at different times have different values.
    const AxisSet leaves = VariesAlong(condition.getTerminator()->getOperand(0));
    for (mlir::Value result : op.getResults()) Add(result, leaves);
  } while (carry(body.getTerminator()->getOperands()));
}

void Replication::Run(mlir::Operation& op) {
  if (llvm::isa<stablehlo::WhileOp>(op)) return RunLoop(op);
  if (!IsLoopOrBranch(op)) {
    if (op.getNumResults() == 0) return;
    const AxisSet set = ResultsOf(op);
    for (mlir::Value result : op.getResults()) Add(result, set);
    return;
  }
  const AxisSet chosen = VariesAlong(op.getOperand(0));
  for (mlir::Region& region : op.getRegions()) {
    Run(region.front());
    for (auto [result, value] : llvm::zip_equal(
             op.getResults(), region.front().getTerminator()->getOperands())) {
      Add(result, chosen | VariesAlong(value));
    }
  }
}

}  // namespace tenon::compiler::partition
