// batch_norm_inference, _training and _grad, in f64.
#include <cmath>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

// The operand's shape as [outer, features, inner].
struct Features {
  Features(const Literal& operand, int64_t feature_index) : count(0), inner(1) {
    const Dims& dims = operand.dims();
    if (feature_index >= operand.rank()) return;
    count = dims[feature_index];
    for (int64_t d = feature_index + 1; d < operand.rank(); ++d) inner *= dims[d];
    per_feature = count ? static_cast<double>(operand.count() / count) : 0;
  }
  int64_t Of(int64_t element) const { return element / inner % count; }

  int64_t count, inner;
  double per_feature = 0;
};

class Arguments {
 public:
  explicit Arguments(const OpContext& context) {
    for (const Literal& operand : context.operands)
      values_.push_back(ToAccumulator<double>(operand, context.flush_denormals()));
  }
  const std::vector<double>& operator[](size_t i) const { return values_[i]; }

 private:
  std::vector<std::vector<double>> values_;
};

Status PushResult(OpContext& context, const Dims& dims,
                  const std::vector<double>& values) {
  const ElementType type = context.operands[0].type();
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, dims));
  if (result.count())
    FromAccumulator(type, values.data(), result.mutable_data(), result.count(),
                    context.flush_denormals());
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status CheckFeatures(const OpContext& context, const Features& features, size_t first,
                     size_t last) {
  for (size_t i = first; i <= last; ++i)
    if (context.operands[i].count() != features.count)
      return InvalidArgument("operand " + std::to_string(i) + " does not have " +
                             std::to_string(features.count) +
                             " elements, one per feature");
  return OkStatus();
}

}  // namespace

Status EvalBatchNormInference(OpContext& context) {
  auto op = llvm::cast<stablehlo::BatchNormInferenceOp>(context.op);
  const Features features(context.operands[0], op.getFeatureIndex());
  TENON_RETURN_IF_ERROR(CheckFeatures(context, features, 1, 4));
  const Arguments in(context);
  const double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> out(in[0].size());
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    out[i] = (in[0][i] - in[3][f]) / std::sqrt(in[4][f] + epsilon) * in[1][f] + in[2][f];
  }
  return PushResult(context, context.operands[0].dims(), out);
}

Status EvalBatchNormTraining(OpContext& context) {
  auto op = llvm::cast<stablehlo::BatchNormTrainingOp>(context.op);
  const Features features(context.operands[0], op.getFeatureIndex());
  TENON_RETURN_IF_ERROR(CheckFeatures(context, features, 1, 2));
  const Arguments in(context);
  const double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> mean(features.count), variance(features.count), out(in[0].size());
  for (size_t i = 0; i < out.size(); ++i)
    mean[features.Of(static_cast<int64_t>(i))] += in[0][i] / features.per_feature;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    const double centered = in[0][i] - mean[f];
    variance[f] += centered * centered / features.per_feature;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    out[i] =
        (in[0][i] - mean[f]) / std::sqrt(variance[f] + epsilon) * in[1][f] + in[2][f];
  }
  TENON_RETURN_IF_ERROR(PushResult(context, context.operands[0].dims(), out));
  TENON_RETURN_IF_ERROR(PushResult(context, {features.count}, mean));
  return PushResult(context, {features.count}, variance);
}

Status EvalBatchNormGrad(OpContext& context) {
  auto op = llvm::cast<stablehlo::BatchNormGradOp>(context.op);
  const Features features(context.operands[0], op.getFeatureIndex());
  TENON_RETURN_IF_ERROR(CheckFeatures(context, features, 1, 3));
  const Arguments in(context);  // operand, scale, mean, variance, grad_output
  const double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> grad_scale(features.count), grad_offset(features.count);
  std::vector<double> centered_sum(features.count), out(in[0].size());
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    grad_offset[f] += in[4][i];
    centered_sum[f] += in[4][i] * (in[0][i] - in[2][f]);
  }
  for (int64_t f = 0; f < features.count; ++f)
    grad_scale[f] = centered_sum[f] / std::sqrt(in[3][f] + epsilon);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    const double variance = in[3][f] + epsilon;
    const double n = features.per_feature;
    out[i] = in[1][f] / std::sqrt(variance) / n *
             (n * in[4][i] - grad_offset[f] -
              (in[0][i] - in[2][f]) / variance * centered_sum[f]);
  }
  TENON_RETURN_IF_ERROR(PushResult(context, context.operands[0].dims(), out));
  TENON_RETURN_IF_ERROR(PushResult(context, {features.count}, grad_scale));
  return PushResult(context, {features.count}, grad_offset);
}

}  // namespace tenon::reference
