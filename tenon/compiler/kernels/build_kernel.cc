#include "tenon/compiler/kernels/build_kernel.h"

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {
namespace {

// One builder for each kind. The compiler warns if a kind has none.
Status Fill(KernelFrame& frame, ir::FusionKind kind) {
  switch (kind) {
    case ir::FusionKind::kLoop:
      return BuildLoopKernel(frame);
    case ir::FusionKind::kInterchangedLoop:
      return BuildInterchangedLoopKernel(frame);
    case ir::FusionKind::kContract:
      return BuildContractKernel(frame);
    case ir::FusionKind::kAttention:
      return BuildAttentionKernel(frame);
    case ir::FusionKind::kConvolution:
      return BuildConvolutionKernel(frame);
    case ir::FusionKind::kFft:
      return BuildFftKernel(frame);
    case ir::FusionKind::kSort:
      return BuildSortKernel(frame);
    case ir::FusionKind::kLinalg:
      return BuildLinalgKernel(frame);
    case ir::FusionKind::kScan:
      return BuildScanKernel(frame);
    case ir::FusionKind::kConcatenate:
      return BuildConcatenateKernel(frame);
    case ir::FusionKind::kScatter:
      return BuildScatterKernel(frame);
    case ir::FusionKind::kUpdateSlice:
      return BuildUpdateSliceKernel(frame);
    case ir::FusionKind::kSelectAndScatter:
      return BuildSelectAndScatterKernel(frame);
  }
  return Internal("unknown kind of fusion");
}

}  // namespace

StatusOr<BuiltKernel> BuildKernel(ir::FusionOp fusion, llvm::StringRef name,
                                  const TargetTraits& target, mlir::OpBuilder& b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  KernelFrame frame(fusion, name, target, b);
  // If there is nothing to compute, the kernel has no phases and no arguments.
  bool empty = llvm::all_of(fusion.getOutputs().getTypes(), [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).getNumElements() == 0;
  });
  if (empty) return std::move(frame.built());
  TENON_RETURN_IF_ERROR(Fill(frame, fusion.getKind()));
  return std::move(frame.built());
}

}  // namespace tenon::compiler
