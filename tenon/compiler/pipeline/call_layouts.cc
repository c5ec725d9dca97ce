#include "tenon/compiler/pipeline/call_layouts.h"

#include "tenon/compiler/analysis/batched_lapack.h"
#include "tenon/compiler/buffer_assignment/ffi_calls.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using Order = llvm::SmallVector<int64_t>;

// Returns the dimensions of a tensor, outermost first, or nullopt if it is row-major or
// has no layout.
std::optional<Order> OrderOf(mlir::Type type, mlir::ArrayAttr layouts, size_t number) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || number >= layouts.size())
    return std::nullopt;
  auto layout = llvm::dyn_cast<mlir::DenseIntElementsAttr>(layouts[number]);
  if (!layout || layout.getNumElements() != tensor.getRank()) return std::nullopt;
  Order order;
  for (const llvm::APInt& dim : layout.getValues<llvm::APInt>())
    order.push_back(dim.getSExtValue());
  std::reverse(order.begin(), order.end());
  if (llvm::is_sorted(order)) return std::nullopt;
  return order;
}

Order Inverse(const Order& order) {
  Order position(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) position[dim] = i;
  return position;
}

mlir::RankedTensorType MemoryType(mlir::Type type, const Order& order) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : order) shape.push_back(tensor.getDimSize(dim));
  return mlir::RankedTensorType::get(shape, tensor.getElementType());
}

// Transposes `value`. If it is itself the inverse transpose, returns that transpose's
// operand: a call may read the factors that another call has computed.
mlir::Value Transposed(mlir::OpBuilder& b, mlir::Value value, const Order& order) {
  auto transpose = value.getDefiningOp<stablehlo::TransposeOp>();
  if (transpose && llvm::equal(transpose.getPermutation(), Inverse(order)))
    return transpose.getOperand();
  return stablehlo::TransposeOp::create(b, value.getLoc(),
                                        MemoryType(value.getType(), order), value,
                                        b.getDenseI64ArrayAttr(order));
}

void ApplyLayouts(stablehlo::CustomCallOp call) {
  auto operand_layouts = call.getOperandLayouts(),
       result_layouts = call.getResultLayouts();
  if (!operand_layouts || !result_layouts) return;
  mlir::OpBuilder b(call);
  for (mlir::OpOperand& operand : call->getOpOperands()) {
    auto order =
        OrderOf(operand.get().getType(), *operand_layouts, operand.getOperandNumber());
    if (order) operand.set(Transposed(b, operand.get(), *order));
  }
  b.setInsertionPointAfter(call);
  for (mlir::OpResult result : call->getResults()) {
    mlir::Type type = result.getType();
    auto order = OrderOf(type, *result_layouts, result.getResultNumber());
    if (!order) continue;
    result.setType(MemoryType(type, *order));
    if (result.use_empty()) continue;
    auto row_major = stablehlo::TransposeOp::create(
        b, call.getLoc(), type, result, b.getDenseI64ArrayAttr(Inverse(*order)));
    result.replaceAllUsesExcept(row_major, row_major);
  }
  call->setAttr(kTypesInMemoryOrder, b.getUnitAttr());
}

}  // namespace

void ApplyCallLayouts(mlir::func::FuncOp entry) {
  llvm::SmallVector<stablehlo::CustomCallOp> calls;
  entry.walk([&](stablehlo::CustomCallOp call) {
    if (!AsBatchedLapack(call)) calls.push_back(call);
  });
  for (stablehlo::CustomCallOp call : calls) ApplyLayouts(call);
  // Erases transposes of results that only later calls had used.
  for (stablehlo::CustomCallOp call : calls) {
    for (mlir::Operation* user : llvm::make_early_inc_range(call->getUsers()))
      if (llvm::isa<stablehlo::TransposeOp>(user) && user->use_empty()) user->erase();
  }
}

}  // namespace tenon::compiler
