// convolution, with dilation, reversal, feature groups and batch groups.
#include <type_traits>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/quantized.h"
#include "tenon/reference/strided_copy.h"
#include "tenon/reference/window.h"

namespace tenon::reference {
namespace {

// The sizes after the operands are transposed to [batch, spatial..., feature] and
// [spatial..., input, output].
struct Geometry {
  std::vector<WindowDim> window;
  std::vector<bool> reversed;
  Dims input, kernel, output;  // spatial sizes
  int64_t batches;             // of the result
  int64_t input_features;      // of the input
  int64_t group_inputs;        // input features that contribute to one output feature
  int64_t output_features;
  int64_t feature_groups, batch_groups;
};

// Accumulates all output features of one output position of one batch element.
template <typename T>
void Accumulate(const Geometry& g, const T* input, const T* kernel, int64_t batch,
                const Dims& position, std::vector<T>& sums) {
  std::fill(sums.begin(), sums.end(), T(0));
  const int64_t groups = g.feature_groups * g.batch_groups;
  const int64_t group_outputs = g.output_features / groups;
  const int64_t input_points = ElementCount(g.input);
  const Dims strides = RowMajorStrides(g.input);
  const std::vector<T> zeros(g.group_inputs, T(0));
  Dims offset(g.kernel.size(), 0);
  const int64_t kernel_points = ElementCount(g.kernel);
  for (int64_t k = 0; k < kernel_points; ++k, NextIndex(g.kernel, offset)) {
    int64_t input_point = 0;
    bool inside = true;
    for (size_t d = 0; inside && d < offset.size(); ++d) {
      // A reversed window reads the kernel backwards.
      const int64_t tap = g.reversed[d] ? g.kernel[d] - 1 - offset[d] : offset[d];
      const int64_t source = g.window[d].Source(position[d], tap, g.input[d]);
      inside = source >= 0;
      input_point += source * strides[d];
    }
    // Padding and dilation insert zeros. Multiplied by an infinity or NaN they give NaN,
    // so only integers can skip them.
    if (!inside && std::is_integral_v<T>) continue;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t image = g.batch_groups > 1 ? group * g.batches + batch : batch;
      const int64_t feature = g.feature_groups > 1 ? group * g.group_inputs : 0;
      const T* pixel =
          inside
              ? input + (image * input_points + input_point) * g.input_features + feature
              : zeros.data();
      T* out = sums.data() + group * group_outputs;
      for (int64_t i = 0; i < g.group_inputs; ++i) {
        const T* weights =
            kernel + (k * g.group_inputs + i) * g.output_features + group * group_outputs;
        for (int64_t o = 0; o < group_outputs; ++o)
          out[o] += Product(pixel[i], weights[o]);
      }
    }
  }
}

template <typename T>
void Convolve(const Geometry& g, const Literal& lhs, const Literal& rhs, Literal& result,
              bool flush) {
  const std::vector<T> input = ToAccumulator<T>(lhs, flush);
  const std::vector<T> kernel = ToAccumulator<T>(rhs, flush);
  std::vector<T> sums(g.output_features);
  uint8_t* out = result.mutable_data();
  const int64_t bytes = g.output_features * ElementBytes(result.type());
  for (int64_t batch = 0; batch < g.batches; ++batch) {
    Dims position(g.output.size(), 0);
    do {
      Accumulate(g, input.data(), kernel.data(), batch, position, sums);
      FromAccumulator(result.type(), sums.data(), out, g.output_features, flush);
      out += bytes;
    } while (NextIndex(g.output, position));
  }
}

Dims Order(int64_t first, llvm::ArrayRef<int64_t> spatial, int64_t last) {
  Dims order{first};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(last);
  return order;
}

}  // namespace

Status EvalConvolution(OpContext& context) {
  auto op = llvm::cast<stablehlo::ConvolutionOp>(context.op);
  const stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Literal& lhs = context.operands[0];
  const Literal& rhs = context.operands[1];
  const llvm::ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();

  Geometry g;
  for (int64_t d : spatial) g.input.push_back(lhs.dims()[d]);
  for (int64_t d : numbers.getKernelSpatialDimensions())
    g.kernel.push_back(rhs.dims()[d]);
  g.window = MakeWindow(spatial.size(), g.kernel, op.getWindowStrides(),
                        op.getLhsDilation(), op.getRhsDilation(), op.getPadding());
  g.reversed.assign(spatial.size(), false);
  if (auto reversal = op.getWindowReversal())
    g.reversed.assign(reversal->begin(), reversal->end());
  for (size_t d = 0; d < spatial.size(); ++d)
    g.output.push_back(g.window[d].Count(g.input[d]));
  g.feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  g.batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  g.batches = lhs.dims()[numbers.getInputBatchDimension()] / g.batch_groups;
  g.input_features = lhs.dims()[numbers.getInputFeatureDimension()];
  g.group_inputs = rhs.dims()[numbers.getKernelInputFeatureDimension()];
  g.output_features = rhs.dims()[numbers.getKernelOutputFeatureDimension()];

  const ElementType type = ComputedElementType(op.getResult().getType());
  if (type == ElementType::kInvalid)
    return Unimplemented("result of type " + TypeText(op.getResult().getType()));
  Dims dims{g.batches};
  dims.insert(dims.end(), g.output.begin(), g.output.end());
  dims.push_back(g.output_features);
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, dims));
  if (result.count()) {
    const Literal input = Transposed(lhs, Order(numbers.getInputBatchDimension(), spatial,
                                                numbers.getInputFeatureDimension()));
    Dims kernel_order(numbers.getKernelSpatialDimensions().begin(),
                      numbers.getKernelSpatialDimensions().end());
    kernel_order.push_back(numbers.getKernelInputFeatureDimension());
    kernel_order.push_back(numbers.getKernelOutputFeatureDimension());
    const Literal kernel = Transposed(rhs, kernel_order);
    const bool flush = context.flush_denormals();
    switch (AccumulationOf(lhs.type(), rhs.type(), type)) {
      case Accumulation::kInteger:
        Convolve<uint64_t>(g, input, kernel, result, flush);
        break;
      case Accumulation::kReal:
        Convolve<double>(g, input, kernel, result, flush);
        break;
      case Accumulation::kComplex:
        Convolve<std::complex<double>>(g, input, kernel, result, flush);
        break;
    }
  }
  // Transposes [batch, spatial..., feature] to the order that the op asks for.
  const Dims canonical =
      Order(numbers.getOutputBatchDimension(), numbers.getOutputSpatialDimensions(),
            numbers.getOutputFeatureDimension());
  Dims order(canonical.size());
  for (size_t i = 0; i < canonical.size(); ++i)
    order[canonical[i]] = static_cast<int64_t>(i);
  context.results.push_back(Transposed(result, order));
  return OkStatus();
}

}  // namespace tenon::reference
