#include "tenon/compiler/fusion/op_roles.h"

#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"
#include "tenon/compiler/dialects/tenon/tensor_types.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/compiler/kernels/batched_lapack.h"
#include "tenon/compiler/kernels/point_ops.h"
#include "tenon/compiler/kernels/prefix_scan.h"

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

bool IsSpread(mlir::Operation* op) {
  if (IsSplatConstant(op) || llvm::isa<stablehlo::IotaOp>(op)) return true;
  auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return broadcast &&
         ElementCountOf(broadcast.getOperand()) < ElementCountOf(op->getResult(0));
}

std::optional<llvm::StringRef> HeroKind(mlir::Operation* op) {
  if (llvm::isa<stablehlo::DotGeneralOp>(op)) return kContractFusion;
  if (llvm::isa<stablehlo::ConvolutionOp>(op)) return kConvolutionFusion;
  if (llvm::isa<stablehlo::FftOp>(op)) return kFftFusion;
  if (llvm::isa<stablehlo::SortOp>(op)) return kSortFusion;
  if (llvm::isa<ir::CholeskyOp, ir::LuOp, stablehlo::TriangularSolveOp>(op))
    return kLinalgFusion;
  if (AsBatchedLapack(op)) return kLinalgFusion;
  if (AsPrefixScan(op)) return kScanFusion;
  if (llvm::isa<stablehlo::ScatterOp>(op)) return kScatterFusion;
  if (llvm::isa<stablehlo::SelectAndScatterOp>(op)) return kSelectAndScatterFusion;
  return std::nullopt;
}

bool IsScalarOp(mlir::Operation* op) {
  if (op->getNumResults() != 1) return false;
  if (!IsRankZero(op->getResult(0).getType())) return false;
  if (IsSplatConstant(op)) return true;
  return llvm::all_of(op->getOperandTypes(), IsRankZero) && IsElementwise(op);
}

}  // namespace tenon::compiler
