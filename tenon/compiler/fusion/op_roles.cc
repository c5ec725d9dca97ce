#include "tenon/compiler/fusion/op_roles.h"

#include "tenon/compiler/analysis/batched_lapack.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/analysis/prefix_scan.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

int64_t ElementCountOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

bool IsCheap(mlir::Operation* op) {
  if (!IsElementwise(op)) {
    return llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                     stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::TransposeOp>(
               op) ||
           IsSplatConstant(op);
  }
  return !IsCostly(op);
}

bool IsBroadcast(mlir::Operation* op) {
  if (IsSplatConstant(op) || llvm::isa<stablehlo::IotaOp>(op)) return true;
  if (auto reshape = llvm::dyn_cast<stablehlo::ReshapeOp>(op)) {
    auto iota = reshape.getOperand().getDefiningOp<stablehlo::IotaOp>();
    return iota && TypeOf(iota.getResult()).getRank() == 1;
  }
  auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return broadcast &&
         ElementCountOf(broadcast.getOperand()) < ElementCountOf(op->getResult(0));
}

bool InterleavesColumns(stablehlo::ConcatenateOp op) {
  // Fewer rows are not worth a kernel of their own.
  constexpr int64_t kMinInterleaveRows = 64, kMaxColumns = 4;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getResult());
  mlir::Type element = ElementOf(op.getResult());
  return op.getDimension() + 1 == shape.size() && shape.back() >= 2 &&
         shape.back() <= kMaxColumns && element.isIntOrFloat() &&
         ElementCountOf(op.getResult()) >= kMinInterleaveRows * shape.back();
}

std::optional<ir::FusionKind> HeroKind(mlir::Operation* op) {
  if (llvm::isa<stablehlo::DotGeneralOp>(op)) return ir::FusionKind::kContract;
  if (llvm::isa<stablehlo::ConvolutionOp>(op)) return ir::FusionKind::kConvolution;
  if (llvm::isa<stablehlo::FftOp>(op)) return ir::FusionKind::kFft;
  if (llvm::isa<stablehlo::SortOp>(op)) return ir::FusionKind::kSort;
  if (llvm::isa<ir::CholeskyOp, ir::LuOp, ir::LuPanelOp, stablehlo::TriangularSolveOp>(
          op))
    return ir::FusionKind::kLinalg;
  if (AsBatchedLapack(op)) return ir::FusionKind::kLinalg;
  if (AsPrefixScan(op)) return ir::FusionKind::kScan;
  if (llvm::isa<stablehlo::ScatterOp>(op)) return ir::FusionKind::kScatter;
  if (llvm::isa<stablehlo::SelectAndScatterOp>(op))
    return ir::FusionKind::kSelectAndScatter;
  return std::nullopt;
}

}  // namespace tenon::compiler
