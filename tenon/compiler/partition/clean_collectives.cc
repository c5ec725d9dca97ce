#include "tenon/compiler/partition/clean_collectives.h"

#include "mlir/IR/OperationSupport.h"
#include "tenon/compiler/partition/device_values.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// Finds slices of which each device takes the part that has its position in a group.
class OwnParts {
 public:
  explicit OwnParts(const stablehlo::ProcessGrid& grid)
      : grid_(grid), values_(grid.partitions) {}

  // The dimension of which `slice`, of the result of `collective`, takes equal parts in
  // the order of the groups; nullopt if it takes anything else on any device.
  std::optional<int64_t> DimOf(stablehlo::DynamicSliceOp slice,
                               mlir::Operation* collective) {
    const llvm::ArrayRef<int64_t> whole = ShapeOf(slice.getOperand()),
                                  part = ShapeOf(slice.getResult());
    std::optional<int64_t> dim;
    for (auto [d, sizes] : llvm::enumerate(llvm::zip_equal(whole, part))) {
      auto [all, taken] = sizes;
      if (all == taken) continue;  // every start is clamped to 0
      if (dim || taken == 0) return std::nullopt;
      dim = static_cast<int64_t>(d);
    }
    if (!dim) return std::nullopt;
    const std::vector<int64_t>* starts =
        values_.Find(slice.getStartIndices()[static_cast<unsigned>(*dim)]);
    auto groups = stablehlo::ProcessGroupsOf(collective, grid_);
    if (!starts || !groups.ok()) return std::nullopt;
    int64_t members = 0;
    for (const stablehlo::ProcessGroup& group : *groups) {
      if (static_cast<int64_t>(group.size()) * part[*dim] != whole[*dim]) {
        return std::nullopt;
      }
      for (auto [position, process] : llvm::enumerate(group)) {
        if ((*starts)[process] != static_cast<int64_t>(position) * part[*dim]) {
          return std::nullopt;
        }
      }
      members += static_cast<int64_t>(group.size());
    }
    // Devices without a group compute something else.
    if (members != grid_.partitions) return std::nullopt;
    return dim;
  }

 private:
  const stablehlo::ProcessGrid grid_;
  DeviceValues values_;
};

// Whether both are in one region, so that they run equally often.
bool RunTogether(mlir::Operation* a, mlir::Operation* b) {
  return a->getBlock() == b->getBlock();
}

// Replaces `reduce`, whose results are only sliced, by scatters of its operand.
void ReplaceReduce(stablehlo::AllReduceOp reduce, OwnParts& parts) {
  if (reduce->getNumOperands() != 1 || reduce->use_empty()) return;
  mlir::Type element = TypeOf(reduce->getOperand(0)).getElementType();
  if (element != TypeOf(reduce->getResult(0)).getElementType()) return;
  std::optional<int64_t> dim;
  for (mlir::Operation* user : reduce->getUsers()) {
    auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(user);
    if (!slice || !RunTogether(slice, reduce)) return;
    std::optional<int64_t> own = parts.DimOf(slice, reduce);
    if (!own || (dim && *dim != *own)) return;
    dim = own;
  }
  mlir::Operation* first = *reduce->getUsers().begin();
  mlir::OpBuilder b(reduce);
  mlir::OperationState state(reduce.getLoc(),
                             stablehlo::ReduceScatterOp::getOperationName());
  state.addOperands(reduce->getOperand(0));
  state.addTypes(first->getResult(0).getType());
  state.addAttributes(reduce->getAttrs());
  state.addAttribute("scatter_dimension", b.getI64IntegerAttr(*dim));
  state.addRegion()->takeBody(reduce.getComputation());
  mlir::Operation* scatter = b.create(state);
  for (mlir::Operation* user : llvm::make_early_inc_range(reduce->getUsers())) {
    user->replaceAllUsesWith(scatter);
    user->erase();
  }
  reduce->erase();
}

// Replaces slices of what the device gave itself.
void ReplaceSlices(stablehlo::AllGatherOp gather, OwnParts& parts) {
  if (gather->getNumOperands() != 1) return;
  for (mlir::Operation* user : llvm::make_early_inc_range(gather->getUsers())) {
    auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(user);
    if (!slice || slice.getType() != gather->getOperand(0).getType()) continue;
    if (parts.DimOf(slice, gather) != static_cast<int64_t>(gather.getAllGatherDim())) {
      continue;
    }
    slice.getResult().replaceAllUsesWith(gather->getOperand(0));
    slice.erase();
  }
  if (gather->use_empty()) gather->erase();
}

// Whether nothing is lost if no device runs the op.
bool MayErase(mlir::Operation* op) {
  return llvm::isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp,
                   stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
                   stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(op);
}

// Replaces collectives of a block by equal ones before them, and erases unused ones.
void ShareCollectives(mlir::Block& block) {
  using mlir::OperationEquivalence;
  constexpr auto kFlags = OperationEquivalence::IgnoreLocations;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<mlir::Operation*, 1>> known;
  for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
    if (!MayErase(&op)) continue;
    const llvm::hash_code hash =
        OperationEquivalence::computeHash(&op, OperationEquivalence::directHashValue,
                                          OperationEquivalence::ignoreHashValue, kFlags);
    llvm::SmallVector<mlir::Operation*, 1>& alike = known[hash];
    auto equal = llvm::find_if(alike, [&](mlir::Operation* other) {
      return OperationEquivalence::isEquivalentTo(&op, other, kFlags);
    });
    if (equal == alike.end()) {
      alike.push_back(&op);
    } else {
      op.replaceAllUsesWith(*equal);
      op.erase();
    }
  }
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (MayErase(&op) && op.use_empty()) op.erase();
  }
}

}  // namespace

void CleanCollectives(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid) {
  llvm::SmallVector<mlir::Block*> blocks;
  function.walk([&](mlir::Block* block) { blocks.push_back(block); });
  for (mlir::Block* block : blocks) ShareCollectives(*block);
  // Positions in groups of several replicas are no partition numbers.
  if (grid.replicas != 1) return;
  llvm::SmallVector<mlir::Operation*> collectives;
  function.walk([&](mlir::Operation* op) {
    if (llvm::isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp>(op)) {
      collectives.push_back(op);
    }
  });
  OwnParts parts(grid);
  for (mlir::Operation* op : collectives) {
    if (auto reduce = llvm::dyn_cast<stablehlo::AllReduceOp>(op)) {
      ReplaceReduce(reduce, parts);
    } else {
      ReplaceSlices(llvm::cast<stablehlo::AllGatherOp>(op), parts);
    }
  }
}

}  // namespace tenon::compiler::partition
