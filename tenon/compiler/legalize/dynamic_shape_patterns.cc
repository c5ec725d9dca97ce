// Rewrites ops with sizes as operands to their static forms, if the sizes are constants.
#include "mlir/IR/Matchers.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

bool IsStatic(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

std::optional<DimList> ConstantDims(Value value) {
  mlir::DenseIntElementsAttr attr;
  if (!mlir::matchPattern(value, mlir::m_Constant(&attr))) return std::nullopt;
  DimList dims;
  for (const llvm::APInt& number : attr.getValues<llvm::APInt>())
    dims.push_back(number.getSExtValue());
  return dims;
}

// If the result's shape is static, the shape operand is redundant.
LogicalResult RewriteBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                               PatternRewriter& rewriter) {
  if (!IsStatic(op.getResult()) || !IsStatic(op.getOperand())) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
      op, op.getType(), op.getOperand(), op.getBroadcastDimensions());
  return mlir::success();
}

LogicalResult RewriteReshape(stablehlo::DynamicReshapeOp op, PatternRewriter& rewriter) {
  if (!IsStatic(op.getResult()) || !IsStatic(op.getOperand())) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), op.getOperand());
  return mlir::success();
}

LogicalResult RewriteIota(stablehlo::DynamicIotaOp op, PatternRewriter& rewriter) {
  if (!IsStatic(op.getResult())) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::IotaOp>(op, op.getType(), op.getIotaDimension());
  return mlir::success();
}

LogicalResult RewriteSlice(stablehlo::RealDynamicSliceOp op, PatternRewriter& rewriter) {
  if (!IsStatic(op.getResult()) || !IsStatic(op.getOperand())) return mlir::failure();
  auto strides = ConstantDims(op.getStrides());
  if (!strides) return mlir::failure();
  auto start = ConstantDims(op.getStartIndices()),
       limit = ConstantDims(op.getLimitIndices());
  if (start && limit) {
    for (auto [from, to, step, size] :
         llvm::zip_equal(*start, *limit, *strides, ShapeOf(op.getOperand())))
      if (from < 0 || to < from || to > size || step < 1) return mlir::failure();
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(op, op.getType(), op.getOperand(),
                                                    *start, *limit, *strides);
    return mlir::success();
  }
  // The size is static; the start may still be dynamic.
  if (llvm::any_of(*strides, [](int64_t step) { return step != 1; }))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  Values starts;
  for (int64_t d = 0; d < TypeOf(op.getOperand()).getRank(); ++d)
    starts.push_back(g.Reshape(g.SliceDim(op.getStartIndices(), 0, d, d + 1), {}));
  rewriter.replaceOpWithNewOp<stablehlo::DynamicSliceOp>(
      op, op.getType(), op.getOperand(), starts, ShapeOf(op.getResult()));
  return mlir::success();
}

LogicalResult RewritePad(stablehlo::DynamicPadOp op, PatternRewriter& rewriter) {
  auto low = ConstantDims(op.getEdgePaddingLow());
  auto high = ConstantDims(op.getEdgePaddingHigh());
  auto interior = ConstantDims(op.getInteriorPadding());
  if (!IsStatic(op.getResult()) || !IsStatic(op.getOperand()) || !low || !high ||
      !interior)
    return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::PadOp>(
      op, op.getType(), op.getOperand(), op.getPaddingValue(), *low, *high, *interior);
  return mlir::success();
}

LogicalResult RewriteGather(stablehlo::DynamicGatherOp op, PatternRewriter& rewriter) {
  auto sizes = ConstantDims(op.getSliceSizes());
  if (!IsStatic(op.getResult()) || !sizes) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::GatherOp>(
      op, op.getType(), op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
      *sizes, op.getIndicesAreSorted());
  return mlir::success();
}

LogicalResult RewriteConvolution(stablehlo::DynamicConvOp op, PatternRewriter& rewriter) {
  auto padding = ConstantDims(op.getPadding());
  if (!IsStatic(op.getResult()) || !padding) return mlir::failure();
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(padding->size()) / 2, 2},
                                          rewriter.getI64Type());
  auto padding_attr = mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(*padding));
  rewriter.replaceOpWithNewOp<stablehlo::ConvolutionOp>(
      op, op.getType(), op.getLhs(), op.getRhs(), op.getWindowStridesAttr(), padding_attr,
      op.getLhsDilationAttr(), op.getRhsDilationAttr(), op.getWindowReversalAttr(),
      op.getDimensionNumbers(), op.getFeatureGroupCount(), op.getBatchGroupCount(),
      op.getPrecisionConfigAttr());
  return mlir::success();
}

}  // namespace

void PopulateDynamicShapePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteBroadcast);
  patterns.add(RewriteReshape);
  patterns.add(RewriteIota);
  patterns.add(RewriteSlice);
  patterns.add(RewritePad);
  patterns.add(RewriteGather);
  patterns.add(RewriteConvolution);
}

}  // namespace tenon::compiler
