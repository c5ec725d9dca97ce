// Matrix products and convolutions with what follows them fused.
#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {
namespace {

template <typename Op>
StatusOr<Op> FindHero(KernelFrame& frame) {
  for (mlir::Operation& op : frame.region())
    if (auto hero = llvm::dyn_cast<Op>(op)) return hero;
  return Internal("the fusion lacks the op it is named for");
}

// The type in which products of `type` are summed.
mlir::Type AccumulateTypeOf(mlir::Type type) {
  ElementType element = codegen::AccumulateType(ir::ElementTypeOf(type));
  return ir::MlirTypeOf(element, type.getContext());
}

// Several dimensions seen as one: its size and stride, if they lie one behind the other.
struct Group {
  int64_t size = 1;
  int64_t stride = 0;
};
std::optional<Group> Collapse(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> strides) {
  Group group;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t dim = dims[i];
    if (shape[dim] == 1) continue;
    if (group.size == 1)
      group.stride = strides[dim];
    else if (strides[dim] != group.stride * group.size)
      return std::nullopt;
    group.size *= shape[dim];
  }
  return group;
}

// Stores the results at the point whose hero value is `accumulated`.
Status BuildEpilogue(
    KernelFrame& frame, mlir::Block* block, mlir::Value hero,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(IndexBuilder&)> indices_of,
    mlir::Value accumulated) {
  KernelBlock epilogue(frame, block);
  auto indices = indices_of(epilogue.index());
  mlir::Value value = accumulated;
  mlir::RankedTensorType type = ScalarTypeOf(hero);
  if (value.getType() != type) {
    mlir::OpBuilder b = epilogue.levels().InnermostBuilder();
    value = stablehlo::ConvertOp::create(b, frame.loc(), type, value);
  }
  epilogue.points().BindPoint(hero, indices, value);
  return StoreResults(frame, epilogue.points(), indices);
}

// Adds the operands of `hero` as views of their own, the others as they are.
void AddOtherInputs(KernelFrame& frame, mlir::Operation* hero) {
  for (mlir::BlockArgument argument : frame.region().getArguments()) {
    bool elsewhere = llvm::any_of(argument.getUsers(),
                                  [&](mlir::Operation* user) { return user != hero; });
    if (!elsewhere) continue;
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!tensor) continue;
    mlir::Type type =
        tensor.getRank() == 0 ? mlir::Type(tensor) : mlir::Type(ViewTypeOf(tensor));
    int64_t number = argument.getArgNumber();
    frame.BindInput(number, frame.AddInput(number, type));
  }
}

StatusOr<int64_t> HeroOperand(mlir::Operation* hero, unsigned number) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(hero->getOperand(number));
  if (!argument)
    return Internal("operands of a product must come from outside its fusion");
  return static_cast<int64_t>(argument.getArgNumber());
}

}  // namespace

Status BuildContractKernel(KernelFrame& frame, const codegen::TargetTraits& target) {
  TENON_ASSIGN_OR_RETURN(auto dot, FindHero<stablehlo::DotGeneralOp>(frame));
  TENON_ASSIGN_OR_RETURN(int64_t lhs_number, HeroOperand(dot, 0));
  TENON_ASSIGN_OR_RETURN(int64_t rhs_number, HeroOperand(dot, 1));
  auto numbers = dot.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs_shape = ShapeOf(dot.getLhs()),
                          rhs_shape = ShapeOf(dot.getRhs());
  auto lhs_strides = RowMajorStrides(lhs_shape), rhs_strides = RowMajorStrides(rhs_shape);
  auto free_dims = [](llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> batch,
                      llvm::ArrayRef<int64_t> contracting) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
        dims.push_back(d);
    return dims;
  };
  auto lhs_free = free_dims(lhs_shape, numbers.getLhsBatchingDimensions(),
                            numbers.getLhsContractingDimensions());
  auto rhs_free = free_dims(rhs_shape, numbers.getRhsBatchingDimensions(),
                            numbers.getRhsContractingDimensions());
  auto lhs_b = Collapse(numbers.getLhsBatchingDimensions(), lhs_shape, lhs_strides);
  auto lhs_m = Collapse(lhs_free, lhs_shape, lhs_strides);
  auto lhs_k = Collapse(numbers.getLhsContractingDimensions(), lhs_shape, lhs_strides);
  auto rhs_b = Collapse(numbers.getRhsBatchingDimensions(), rhs_shape, rhs_strides);
  auto rhs_k = Collapse(numbers.getRhsContractingDimensions(), rhs_shape, rhs_strides);
  auto rhs_n = Collapse(rhs_free, rhs_shape, rhs_strides);
  if (!lhs_b || !lhs_m || !lhs_k || !rhs_b || !rhs_k || !rhs_n)
    return Internal("dot_general was not brought to collapsible dimensions");

  mlir::Type accumulate = AccumulateTypeOf(ElementOf(dot));
  auto lhs_type =
      StridedView(ElementOf(dot.getLhs()), {lhs_b->size, lhs_m->size, lhs_k->size},
                  {lhs_b->stride, lhs_m->stride, lhs_k->stride});
  auto rhs_type =
      StridedView(ElementOf(dot.getRhs()), {rhs_b->size, rhs_k->size, rhs_n->size},
                  {rhs_b->stride, rhs_k->stride, rhs_n->stride});
  mlir::Value lhs = frame.AddInput(lhs_number, lhs_type);
  mlir::Value rhs = frame.AddInput(rhs_number, rhs_type);
  AddOtherInputs(frame, dot);
  frame.AddOutputs();
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame.built().kernel.getBody().front());
  // Scratch is known once the op is there to be planned.
  mlir::Value scratch = frame.AddScratch(1);
  auto contract = ir::ContractOp::create(b, frame.loc(), lhs, rhs, scratch, accumulate);
  mlir::Block* block = b.createBlock(&contract.getEpilogue());
  for (int i = 0; i < 3; ++i) block->addArgument(b.getIndexType(), frame.loc());
  mlir::Value value =
      block->addArgument(mlir::RankedTensorType::get({}, accumulate), frame.loc());

  llvm::SmallVector<int64_t> batch_sizes, m_sizes, n_sizes;
  for (int64_t d : numbers.getLhsBatchingDimensions())
    batch_sizes.push_back(lhs_shape[d]);
  for (int64_t d : lhs_free) m_sizes.push_back(lhs_shape[d]);
  for (int64_t d : rhs_free) n_sizes.push_back(rhs_shape[d]);
  TENON_RETURN_IF_ERROR(BuildEpilogue(
      frame, block, dot.getResult(),
      [&](IndexBuilder& index) {
        llvm::SmallVector<mlir::Value> indices;
        auto append = [&](int argument, llvm::ArrayRef<int64_t> sizes) {
          mlir::Value iv = block->getArgument(argument);
          index.SetRange(iv, 0, std::max<int64_t>(0, Product(sizes) - 1));
          llvm::append_range(indices, index.Delinearize(iv, sizes));
        };
        append(0, batch_sizes);
        append(1, m_sizes);
        append(2, n_sizes);
        return indices;
      },
      value));
  return PlanKernel(frame, *contract, scratch, target);
}

Status BuildConvolutionKernel(KernelFrame& frame, const codegen::TargetTraits& target) {
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
  AddOtherInputs(frame, conv);
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
      conv.getBatchGroupCount(), accumulate);
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
  return PlanKernel(frame, *op, scratch, target);
}

Status BuildFftKernel(KernelFrame& frame, const codegen::TargetTraits& target) {
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
  return PlanKernel(frame, *op, scratch, target);
}

}  // namespace tenon::compiler
