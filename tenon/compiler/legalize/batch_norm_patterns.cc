// Expands batch normalization by its definition (StableHLO specification: batch_norm_*).
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

// Builds expressions in the operand's shape; per-feature values are broadcast to it.
class Expression {
 public:
  Expression(PatternRewriter& rewriter, mlir::Location loc, Value operand,
             int64_t feature)
      : b_(rewriter),
        loc_(loc),
        type_(llvm::cast<RankedTensorType>(operand.getType())),
        feature_(feature) {}

  Value Broadcast(Value per_feature) {
    return stablehlo::BroadcastInDimOp::create(b_, loc_, type_, per_feature, feature_);
  }
  Value Constant(double value, RankedTensorType like) {
    llvm::APFloat number(value);
    bool lossy = false;
    number.convert(llvm::cast<mlir::FloatType>(like.getElementType()).getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &lossy);
    return stablehlo::ConstantOp::create(b_, loc_,
                                         mlir::DenseElementsAttr::get(like, number));
  }
  template <typename Op>
  Value Binary(Value x, Value y) {
    return Op::create(b_, loc_, x.getType(), x, y);
  }
  Value Add(Value x, Value y) { return Binary<stablehlo::AddOp>(x, y); }
  Value Sub(Value x, Value y) { return Binary<stablehlo::SubtractOp>(x, y); }
  Value Mul(Value x, Value y) { return Binary<stablehlo::MulOp>(x, y); }
  Value Div(Value x, Value y) { return Binary<stablehlo::DivOp>(x, y); }
  Value Sqrt(Value x) {
    return stablehlo::SqrtOp::create(b_, loc_, x.getType(), x,
                                     stablehlo::ResultAccuracyAttr());
  }
  Value PlusEpsilon(Value x, const llvm::APFloat& epsilon) {
    return Add(x, Constant(epsilon.convertToDouble(),
                           llvm::cast<RankedTensorType>(x.getType())));
  }
  // Sums over all dimensions but the feature dimension.
  Value Sum(Value x) {
    auto scalar = RankedTensorType::get({}, type_.getElementType());
    auto result =
        RankedTensorType::get({type_.getDimSize(feature_)}, type_.getElementType());
    llvm::SmallVector<int64_t> dims;
    for (int64_t d = 0; d < type_.getRank(); ++d)
      if (d != feature_) dims.push_back(d);
    auto reduce = stablehlo::ReduceOp::create(b_, loc_, mlir::TypeRange(result), x,
                                              Constant(0.0, scalar), dims);
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&reduce.getBody());
    Value left = block->addArgument(scalar, loc_),
          right = block->addArgument(scalar, loc_);
    stablehlo::ReturnOp::create(b_, loc_, Add(left, right));
    return reduce.getResult(0);
  }
  Value Mean(Value x) {
    Value sum = Sum(x);
    double count =
        static_cast<double>(type_.getNumElements()) / type_.getDimSize(feature_);
    return Div(sum, Constant(count, llvm::cast<RankedTensorType>(sum.getType())));
  }

 private:
  PatternRewriter& b_;
  mlir::Location loc_;
  RankedTensorType type_;
  int64_t feature_;
};

LogicalResult RewriteInference(stablehlo::BatchNormInferenceOp op,
                               PatternRewriter& rewriter) {
  Expression e(rewriter, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  Value deviation = e.Sqrt(e.PlusEpsilon(op.getVariance(), op.getEpsilon()));
  Value centered = e.Sub(op.getOperand(), e.Broadcast(op.getMean()));
  Value normalized = e.Div(centered, e.Broadcast(deviation));
  rewriter.replaceOp(op, e.Add(e.Mul(normalized, e.Broadcast(op.getScale())),
                               e.Broadcast(op.getOffset())));
  return mlir::success();
}

LogicalResult RewriteTraining(stablehlo::BatchNormTrainingOp op,
                              PatternRewriter& rewriter) {
  Expression e(rewriter, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  Value mean = e.Mean(op.getOperand());
  Value centered = e.Sub(op.getOperand(), e.Broadcast(mean));
  Value variance = e.Mean(e.Mul(centered, centered));
  Value deviation = e.Sqrt(e.PlusEpsilon(variance, op.getEpsilon()));
  Value normalized = e.Div(centered, e.Broadcast(deviation));
  Value output =
      e.Add(e.Mul(normalized, e.Broadcast(op.getScale())), e.Broadcast(op.getOffset()));
  rewriter.replaceOp(op, {output, mean, variance});
  return mlir::success();
}

LogicalResult RewriteGrad(stablehlo::BatchNormGradOp op, PatternRewriter& rewriter) {
  Expression e(rewriter, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  auto type = llvm::cast<RankedTensorType>(op.getOperand().getType());
  double count =
      static_cast<double>(type.getNumElements()) / type.getDimSize(op.getFeatureIndex());
  Value deviation = e.Sqrt(e.PlusEpsilon(op.getVariance(), op.getEpsilon()));
  Value centered = e.Sub(op.getOperand(), e.Broadcast(op.getMean()));
  Value normalized = e.Div(centered, e.Broadcast(deviation));
  Value grad = op.getGradOutput();
  Value grad_offset = e.Sum(grad);
  Value grad_scale = e.Sum(e.Mul(grad, normalized));
  // scale / deviation / n * (n * grad - sum(grad) - normalized * sum(grad * normalized))
  Value inner =
      e.Sub(e.Sub(e.Mul(grad, e.Constant(count, type)), e.Broadcast(grad_offset)),
            e.Mul(normalized, e.Broadcast(grad_scale)));
  Value factor = e.Div(op.getScale(), deviation);
  factor =
      e.Div(factor, e.Constant(count, llvm::cast<RankedTensorType>(factor.getType())));
  rewriter.replaceOp(op, {e.Mul(inner, e.Broadcast(factor)), grad_scale, grad_offset});
  return mlir::success();
}

}  // namespace

void PopulateBatchNormPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteInference);
  patterns.add(RewriteTraining);
  patterns.add(RewriteGrad);
}

}  // namespace tenon::compiler
