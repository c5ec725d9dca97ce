// Operations that create tensors or rearrange whole tensors.
#include <algorithm>
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

// Copies operand 0 into `result`. The element at index i is read at from_offset + i *
// from_strides.
void Rearrange(const Literal& operand, int64_t from_offset, const Dims& from_strides,
               Literal& result) {
  const int64_t bytes = ElementBytes(operand.type());
  StridedCopy(bytes, result.dims(), from_strides, RowMajorStrides(result.dims()))
      .Run(operand.data() + from_offset * bytes, result.mutable_data());
}

Status BroadcastTo(OpContext& context, llvm::ArrayRef<int64_t> dimensions) {
  const Literal& operand = context.operands[0];
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  const Dims strides = RowMajorStrides(operand.dims());
  Dims from(result.rank(), 0);
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (operand.dims()[i] != 1) from[dimensions[i]] = strides[i];
  if (result.count()) Rearrange(operand, 0, from, result);
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace

Status EvalIota(OpContext& context) {
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  const int64_t dimension = llvm::cast<stablehlo::IotaOp>(context.op).getIotaDimension();
  const int64_t size = result.dims()[dimension];
  // Computes the values along the dimension, then copies them along the others.
  KernelParams params;
  params.operand_type = ElementType::kS64;
  params.result_type = result.type();
  Kernel convert = FindConvertKernel(ElementType::kS64, result.type());
  const int64_t bytes = ElementBytes(result.type());
  std::vector<uint8_t> line(size * bytes + 1);
  alignas(16) uint8_t computed[16];
  for (int64_t i = 0; i < size; ++i) {
    const void* inputs[] = {&i};
    convert(params, inputs, computed, 1);
    StoreElements(result.type(), computed, line.data() + i * bytes, 1);
  }
  Dims from(result.rank(), 0);
  from[dimension] = 1;
  const Dims to = RowMajorStrides(result.dims());
  StridedCopy(bytes, result.dims(), from, to).Run(line.data(), result.mutable_data());
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalBroadcast(OpContext& context) {
  const auto sizes = llvm::cast<stablehlo::BroadcastOp>(context.op).getBroadcastSizes();
  llvm::SmallVector<int64_t> dimensions;
  for (int64_t i = 0; i < context.operands[0].rank(); ++i)
    dimensions.push_back(static_cast<int64_t>(sizes.size()) + i);
  return BroadcastTo(context, dimensions);
}

Status EvalBroadcastInDim(OpContext& context) {
  return BroadcastTo(
      context,
      llvm::cast<stablehlo::BroadcastInDimOp>(context.op).getBroadcastDimensions());
}

Status EvalReshape(OpContext& context) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(context.op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return Unimplemented("result of type " +
                         TypeText(context.op->getResult(0).getType()));
  Dims dims(type.getShape().begin(), type.getShape().end());
  if (ElementCount(dims) != context.operands[0].count())
    return InvalidArgument("cannot reshape " + DimsString(context.operands[0].dims()) +
                           " to " + DimsString(dims));
  context.results.push_back(std::move(context.operands[0]).Reshaped(std::move(dims)));
  return OkStatus();
}

Status EvalTranspose(OpContext& context) {
  const Literal& operand = context.operands[0];
  const auto permutation =
      llvm::cast<stablehlo::TransposeOp>(context.op).getPermutation();
  const Dims strides = RowMajorStrides(operand.dims());
  Dims dims, from;
  for (int64_t dimension : permutation) {
    dims.push_back(operand.dims()[dimension]);
    from.push_back(strides[dimension]);
  }
  TENON_ASSIGN_OR_RETURN(Literal result,
                         context.NewLiteral(operand.type(), std::move(dims)));
  Rearrange(operand, 0, from, result);
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalReverse(OpContext& context) {
  const Literal& operand = context.operands[0];
  TENON_ASSIGN_OR_RETURN(Literal result,
                         context.NewLiteral(operand.type(), operand.dims()));
  Dims from = RowMajorStrides(operand.dims());
  int64_t offset = 0;
  for (int64_t d : llvm::cast<stablehlo::ReverseOp>(context.op).getDimensions()) {
    offset += (operand.dims()[d] - 1) * from[d];
    from[d] = -from[d];
  }
  if (operand.count()) Rearrange(operand, offset, from, result);
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalConcatenate(OpContext& context) {
  const int64_t dimension =
      llvm::cast<stablehlo::ConcatenateOp>(context.op).getDimension();
  Dims dims = context.operands[0].dims();
  dims[dimension] = 0;
  for (const Literal& operand : context.operands)
    dims[dimension] += operand.dims()[dimension];
  const ElementType type = context.operands[0].type();
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, dims));
  const Dims to = RowMajorStrides(dims);
  uint8_t* out = result.mutable_data();
  const int64_t bytes = ElementBytes(type);
  for (const Literal& operand : context.operands) {
    StridedCopy(bytes, operand.dims(), RowMajorStrides(operand.dims()), to)
        .Run(operand.data(), out);
    if (operand.count()) out += operand.dims()[dimension] * to[dimension] * bytes;
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalGetDimensionSize(OpContext& context) {
  auto op = llvm::cast<stablehlo::GetDimensionSizeOp>(context.op);
  if (static_cast<int64_t>(op.getDimension()) >= context.operands[0].rank())
    return InvalidArgument("there is no dimension " + std::to_string(op.getDimension()));
  context.results.push_back(Literal::Scalar<int32_t>(
      ElementType::kS32,
      static_cast<int32_t>(context.operands[0].dims()[op.getDimension()])));
  return OkStatus();
}

// The bits, as a little-endian sequence, are divided into elements of another width.
// Elements of fewer than 8 bits are packed and unpacked, because the operation is defined
// on bits.
Status EvalBitcastConvert(OpContext& context) {
  Literal& operand = context.operands[0];
  auto type = llvm::cast<mlir::RankedTensorType>(context.op->getResult(0).getType());
  const ElementType to = ir::ElementTypeOf(type.getElementType());
  if (to == ElementType::kInvalid)
    return Unimplemented("result of type " + TypeText(type));
  const int64_t from_bits = ElementBits(operand.type()), to_bits = ElementBits(to);
  Dims dims = operand.dims();
  if (to_bits < from_bits) {
    dims.push_back(from_bits / to_bits);
  } else if (to_bits > from_bits) {
    if (dims.empty() || dims.back() * from_bits != to_bits)
      return InvalidArgument("the last dimension does not hold the bits of one element");
    dims.pop_back();
  }
  if (from_bits == to_bits && from_bits >= 8) {
    context.results.push_back(operand.Retyped(to));
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(to, std::move(dims)));
  uint8_t* out = result.mutable_data();
  if (from_bits >= 8 && to_bits >= 8) {
    if (result.byte_size()) std::memcpy(out, operand.data(), result.byte_size());
  } else {
    const uint8_t* data = operand.data();
    for (int64_t bit = 0; bit < operand.count() * from_bits; ++bit) {
      const bool set = from_bits < 8 ? data[bit / from_bits] >> (bit % from_bits) & 1
                                     : data[bit / 8] >> (bit % 8) & 1;
      if (!set) continue;
      if (to_bits < 8)
        out[bit / to_bits] |= static_cast<uint8_t>(1 << (bit % to_bits));
      else
        out[bit / 8] |= static_cast<uint8_t>(1 << (bit % 8));
    }
    if (to == ElementType::kS2 || to == ElementType::kS4)
      for (uint8_t& value : result.mutable_values<uint8_t>())
        value = static_cast<uint8_t>(static_cast<int8_t>(value << (8 - to_bits)) >>
                                     (8 - to_bits));
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
