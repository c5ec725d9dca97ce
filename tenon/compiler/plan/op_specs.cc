#include "tenon/compiler/plan/op_specs.h"

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

PlainStore PlainStoreOf(mlir::Block& block, llvm::ArrayRef<int64_t> sizes,
                        mlir::Type type) {
  if (!llvm::hasSingleElement(block)) return {};
  auto store = llvm::dyn_cast<ir::StoreOp>(block.front());
  if (!store || store.getMask() || store.getValue() != block.getArguments().back())
    return {};
  auto view = llvm::dyn_cast<mlir::BlockArgument>(store.getView());
  auto stored = llvm::cast<mlir::MemRefType>(store.getView().getType());
  if (!view || view.getOwner() == &block || stored.getElementType() != type) return {};
  auto view_strides = ir::ViewStrides(stored);
  PlainStore plain{view, llvm::SmallVector<int64_t, 6>(sizes.size())};
  llvm::SmallVector<bool, 6> used(sizes.size());
  for (auto [index, stride] : llvm::zip_equal(store.getIndices(), view_strides)) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(index);
    if (!argument || argument.getOwner() != &block) return {};
    unsigned number = argument.getArgNumber();
    if (number >= sizes.size() || used[number]) return {};
    used[number] = true;
    plain.strides[number] = stride;
  }
  for (auto [size, is_used] : llvm::zip_equal(sizes, used))
    if (size != 1 && !is_used) return {};
  return plain;
}

ContractSpec ContractSpecOf(mlir::MemRefType lhs, mlir::MemRefType rhs,
                            mlir::Type accumulate, bool in_chunk) {
  auto lhs_strides = ir::ViewStrides(lhs), rhs_strides = ir::ViewStrides(rhs);
  ContractSpec spec;
  spec.batch = lhs.getDimSize(0);
  spec.m = lhs.getDimSize(1);
  spec.k = lhs.getDimSize(2);
  spec.n = rhs.getDimSize(2);
  spec.lhs_type = ir::ElementTypeOf(lhs.getElementType());
  spec.rhs_type = ir::ElementTypeOf(rhs.getElementType());
  spec.accumulate = ir::ElementTypeOf(accumulate);
  spec.out_type = spec.accumulate;
  spec.lhs = {lhs_strides[0], lhs_strides[1], lhs_strides[2]};
  spec.rhs = {rhs_strides[0], rhs_strides[1], rhs_strides[2]};
  spec.out = {spec.m * spec.n, spec.n, 1};
  spec.has_store = true;
  spec.one_thread = in_chunk;
  return spec;
}

MatrixShape MatrixShapeOf(mlir::Value view) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  auto strides = ir::ViewStrides(type);
  return {type.getDimSize(1), type.getDimSize(2), strides[1], strides[2]};
}

struct LinalgMethod {
  LinalgAlgorithm algorithm;
  bool vectors = false, full = false;
};

LinalgMethod MethodOf(ir::LinalgKind kind) {
  switch (kind) {
    case ir::LinalgKind::kCholesky:
      return {LinalgAlgorithm::kCholesky};
    case ir::LinalgKind::kLu:
    case ir::LinalgKind::kLuPanel:
      return {LinalgAlgorithm::kLu};
    case ir::LinalgKind::kTriangularSolve:
      return {LinalgAlgorithm::kTriangularSolve};
    case ir::LinalgKind::kQr:
      return {LinalgAlgorithm::kQr};
    case ir::LinalgKind::kHouseholderProduct:
      return {LinalgAlgorithm::kHouseholderProduct};
    case ir::LinalgKind::kEigh:
      return {LinalgAlgorithm::kEigh, /*vectors=*/true};
    case ir::LinalgKind::kEigvalsh:
      return {LinalgAlgorithm::kEigh};
    case ir::LinalgKind::kSvd:
      return {LinalgAlgorithm::kSvd, /*vectors=*/true};
    case ir::LinalgKind::kSvdFull:
      return {LinalgAlgorithm::kSvd, /*vectors=*/true, /*full=*/true};
    case ir::LinalgKind::kSvdvals:
      return {LinalgAlgorithm::kSvd};
  }
  llvm_unreachable("all kinds have an algorithm");
}

}  // namespace

ContractSpec SpecInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                         mlir::Type accumulate) {
  return ContractSpecOf(lhs, rhs, accumulate, /*in_chunk=*/true);
}

ContractOpSpec SpecOf(ir::ContractOp op) {
  ContractSpec spec =
      ContractSpecOf(op.getLhs().getType(), op.getRhs().getType(), op.getAccumulate(),
                     !llvm::isa<ir::KernelOp>(op->getParentOp()));
  mlir::Block& epilogue = op.getEpilogue().front();
  PlainStore plain =
      PlainStoreOf(epilogue, {spec.batch, spec.m, spec.n}, op.getAccumulate());
  // Inside a chunk, the scratch was planned before the epilogue existed.
  if (plain.view && !spec.one_thread && (plain.strides[2] == 1 || spec.n == 1)) {
    spec.has_store = false;
    spec.out = {plain.strides[0], plain.strides[1], plain.strides[2]};
  }
  return {spec, plain};
}

ConvOpSpec SpecOf(ir::ConvolutionOp op) {
  mlir::MemRefType input = op.getInput().getType(), kernel = op.getKernel().getType();
  auto input_strides = ir::ViewStrides(input), kernel_strides = ir::ViewStrides(kernel);
  size_t spatial = op.getWindowStrides().size();
  ConvSpec spec;
  spec.batch = input.getDimSize(0);
  spec.input_features = input.getDimSize(spatial + 1);
  spec.output_features = kernel.getDimSize(spatial + 1);
  spec.feature_groups = op.getFeatureGroups();
  spec.batch_groups = op.getBatchGroups();
  for (size_t d = 0; d < spatial; ++d) {
    ConvSpatialDim dim;
    dim.input = input.getDimSize(d + 1);
    dim.window = kernel.getDimSize(d);
    dim.output = op.getOutputSizes()[d + 1];
    dim.stride = op.getWindowStrides()[d];
    dim.padding_low = op.getPaddingLow()[d];
    dim.lhs_dilation = op.getInputDilation()[d];
    dim.rhs_dilation = op.getKernelDilation()[d];
    dim.reversal = op.getReversal()[d];
    dim.lhs_stride = input_strides[d + 1];
    dim.rhs_stride = kernel_strides[d];
    dim.out_stride = op.getOutputStrides()[d + 1];
    spec.spatial.push_back(dim);
  }
  spec.lhs_type = ir::ElementTypeOf(input.getElementType());
  spec.rhs_type = ir::ElementTypeOf(kernel.getElementType());
  spec.accumulate = ir::ElementTypeOf(op.getAccumulate());
  spec.out_type = spec.accumulate;
  spec.lhs_batch_stride = input_strides[0];
  spec.lhs_feature_stride = input_strides[spatial + 1];
  spec.rhs_input_stride = kernel_strides[spatial];
  spec.rhs_output_stride = kernel_strides[spatial + 1];
  spec.out_batch_stride = op.getOutputStrides()[0];
  spec.out_feature_stride = op.getOutputStrides()[spatial + 1];
  mlir::Block& epilogue = op.getEpilogue().front();
  PlainStore plain = PlainStoreOf(epilogue, op.getOutputSizes(), op.getAccumulate());
  spec.has_store = !plain.view;
  if (plain.view) {
    spec.out_batch_stride = plain.strides.front();
    spec.out_feature_stride = plain.strides.back();
    for (size_t d = 0; d < spatial; ++d)
      spec.spatial[d].out_stride = plain.strides[d + 1];
  }
  return {spec, plain};
}

FftSpec SpecOf(ir::FftOp op) {
  mlir::MemRefType input = op.getInput().getType(), output = op.getOutput().getType();
  llvm::ArrayRef<int64_t> lengths = op.getLengths();
  FftSpec spec;
  auto is_complex = [](mlir::ShapedType type) {
    return llvm::isa<mlir::ComplexType>(type.getElementType());
  };
  spec.real = RealType(ir::ElementTypeOf(input.getElementType()));
  if (!is_complex(input)) spec.real_side = RealSide::kInput;
  if (!is_complex(output)) spec.real_side = RealSide::kOutput;
  spec.lengths.assign(lengths.begin(), lengths.end());
  spec.inverse = op.getInverse();
  for (int64_t size : input.getShape().drop_back(lengths.size())) spec.outer *= size;
  return spec;
}

LinalgSpec SpecOf(ir::LinalgOp op) {
  auto type = llvm::cast<mlir::MemRefType>(op.getInputs()[0].getType());
  auto count = [](mlir::Value numbers) {
    return llvm::cast<mlir::MemRefType>(numbers.getType()).getDimSize(1);
  };
  LinalgMethod method = MethodOf(op.getKind());
  LinalgSpec spec;
  spec.algorithm = method.algorithm;
  spec.vectors = method.vectors;
  spec.full = method.full;
  spec.type = ir::ElementTypeOf(type.getElementType());
  spec.batch = type.getDimSize(0);
  spec.a = MatrixShapeOf(op.getInputs()[0]);
  if (spec.algorithm == LinalgAlgorithm::kTriangularSolve)
    spec.b = MatrixShapeOf(op.getInputs()[1]);
  if (spec.algorithm == LinalgAlgorithm::kQr)
    spec.reflections = count(op.getOutputs()[1]);
  if (spec.algorithm == LinalgAlgorithm::kHouseholderProduct)
    spec.reflections = count(op.getInputs()[1]);
  spec.lower = op.getLower();
  spec.unit_diagonal = op.getUnitDiagonal();
  spec.conjugate = op.getConjugate();
  return spec;
}

}  // namespace tenon::compiler
