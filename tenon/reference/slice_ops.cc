// Slices, in-place updates of slices, and padding.
#include <algorithm>
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

// Returns the start of a slice of `sizes`: the scalar operands from `first` on, clamped
// so that the slice is in bounds.
Dims ClampedStarts(const OpContext& context, size_t first, const Dims& operand_dims,
                   llvm::ArrayRef<int64_t> sizes) {
  Dims starts;
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    const Literal& index = context.operands[first + i];
    int64_t start = index.ValueAsInt(0);
    if (index.type() == ElementType::kU64 && start < 0) start = operand_dims[i];
    starts.push_back(std::clamp<int64_t>(start, 0, operand_dims[i] - sizes[i]));
  }
  return starts;
}

int64_t Offset(const Dims& index, const Dims& strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

}  // namespace

Status EvalSlice(OpContext& context) {
  auto op = llvm::cast<stablehlo::SliceOp>(context.op);
  const Literal& operand = context.operands[0];
  Dims from = RowMajorStrides(operand.dims());
  Dims dims;
  int64_t offset = 0;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t stride = op.getStrides()[i];
    offset += op.getStartIndices()[i] * from[i];
    dims.push_back((op.getLimitIndices()[i] - op.getStartIndices()[i] + stride - 1) /
                   stride);
    from[i] *= stride;
  }
  TENON_ASSIGN_OR_RETURN(Literal result,
                         context.NewLiteral(operand.type(), std::move(dims)));
  const int64_t bytes = ElementBytes(operand.type());
  if (result.count())
    StridedCopy(bytes, result.dims(), from, RowMajorStrides(result.dims()))
        .Run(operand.data() + offset * bytes, result.mutable_data());
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalDynamicSlice(OpContext& context) {
  auto op = llvm::cast<stablehlo::DynamicSliceOp>(context.op);
  const Literal& operand = context.operands[0];
  const auto sizes = op.getSliceSizes();
  const Dims starts = ClampedStarts(context, 1, operand.dims(), sizes);
  TENON_ASSIGN_OR_RETURN(
      Literal result,
      context.NewLiteral(operand.type(), Dims(sizes.begin(), sizes.end())));
  const Dims from = RowMajorStrides(operand.dims());
  const int64_t bytes = ElementBytes(operand.type());
  if (result.count())
    StridedCopy(bytes, result.dims(), from, RowMajorStrides(result.dims()))
        .Run(operand.data() + Offset(starts, from) * bytes, result.mutable_data());
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalDynamicUpdateSlice(OpContext& context) {
  const Literal& update = context.operands[1];
  const Dims starts =
      ClampedStarts(context, 2, context.operands[0].dims(), update.dims());
  Literal result = std::move(context.operands[0]);
  const Dims to = RowMajorStrides(result.dims());
  const int64_t bytes = ElementBytes(update.type());
  if (update.count())
    StridedCopy(bytes, update.dims(), RowMajorStrides(update.dims()), to)
        .Run(update.data(), result.mutable_data() + Offset(starts, to) * bytes);
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalPad(OpContext& context) {
  auto op = llvm::cast<stablehlo::PadOp>(context.op);
  const Literal& operand = context.operands[0];
  const Literal& padding = context.operands[1];
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  const int64_t bytes = ElementBytes(operand.type());
  uint8_t* out = result.mutable_data();
  StridedCopy(bytes, result.dims(), Dims(result.rank(), 0),
              RowMajorStrides(result.dims()))
      .Run(padding.data(), out);

  // The part of the operand that negative padding keeps, and the position of its first
  // element in the result.
  const Dims from = RowMajorStrides(operand.dims()),
             strides = RowMajorStrides(result.dims());
  Dims dims, to;
  int64_t from_offset = 0, to_offset = 0;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t step = op.getInteriorPadding()[i] + 1;
    const int64_t low = op.getEdgePaddingLow()[i];
    const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    // Element k goes to low + k * step, which must be less than the result's size.
    const int64_t room = result.dims()[i] - 1 - low;
    const int64_t end = room < 0 ? 0 : std::min(operand.dims()[i], room / step + 1);
    dims.push_back(std::max<int64_t>(0, end - first));
    to.push_back(step * strides[i]);
    from_offset += first * from[i];
    to_offset += (low + first * step) * strides[i];
  }
  if (ElementCount(dims))
    StridedCopy(bytes, dims, from, to)
        .Run(operand.data() + from_offset * bytes, out + to_offset * bytes);
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
