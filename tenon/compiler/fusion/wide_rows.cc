#include "tenon/compiler/fusion/wide_rows.h"

#include "mlir/IR/Builders.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

bool IsNarrow(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && (type.getElementType().isF16() || type.getElementType().isBF16());
}

class RowWidener {
 public:
  explicit RowWidener(ir::FusionOp fusion) : block_(fusion.getBody().front()) {}

  void Run() {
    if (!FindRows() || !llvm::all_of(rows_, CanWiden)) return;
    for (mlir::Operation& op : llvm::make_early_inc_range(block_.without_terminator())) {
      if (rows_.contains(&op))
        Widen(&op);
      else if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op))
        Narrow(dot);
    }
    mlir::Operation* yield = block_.getTerminator();
    auto types = yield->getParentOp()->getResultTypes();
    mlir::OpBuilder b(yield);
    for (auto [operand, type] : llvm::zip_equal(yield->getOpOperands(), types))
      if (operand.get().getType() != type)
        operand.set(
            stablehlo::ConvertOp::create(b, yield->getLoc(), type, operand.get()));
  }

 private:
  // Finds the products that compute scores, the ops between those and the other products,
  // and the ops that these depend on. False if other ops use their results, too.
  bool FindRows() {
    llvm::SmallVector<mlir::Operation*> work;
    for (mlir::Operation& op : block_.without_terminator()) {
      bool is_product = llvm::isa<stablehlo::DotGeneralOp>(op);
      bool of_rows = llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
        return rows_.contains(operand.getDefiningOp());
      });
      if (is_product != of_rows && rows_.insert(&op).second) work.push_back(&op);
    }
    while (!work.empty()) {
      for (mlir::Value operand : work.pop_back_val()->getOperands()) {
        mlir::Operation* def = operand.getDefiningOp();
        if (def && def->getNumOperands() > 0 && rows_.insert(def).second)
          work.push_back(def);
      }
    }
    return llvm::all_of(rows_, [&](mlir::Operation* op) {
      return llvm::all_of(op->getUsers(), [&](mlir::Operation* user) {
        return rows_.contains(user) ||
               llvm::isa<stablehlo::DotGeneralOp, ir::YieldOp>(user);
      });
    });
  }

  static bool CanWiden(mlir::Operation* op) {
    if (llvm::none_of(op->getOperands(), IsNarrow) &&
        llvm::none_of(op->getResults(), IsNarrow))
      return true;
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      return llvm::all_of(reduce.getBody().front(), [](mlir::Operation& inner) {
        return llvm::isa<stablehlo::ReturnOp>(inner) ||
               (IsElementwise(&inner) && !llvm::isa<stablehlo::CompositeOp>(inner));
      });
    }
    if (llvm::isa<stablehlo::CompositeOp, stablehlo::BitcastConvertOp>(op)) return false;
    return IsElementwise(op) ||
           llvm::isa<stablehlo::DotGeneralOp, stablehlo::BroadcastInDimOp,
                     stablehlo::ReshapeOp>(op);
  }

  static mlir::Type Wide(mlir::Type type) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    return tensor.clone(mlir::Float32Type::get(type.getContext()));
  }
  static void WidenTypes(mlir::ValueRange values) {
    for (mlir::Value value : values)
      if (IsNarrow(value)) value.setType(Wide(value.getType()));
  }

  static void Widen(mlir::Operation* op) {
    WidenTypes(op->getResults());
    if (llvm::isa<stablehlo::DotGeneralOp>(op)) return;
    if (llvm::isa<stablehlo::ConvertOp>(op) &&
        op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
      return;
    }
    mlir::OpBuilder b(op);
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      if (!IsNarrow(operand.get())) continue;
      mlir::Type type = Wide(operand.get().getType());
      operand.set(stablehlo::ConvertOp::create(b, op->getLoc(), type, operand.get()));
    }
    for (mlir::Region& region : op->getRegions()) {
      WidenTypes(region.getArguments());
      for (mlir::Operation& inner : region.front()) WidenTypes(inner.getResults());
    }
  }

  // Converts the operands of a product of weights to the type of the other operand.
  void Narrow(stablehlo::DotGeneralOp dot) {
    for (unsigned number : {0u, 1u}) {
      mlir::Value weights = dot->getOperand(number), other = dot->getOperand(1 - number);
      if (!weights.getDefiningOp() || ElementOf(weights) == ElementOf(other)) continue;
      mlir::Value& narrow = narrowed_[weights];
      auto type = TypeOf(weights).clone(ElementOf(other));
      mlir::OpBuilder b(dot);
      if (!narrow || narrow.getType() != type)
        narrow = stablehlo::ConvertOp::create(b, dot.getLoc(), type, weights);
      dot->setOperand(number, narrow);
    }
  }

  mlir::Block& block_;
  llvm::DenseSet<mlir::Operation*> rows_;
  llvm::DenseMap<mlir::Value, mlir::Value> narrowed_;
};

}  // namespace

void WidenRows(ir::FusionOp fusion) { RowWidener(fusion).Run(); }

}  // namespace tenon::compiler
