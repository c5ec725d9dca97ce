// Kernels of matrix products, convolutions and Fourier transforms.
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/kernels/products.h"
#include "tenon/compiler/plan/tile_plan.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

template <typename Op>
StatusOr<Op> FindHero(KernelFrame& frame) {
  for (mlir::Operation& op : frame.region())
    if (auto hero = llvm::dyn_cast<Op>(op)) return hero;
  return Internal("the fusion lacks the op it is named for");
}

// Plans the kernel of a product whose second operand is operand `rhs` of the fusion. Adds
// an argument for its packed form if that is worth keeping, and the operand a parameter.
template <typename Op>
Status PlanProduct(KernelFrame& frame, Op op, mlir::Value scratch, int64_t rhs) {
  TENON_ASSIGN_OR_RETURN(const StructuredPlan structured,
                         PlanKernel(frame, *op, scratch));
  const auto* plan = std::get_if<KernelPlan>(&structured.details);
  if (!frame.fusion()->hasAttr(ir::kRhsIsParameterAttr) || !plan ||
      plan->packed_bytes == 0 || !plan->tiles->source.a_is_lhs)
    return OkStatus();
  op.getPackedMutable().assign(
      frame.AddPacked(rhs, plan->packed_bytes, PackedLayout(*plan->tiles)));
  return OkStatus();
}

}  // namespace

Status BuildContractKernel(KernelFrame& frame) {
  TENON_ASSIGN_OR_RETURN(auto dot, FindHero<stablehlo::DotGeneralOp>(frame));
  TENON_ASSIGN_OR_RETURN(int64_t lhs_number, HeroOperand(dot, 0));
  TENON_ASSIGN_OR_RETURN(int64_t rhs_number, HeroOperand(dot, 1));
  TENON_ASSIGN_OR_RETURN(ProductViews views, ViewsOfProduct(dot));
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(dot));
  mlir::Value lhs = frame.AddInput(lhs_number, views.lhs);
  mlir::Value rhs = frame.AddInput(rhs_number, views.rhs);
  AddOtherInputs(frame, dot.getOperation());
  frame.AddOutputs();
  // The scratch size is known once the op exists and can be planned.
  mlir::Value scratch = frame.AddScratch(1);
  auto contract = AddContract(&frame.built().kernel.getBody().front(), frame.loc(), lhs,
                              rhs, scratch, accumulate);
  if (MayRound(dot)) contract->setAttr(kMayRound, mlir::UnitAttr::get(dot.getContext()));
  mlir::Block* block = &contract.getEpilogue().front();
  TENON_RETURN_IF_ERROR(BuildEpilogue(
      frame, block, dot.getResult(),
      [&](IndexBuilder& index) {
        llvm::SmallVector<mlir::Value> indices;
        auto append = [&](int argument, llvm::ArrayRef<int64_t> sizes) {
          mlir::Value iv = block->getArgument(argument);
          index.SetRange(iv, 0, std::max<int64_t>(0, Product(sizes) - 1));
          llvm::append_range(indices, index.Delinearize(iv, sizes));
        };
        append(0, views.batch);
        append(1, views.m);
        append(2, views.n);
        return indices;
      },
      block->getArgument(3)));
  return PlanProduct(frame, contract, scratch, rhs_number);
}

Status BuildConvolutionKernel(KernelFrame& frame) {
  TENON_ASSIGN_OR_RETURN(auto conv, FindHero<stablehlo::ConvolutionOp>(frame));
  TENON_ASSIGN_OR_RETURN(int64_t lhs_number, HeroOperand(conv, 0));
  TENON_ASSIGN_OR_RETURN(int64_t rhs_number, HeroOperand(conv, 1));
  auto numbers = conv.getDimensionNumbers();
  auto permuted = [](mlir::Value tensor, llvm::ArrayRef<int64_t> dims) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(tensor);
    auto strides = RowMajorStrides(shape);
    llvm::SmallVector<int64_t> sizes, steps;
    for (int64_t d : dims) {
      sizes.push_back(shape[d]);
      steps.push_back(strides[d]);
    }
    return StridedView(ElementOf(tensor), sizes, steps);
  };
  llvm::SmallVector<int64_t> input_dims{numbers.getInputBatchDimension()};
  llvm::append_range(input_dims, numbers.getInputSpatialDimensions());
  input_dims.push_back(numbers.getInputFeatureDimension());
  llvm::SmallVector<int64_t> kernel_dims(numbers.getKernelSpatialDimensions());
  kernel_dims.push_back(numbers.getKernelInputFeatureDimension());
  kernel_dims.push_back(numbers.getKernelOutputFeatureDimension());
  llvm::SmallVector<int64_t> output_dims{numbers.getOutputBatchDimension()};
  llvm::append_range(output_dims, numbers.getOutputSpatialDimensions());
  output_dims.push_back(numbers.getOutputFeatureDimension());

  mlir::Value lhs = frame.AddInput(lhs_number, permuted(conv.getLhs(), input_dims));
  mlir::Value rhs = frame.AddInput(rhs_number, permuted(conv.getRhs(), kernel_dims));
  AddOtherInputs(frame, conv.getOperation());
  frame.AddOutputs();
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(conv));
  size_t spatial = numbers.getInputSpatialDimensions().size();
  auto list = [&](std::optional<llvm::ArrayRef<int64_t>> values) {
    if (values && !values->empty()) return llvm::SmallVector<int64_t>(*values);
    return llvm::SmallVector<int64_t>(spatial, 1);
  };
  llvm::SmallVector<int64_t> low(spatial), high(spatial);
  if (auto padding = conv.getPadding()) {
    for (size_t d = 0; d < spatial; ++d) {
      low[d] = padding->getValues<int64_t>()[{d, 0}];
      high[d] = padding->getValues<int64_t>()[{d, 1}];
    }
  }
  llvm::SmallVector<bool> reversal(spatial, false);
  if (auto reversed = conv.getWindowReversal(); reversed && !reversed->empty())
    reversal.assign(reversed->begin(), reversed->end());
  auto output = permuted(conv.getResult(), output_dims);
  auto output_strides = ir::ViewStrides(output);
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame.built().kernel.getBody().front());
  mlir::Value scratch = frame.AddScratch(1);
  auto op = ir::ConvolutionOp::create(
      b, frame.loc(), lhs, rhs, scratch, output.getShape(), output_strides,
      list(conv.getWindowStrides()), low, high, list(conv.getLhsDilation()),
      list(conv.getRhsDilation()), reversal, conv.getFeatureGroupCount(),
      conv.getBatchGroupCount(), accumulate, /*packed=*/mlir::Value());
  if (MayRound(conv)) op->setAttr(kMayRound, b.getUnitAttr());
  mlir::Block* block = b.createBlock(&op.getEpilogue());
  for (size_t d = 0; d < output_dims.size(); ++d)
    block->addArgument(b.getIndexType(), frame.loc());
  mlir::Value value =
      block->addArgument(mlir::RankedTensorType::get({}, accumulate), frame.loc());
  TENON_RETURN_IF_ERROR(BuildEpilogue(
      frame, block, conv.getResult(),
      [&](IndexBuilder& index) {
        llvm::SmallVector<mlir::Value> indices(output_dims.size());
        for (auto [position, dim] : llvm::enumerate(output_dims)) {
          indices[dim] = block->getArgument(position);
          index.SetRange(indices[dim], 0, ShapeOf(conv.getResult())[dim] - 1);
        }
        return indices;
      },
      value));
  return PlanProduct(frame, op, scratch, rhs_number);
}

Status BuildFftKernel(KernelFrame& frame) {
  TENON_ASSIGN_OR_RETURN(auto fft, FindHero<stablehlo::FftOp>(frame));
  TENON_ASSIGN_OR_RETURN(int64_t operand, HeroOperand(fft, 0));
  mlir::Value input = frame.AddInput(operand, ViewTypeOf(fft.getOperand().getType()));
  mlir::Value output = frame.AddOutput(0, ViewTypeOf(fft.getResult().getType()));
  mlir::Value scratch = frame.AddScratch(1);
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame.built().kernel.getBody().front());
  bool inverse = fft.getFftType() == stablehlo::FftType::IFFT ||
                 fft.getFftType() == stablehlo::FftType::IRFFT;
  auto op = ir::FftOp::create(b, frame.loc(), input, output, scratch, fft.getFftLength(),
                              inverse);
  return PlanKernel(frame, *op, scratch).status();
}

}  // namespace tenon::compiler
