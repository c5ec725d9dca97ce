#include "tenon/compiler/partition/split_updates.h"

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/partition/part_builder.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

// An all_reduce of fewer elements stays: a second collective would cost more than the
// ops (measured: bench mlp_784x1024x1024x10_data, with its bias of 1,024).
constexpr int64_t kMinElements = int64_t{1} << 16;

// An all_reduce and what is computed from it.
struct Update {
  stablehlo::AllReduceOp reduce;
  llvm::SmallVector<mlir::Operation*> ops;  // in order
  mlir::Value result;                       // the only value that others use
  int64_t dim;                              // that is split
  Axes axes;                                // of the groups
};

// The same element of all operands: splats and broadcast scalars have no position.
bool IsSplat(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op) return false;
  auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return IsSplatConstant(op) || (broadcast && ShapeOf(broadcast.getOperand()).empty());
}

class UpdateSplitter {
 public:
  UpdateSplitter(Replication& replication, MeshCode& code)
      : replication_(replication), code_(code) {}

  void Run(stablehlo::AllReduceOp reduce) {
    if (std::optional<Update> update = Find(reduce)) Split(*update);
  }

 private:
  // Whether `op` computes elements from those at the same place in `known` values and in
  // values that are equal along `axes`.
  bool Continues(mlir::Operation* op, const Update& update, Replication::AxisSet axes,
                 const llvm::SmallPtrSetImpl<mlir::Operation*>& known) const {
    if (op->getBlock() != update.reduce->getBlock() || op->getNumResults() != 1 ||
        op->getNumRegions() != 0 || !IsElementwise(op)) {
      return false;
    }
    const llvm::ArrayRef<int64_t> shape = ShapeOf(update.reduce->getResult(0));
    if (ShapeOf(op->getResult(0)) != shape) return false;
    return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
      if (mlir::Operation* from = operand.getDefiningOp(); from && known.contains(from)) {
        return true;
      }
      return (ShapeOf(operand).empty() || ShapeOf(operand) == shape) &&
             (replication_.VariesAlong(operand) & axes) == 0;
    });
  }

  std::optional<Update> Find(stablehlo::AllReduceOp reduce) {
    if (reduce->getNumOperands() != 1) return std::nullopt;
    const mlir::RankedTensorType type = TypeOf(reduce->getResult(0));
    if (type.getNumElements() < kMinElements ||
        type.getElementType() != TypeOf(reduce->getOperand(0)).getElementType()) {
      return std::nullopt;
    }
    const std::optional<Replication::AxisSet> axes = replication_.AxesOf(reduce);
    if (!axes) return std::nullopt;
    Update update{reduce, {}, {}, -1, {}};
    for (size_t axis = 0; axis < code_.mesh().sizes.size(); ++axis) {
      if (*axes >> axis & 1) {
        AppendAxis(update.axes, code_.mesh().WholeAxis(static_cast<int32_t>(axis)));
      }
    }
    const int64_t shards = SizeOf(update.axes);
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (size % shards != 0) continue;
      update.dim = static_cast<int64_t>(dim);
      break;
    }
    if (update.dim < 0) return std::nullopt;
    llvm::SmallPtrSet<mlir::Operation*, 8> known = {reduce};
    for (mlir::Operation* op = reduce->getNextNode(); op; op = op->getNextNode()) {
      const bool reads = llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
        mlir::Operation* from = operand.getDefiningOp();
        return from && known.contains(from);
      });
      if (!reads || !Continues(op, update, *axes, known)) continue;
      known.insert(op);
      update.ops.push_back(op);
    }
    // Gathering several values would take more bytes.
    for (mlir::Operation* op : known) {
      const bool escapes = llvm::any_of(
          op->getUsers(), [&](mlir::Operation* user) { return !known.contains(user); });
      if (!escapes) continue;
      if (update.result) return std::nullopt;
      update.result = op->getResult(0);
    }
    const bool is_sum = update.result && update.result != reduce->getResult(0);
    return is_sum ? std::optional(std::move(update)) : std::nullopt;
  }

  // The device's part of a value that has the elements of the all_reduce.
  mlir::Value PartOf(PartBuilder& p, const Update& update, mlir::Value value) {
    if (ShapeOf(value).empty()) return value;
    const int64_t part = ShapeOf(value)[update.dim] / SizeOf(update.axes);
    if (!IsSplat(value)) {
      return p.Slice(value, update.dim, code_.ShardOffset(update.axes, part), part,
                     code_.Constant(0));
    }
    llvm::SmallVector<int64_t> shape(ShapeOf(value));
    shape[update.dim] = part;
    mlir::Operation* op = p.builder().clone(*value.getDefiningOp());
    auto type = TypeOf(value).clone(shape);
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
      auto splat = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(splat.resizeSplat(type));
    }
    op->getResult(0).setType(type);
    return op->getResult(0);
  }

  void Split(Update& update) {
    mlir::OpBuilder b(update.reduce);
    const mlir::RankedTensorType whole = TypeOf(update.reduce->getResult(0));
    llvm::SmallVector<int64_t> shape(whole.getShape());
    shape[update.dim] /= SizeOf(update.axes);
    mlir::OperationState scatter(update.reduce.getLoc(),
                                 stablehlo::ReduceScatterOp::getOperationName());
    scatter.addOperands(update.reduce->getOperand(0));
    scatter.addTypes(whole.clone(shape));
    scatter.addAttributes(update.reduce->getAttrs());
    scatter.addAttribute("scatter_dimension", b.getI64IntegerAttr(update.dim));
    mlir::Region* region = scatter.addRegion();
    mlir::IRMapping mapping;
    update.reduce.getComputation().cloneInto(region, mapping);
    mapping.map(update.reduce->getResult(0), b.create(scatter)->getResult(0));
    for (mlir::Operation* op : update.ops) {
      b.setInsertionPoint(op);
      PartBuilder p(b, op->getLoc());
      for (mlir::Value operand : op->getOperands()) {
        if (!mapping.contains(operand)) mapping.map(operand, PartOf(p, update, operand));
      }
      mlir::Value part = b.clone(*op, mapping)->getResult(0);
      part.setType(TypeOf(part).clone(shape));
    }
    mlir::Value part = mapping.lookup(update.result);
    b.setInsertionPointAfterValue(part);
    mlir::OperationState gather(update.reduce.getLoc(),
                                stablehlo::AllGatherOp::getOperationName());
    gather.addOperands(part);
    gather.addTypes(update.result.getType());
    for (llvm::StringRef name :
         {"replica_groups", "use_global_device_ids", "channel_handle"}) {
      if (mlir::Attribute attribute = update.reduce->getAttr(name)) {
        gather.addAttribute(name, attribute);
      }
    }
    gather.addAttribute("all_gather_dim", b.getI64IntegerAttr(update.dim));
    update.result.replaceAllUsesWith(b.create(gather)->getResult(0));
    for (mlir::Operation* op : llvm::reverse(update.ops)) op->erase();
    update.reduce->erase();
  }

  Replication& replication_;
  MeshCode& code_;
};

// Puts transposes and reshapes of the sum before it, where products absorb them.
void MoveLayoutBefore(stablehlo::AllReduceOp reduce) {
  if (reduce->getNumOperands() != 1) return;
  while (reduce->hasOneUse()) {
    mlir::Operation* user = *reduce->getUsers().begin();
    if (!llvm::isa<stablehlo::TransposeOp, stablehlo::ReshapeOp>(user) ||
        user->getBlock() != reduce->getBlock()) {
      return;
    }
    const mlir::Type element = TypeOf(reduce->getOperand(0)).getElementType();
    if (element != TypeOf(user->getResult(0)).getElementType()) return;
    user->moveBefore(reduce);
    user->setOperand(0, reduce->getOperand(0));
    user->getResult(0).replaceAllUsesWith(reduce->getResult(0));
    reduce->setOperand(0, user->getResult(0));
    reduce->getResult(0).setType(user->getResult(0).getType());
  }
}

}  // namespace

void SplitUpdates(mlir::func::FuncOp function,
                  llvm::ArrayRef<Replication::AxisSet> arguments, MeshCode& code) {
  llvm::SmallVector<stablehlo::AllReduceOp> reductions;
  function.walk([&](stablehlo::AllReduceOp op) { reductions.push_back(op); });
  if (reductions.empty()) return;
  for (stablehlo::AllReduceOp op : reductions) MoveLayoutBefore(op);
  Replication replication(function, arguments, code);
  UpdateSplitter splitter(replication, code);
  for (stablehlo::AllReduceOp op : reductions) splitter.Run(op);
}

}  // namespace tenon::compiler::partition
