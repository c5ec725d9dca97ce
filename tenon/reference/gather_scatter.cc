// gather, scatter and torch_index_select.
#include <algorithm>
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

bool Contains(llvm::ArrayRef<int64_t> list, int64_t value) {
  return llvm::is_contained(list, value);
}

// Reads index vectors from the indices operand: component `k` of the vector at a position
// in the other dimensions.
class IndexVectors {
 public:
  IndexVectors(const Literal& indices, int64_t index_vector_dim)
      : indices_(indices), strides_(RowMajorStrides(indices.dims())) {
    for (int64_t i = 0; i < indices.rank(); ++i) {
      if (i == index_vector_dim) continue;
      batch_dims_.push_back(indices.dims()[i]);
      batch_strides_.push_back(strides_[i]);
    }
    component_stride_ =
        index_vector_dim < indices.rank() ? strides_[index_vector_dim] : 0;
  }

  // The sizes of the indices without the dimension of the vectors.
  const Dims& batch_dims() const { return batch_dims_; }

  int64_t Component(std::span<const int64_t> batch_index, int64_t k) const {
    int64_t at = k * component_stride_;
    for (size_t i = 0; i < batch_index.size(); ++i)
      at += batch_index[i] * batch_strides_[i];
    const int64_t value = indices_.ValueAsInt(at);
    // An unsigned index beyond the signed range is out of bounds of every tensor.
    if (indices_.type() == ElementType::kU64 && value < 0)
      return std::numeric_limits<int64_t>::max() / 2;
    return std::clamp(value, std::numeric_limits<int64_t>::min() / 2,
                      std::numeric_limits<int64_t>::max() / 2);
  }

 private:
  const Literal& indices_;
  Dims strides_, batch_dims_, batch_strides_;
  int64_t component_stride_;
};

}  // namespace

Status EvalGather(OpContext& context) {
  auto op = llvm::cast<stablehlo::GatherOp>(context.op);
  const stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Literal& operand = context.operands[0];
  const IndexVectors vectors(context.operands[1], numbers.getIndexVectorDim());
  const llvm::ArrayRef<int64_t> sizes = op.getSliceSizes();

  // The result's dimensions are those of the batch and of the slice, interleaved.
  Dims dims, batch_positions, offset_positions;
  Dims slice_dims, slice_from;
  const Dims from = RowMajorStrides(operand.dims());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (Contains(numbers.getCollapsedSliceDims(), d) ||
        Contains(numbers.getOperandBatchingDims(), d))
      continue;
    slice_dims.push_back(sizes[d]);
    slice_from.push_back(from[d]);
  }
  const auto rank = static_cast<int64_t>(vectors.batch_dims().size() + slice_dims.size());
  size_t next_batch = 0, next_offset = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (Contains(numbers.getOffsetDims(), d)) {
      dims.push_back(slice_dims[next_offset++]);
      offset_positions.push_back(d);
    } else {
      dims.push_back(vectors.batch_dims()[next_batch++]);
      batch_positions.push_back(d);
    }
  }
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(operand.type(), dims));
  if (result.count() == 0) {
    context.results.push_back(std::move(result));
    return OkStatus();
  }
  const Dims to = RowMajorStrides(dims);
  Dims slice_to;
  for (int64_t position : offset_positions) slice_to.push_back(to[position]);
  const int64_t bytes = ElementBytes(operand.type());
  const StridedCopy copy(bytes, slice_dims, slice_from, slice_to);
  // For each operand batching dimension, the batch index dimension that it follows.
  Dims batching_axes;
  for (int64_t d : numbers.getStartIndicesBatchingDims())
    batching_axes.push_back(d < numbers.getIndexVectorDim() ? d : d - 1);

  uint8_t* out = result.mutable_data();
  Dims batch(vectors.batch_dims().size(), 0);
  do {
    int64_t from_offset = 0, to_offset = 0;
    for (size_t k = 0; k < numbers.getStartIndexMap().size(); ++k) {
      const int64_t d = numbers.getStartIndexMap()[k];
      const int64_t start = vectors.Component(batch, static_cast<int64_t>(k));
      from_offset +=
          std::clamp<int64_t>(start, 0, operand.dims()[d] - sizes[d]) * from[d];
    }
    for (size_t k = 0; k < batching_axes.size(); ++k)
      from_offset += batch[batching_axes[k]] * from[numbers.getOperandBatchingDims()[k]];
    for (size_t k = 0; k < batch.size(); ++k)
      to_offset += batch[k] * to[batch_positions[k]];
    copy.Run(operand.data() + from_offset * bytes, out + to_offset * bytes);
  } while (NextIndex(vectors.batch_dims(), batch));
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalScatter(OpContext& context) {
  auto op = llvm::cast<stablehlo::ScatterOp>(context.op);
  const stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  const size_t count = op.getInputs().size();
  const IndexVectors vectors(context.operands[count], numbers.getIndexVectorDim());
  std::vector<Literal> results;
  for (size_t i = 0; i < count; ++i) results.push_back(std::move(context.operands[i]));
  const std::span<Literal> updates(&context.operands[count + 1], count);
  RegionFunction function(context, op.getUpdateComputation());

  const Dims& dims = results[0].dims();
  const Dims& update_dims = updates[0].dims();
  Dims window_axes, window_positions;  // paired dimensions of operand and updates
  Dims scatter_positions;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
    if (!Contains(numbers.getInsertedWindowDims(), d) &&
        !Contains(numbers.getInputBatchingDims(), d))
      window_axes.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(update_dims.size()); ++d)
    (Contains(numbers.getUpdateWindowDims(), d) ? window_positions : scatter_positions)
        .push_back(d);
  Dims batching_axes;
  for (int64_t d : numbers.getScatterIndicesBatchingDims())
    batching_axes.push_back(d < numbers.getIndexVectorDim() ? d : d - 1);
  const Dims strides = RowMajorStrides(dims),
             update_strides = RowMajorStrides(update_dims);
  Dims window_dims;
  for (int64_t d : window_positions) window_dims.push_back(update_dims[d]);

  // The current element, the update element and the new element, in computing form.
  struct Slot {
    alignas(16) uint8_t current[16], update[16], result[16];
  };
  std::vector<Slot> slots(count);
  std::vector<const void*> inputs(2 * count);
  std::vector<void*> outputs(count);
  std::vector<uint8_t*> data(count);
  for (size_t i = 0; i < count; ++i) {
    inputs[i] = slots[i].current;
    inputs[count + i] = slots[i].update;
    outputs[i] = slots[i].result;
    if (results[i].count()) data[i] = results[i].mutable_data();
  }

  if (updates[0].count() > 0) {
    Dims batch(vectors.batch_dims().size(), 0), start(dims.size()),
        window(window_dims.size());
    do {
      std::fill(start.begin(), start.end(), 0);
      for (size_t k = 0; k < numbers.getScatterDimsToOperandDims().size(); ++k)
        start[numbers.getScatterDimsToOperandDims()[k]] =
            vectors.Component(batch, static_cast<int64_t>(k));
      for (size_t k = 0; k < batching_axes.size(); ++k)
        start[numbers.getInputBatchingDims()[k]] += batch[batching_axes[k]];
      int64_t update_base = 0;
      for (size_t k = 0; k < batch.size(); ++k)
        update_base += batch[k] * update_strides[scatter_positions[k]];
      // A window is dropped as a whole if any part of it is out of bounds. XLA does so,
      // and JAX's gradients need it; the specification drops single elements.
      bool inside = true;
      for (size_t k = 0; k < window.size(); ++k) {
        const int64_t at = start[window_axes[k]];
        inside &= at >= 0 && at <= dims[window_axes[k]] - window_dims[k];
      }
      for (size_t d = 0; d < dims.size(); ++d)
        if (!Contains(window_axes, static_cast<int64_t>(d)))
          inside &= start[d] >= 0 && start[d] < dims[d];
      if (!inside) continue;
      int64_t base = 0;
      for (size_t d = 0; d < dims.size(); ++d) base += start[d] * strides[d];
      std::fill(window.begin(), window.end(), 0);
      do {
        int64_t at = base, update_at = update_base;
        for (size_t k = 0; k < window.size(); ++k) {
          at += window[k] * strides[window_axes[k]];
          update_at += window[k] * update_strides[window_positions[k]];
        }
        for (size_t i = 0; i < count; ++i) {
          const ElementType type = results[i].type();
          const int64_t bytes = ElementBytes(type);
          LoadElements(type, data[i] + at * bytes, slots[i].current, 1);
          LoadElements(updates[i].type(), updates[i].data() + update_at * bytes,
                       slots[i].update, 1);
        }
        TENON_RETURN_IF_ERROR(function.Run(1, inputs.data(), outputs.data()));
        for (size_t i = 0; i < count; ++i) {
          const ElementType type = results[i].type();
          StoreElements(type, slots[i].result, data[i] + at * ElementBytes(type), 1);
        }
      } while (NextIndex(window_dims, window));
    } while (NextIndex(vectors.batch_dims(), batch));
  }
  for (Literal& result : results) context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalTorchIndexSelect(OpContext& context) {
  auto op = llvm::cast<stablehlo::TorchIndexSelectOp>(context.op);
  const Literal& operand = context.operands[0];
  const Literal& index = context.operands[1];
  const int64_t batch_dims = op.getBatchDims(), dim = op.getDim();
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  // operand[b..., o..., :, i...] at index[b..., n...]; o are the dimensions between batch
  // and `dim`.
  const auto product = [](std::span<const int64_t> dims) { return ElementCount(dims); };
  const std::span<const int64_t> dims(operand.dims());
  if (batch_dims < 0 || batch_dims > dim || dim >= operand.rank() ||
      batch_dims > index.rank())
    return InvalidArgument("dimension " + std::to_string(dim) + " and " +
                           std::to_string(batch_dims) +
                           " batch dimensions are out of range");
  const int64_t batch = product(dims.first(batch_dims));
  const int64_t outer = product(dims.subspan(batch_dims, dim - batch_dims));
  const int64_t size = dims[dim];
  const int64_t inner = product(dims.subspan(dim + 1)) * ElementBytes(operand.type());
  const int64_t picks = batch ? index.count() / batch : 0;
  if (result.byte_size() != batch * outer * picks * inner)
    return InvalidArgument("result size does not follow from the operands");
  if (result.byte_size() == 0 || size == 0) {
    context.results.push_back(std::move(result));
    return OkStatus();
  }
  uint8_t* out = result.mutable_data();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t n = 0; n < picks; ++n, out += inner) {
        const int64_t at =
            std::clamp<int64_t>(index.ValueAsInt(b * picks + n), 0, size - 1);
        std::memcpy(out, operand.data() + ((b * outer + o) * size + at) * inner, inner);
      }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
