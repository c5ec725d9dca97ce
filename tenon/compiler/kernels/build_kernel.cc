#include "tenon/compiler/kernels/build_kernel.h"

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

StatusOr<BuiltKernel> BuildKernel(ir::FusionOp fusion, llvm::StringRef name,
                                  const codegen::TargetTraits& target,
                                  mlir::OpBuilder& b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  KernelFrame frame(fusion, name, b);
  llvm::StringRef kind = fusion.getKind();
  // Nothing to compute: a kernel without phases, which takes no arguments.
  bool empty = llvm::all_of(fusion.getOutputs().getTypes(), [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).getNumElements() == 0;
  });
  if (empty) return std::move(frame.built());
  Status status = Internal("unknown kind of fusion: " + kind.str());
  if (kind == "loop") status = BuildLoopKernel(frame);
  if (kind == "rounds") status = BuildRoundsKernel(frame, target);
  if (kind == "concatenate") status = BuildConcatenateKernel(frame);
  if (kind == "scan") status = BuildScanKernel(frame);
  if (kind == "update_slice") status = BuildUpdateSliceKernel(frame);
  if (kind == "scatter") status = BuildScatterKernel(frame);
  if (kind == "select_and_scatter") status = BuildSelectAndScatterKernel(frame);
  if (kind == "contract") status = BuildContractKernel(frame, target);
  if (kind == "attention") status = BuildAttentionKernel(frame, target);
  if (kind == "convolution") status = BuildConvolutionKernel(frame, target);
  if (kind == "fft") status = BuildFftKernel(frame, target);
  if (kind == "linalg") status = BuildLinalgKernel(frame, target);
  if (kind == "sort") status = BuildSortKernel(frame, target);
  TENON_RETURN_IF_ERROR(status);
  return std::move(frame.built());
}

}  // namespace tenon::compiler
