#include "tenon/reference/quantized.h"

#include <algorithm>
#include <cmath>

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

mlir::quant::QuantizedType QuantizedElement(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? llvm::dyn_cast<mlir::quant::QuantizedType>(tensor.getElementType())
                : nullptr;
}

// Scale and zero point of each element: one pair, or one for each index of a dimension.
struct Parameters {
  llvm::SmallVector<double> scales;
  llvm::SmallVector<int64_t> zero_points;
  int64_t inner = 1;  // elements per index of that dimension

  size_t Of(int64_t element) const { return element / inner % scales.size(); }
};

StatusOr<Parameters> ParametersOf(mlir::Type type, const Dims& dims) {
  Parameters parameters;
  const mlir::quant::QuantizedType element = QuantizedElement(type);
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element)) {
    parameters.scales.push_back(uniform.getScale());
    parameters.zero_points.push_back(uniform.getZeroPoint());
    return parameters;
  }
  auto per_axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
  if (!per_axis) return Unimplemented("values of type " + TypeText(type));
  parameters.scales.append(per_axis.getScales().begin(), per_axis.getScales().end());
  parameters.zero_points.append(per_axis.getZeroPoints().begin(),
                                per_axis.getZeroPoints().end());
  for (size_t d = per_axis.getQuantizedDimension() + 1; d < dims.size(); ++d)
    parameters.inner *= std::max<int64_t>(1, dims[d]);
  return parameters;
}

}  // namespace

bool IsQuantized(mlir::Type type) { return QuantizedElement(type) != nullptr; }

ElementType StoredElementType(mlir::Type type) {
  const mlir::quant::QuantizedType quantized = QuantizedElement(type);
  if (!quantized) return ir::ElementTypeOfShaped(type);
  auto storage = llvm::dyn_cast<mlir::IntegerType>(quantized.getStorageType());
  if (!storage) return ElementType::kInvalid;
  return ir::ElementTypeOf(mlir::IntegerType::get(
      type.getContext(), storage.getWidth(),
      quantized.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned));
}

ElementType ComputedElementType(mlir::Type type) {
  const mlir::quant::QuantizedType quantized = QuantizedElement(type);
  return quantized ? ir::ElementTypeOf(quantized.getExpressedType())
                   : ir::ElementTypeOfShaped(type);
}

StatusOr<Literal> Dequantize(const Literal& stored, mlir::Type type) {
  TENON_ASSIGN_OR_RETURN(Parameters parameters, ParametersOf(type, stored.dims()));
  const ElementType expressed = ComputedElementType(type);
  if (expressed == ElementType::kInvalid)
    return Unimplemented("values of type " + TypeText(type));
  std::vector<double> values(stored.count());
  for (int64_t i = 0; i < stored.count(); ++i) {
    const size_t parameter = parameters.Of(i);
    // Computed in the expressed type, to which the scale belongs: f64, or else f32.
    const int64_t centered = stored.ValueAsInt(i) - parameters.zero_points[parameter];
    if (expressed == ElementType::kF64)
      values[i] = static_cast<double>(centered) * parameters.scales[parameter];
    else
      values[i] =
          static_cast<float>(centered) * static_cast<float>(parameters.scales[parameter]);
  }
  Literal result(expressed, stored.dims());
  if (result.count())
    FromAccumulator(expressed, values.data(), result.mutable_data(), result.count(),
                    false);
  return result;
}

StatusOr<Literal> Quantize(const Literal& expressed, mlir::Type type) {
  TENON_ASSIGN_OR_RETURN(Parameters parameters, ParametersOf(type, expressed.dims()));
  const mlir::quant::QuantizedType quantized = QuantizedElement(type);
  const ElementType storage = StoredElementType(type);
  if (storage == ElementType::kInvalid)
    return Unimplemented("values of type " + TypeText(type));
  const std::vector<double> values = ToAccumulator<double>(expressed, false);
  std::vector<uint64_t> integers(values.size());
  const auto low = static_cast<double>(quantized.getStorageTypeMin());
  const auto high = static_cast<double>(quantized.getStorageTypeMax());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t parameter = parameters.Of(static_cast<int64_t>(i));
    const double quotient = expressed.type() == ElementType::kF64
                                ? values[i] / parameters.scales[parameter]
                                : static_cast<float>(values[i]) /
                                      static_cast<float>(parameters.scales[parameter]);
    const double scaled =
        std::nearbyint(quotient) + static_cast<double>(parameters.zero_points[parameter]);
    const double clamped = std::isnan(scaled) ? 0.0 : std::clamp(scaled, low, high);
    integers[i] = static_cast<uint64_t>(static_cast<int64_t>(clamped));
  }
  Literal result(storage, expressed.dims());
  if (result.count())
    StoreElements(storage, integers.data(), result.mutable_data(), result.count());
  return result;
}

}  // namespace tenon::reference
