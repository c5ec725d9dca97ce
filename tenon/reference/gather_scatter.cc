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
    int64_t offset = k * component_stride_;
    for (size_t i = 0; i < batch_index.size(); ++i)
      offset += batch_index[i] * batch_strides_[i];
    const int64_t value = indices_.ValueAsInt(offset);
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

namespace {

// The dimensions of a scatter: how update windows map to the operand.
class ScatterWindows {
 public:
  ScatterWindows(stablehlo::ScatterDimensionNumbersAttr numbers, const Dims& dims,
                 const Dims& update_dims)
      : numbers_(numbers),
        dims_(dims),
        strides_(RowMajorStrides(dims)),
        update_strides_(RowMajorStrides(update_dims)) {
    for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
      if (!Contains(numbers.getInsertedWindowDims(), d) &&
          !Contains(numbers.getInputBatchingDims(), d))
        window_axes_.push_back(d);
    for (int64_t d = 0; d < static_cast<int64_t>(update_dims.size()); ++d)
      (Contains(numbers.getUpdateWindowDims(), d) ? window_positions_
                                                  : scatter_positions_)
          .push_back(d);
    for (int64_t d : numbers.getScatterIndicesBatchingDims())
      batching_axes_.push_back(d < numbers.getIndexVectorDim() ? d : d - 1);
    for (int64_t d : window_positions_) window_dims_.push_back(update_dims[d]);
  }

  // The sizes of a window.
  const Dims& window_dims() const { return window_dims_; }

  // Returns the operand index at which the window of `batch` starts.
  Dims Start(const IndexVectors& vectors, const Dims& batch) const {
    Dims start(dims_.size(), 0);
    for (size_t k = 0; k < numbers_.getScatterDimsToOperandDims().size(); ++k)
      start[numbers_.getScatterDimsToOperandDims()[k]] =
          vectors.Component(batch, static_cast<int64_t>(k));
    for (size_t k = 0; k < batching_axes_.size(); ++k)
      start[numbers_.getInputBatchingDims()[k]] += batch[batching_axes_[k]];
    return start;
  }

  // Returns whether the whole window at `start` is in bounds.
  bool IsInside(const Dims& start) const {
    bool inside = true;
    for (size_t k = 0; k < window_axes_.size(); ++k) {
      const int64_t first = start[window_axes_[k]];
      inside &= first >= 0 && first <= dims_[window_axes_[k]] - window_dims_[k];
    }
    for (size_t d = 0; d < dims_.size(); ++d)
      if (!Contains(window_axes_, static_cast<int64_t>(d)))
        inside &= start[d] >= 0 && start[d] < dims_[d];
    return inside;
  }

  // Returns the linear index of element `window` of the window at `start` in the operand.
  int64_t OperandIndex(const Dims& start, const Dims& window) const {
    int64_t index = 0;
    for (size_t d = 0; d < dims_.size(); ++d) index += start[d] * strides_[d];
    for (size_t k = 0; k < window.size(); ++k)
      index += window[k] * strides_[window_axes_[k]];
    return index;
  }

  // Returns the linear index of element `window` of the window of `batch` in the updates.
  int64_t UpdateIndex(const Dims& batch, const Dims& window) const {
    int64_t index = 0;
    for (size_t k = 0; k < batch.size(); ++k)
      index += batch[k] * update_strides_[scatter_positions_[k]];
    for (size_t k = 0; k < window.size(); ++k)
      index += window[k] * update_strides_[window_positions_[k]];
    return index;
  }

 private:
  const stablehlo::ScatterDimensionNumbersAttr numbers_;
  const Dims dims_, strides_, update_strides_;
  Dims window_axes_, window_positions_;  // paired dimensions of operand and updates
  Dims window_dims_;
  Dims scatter_positions_;
  // For each operand batching dimension, the batch index dimension that it follows.
  Dims batching_axes_;
};

// Applies the update computation to single elements of the operands.
class ElementUpdater {
 public:
  ElementUpdater(RegionFunction& function, std::vector<Literal>& results,
                 std::span<const Literal> updates)
      : function_(function),
        results_(results),
        updates_(updates),
        slots_(results.size()),
        inputs_(2 * results.size()),
        outputs_(results.size()),
        data_(results.size()) {
    for (size_t i = 0; i < results.size(); ++i) {
      inputs_[i] = slots_[i].current;
      inputs_[results.size() + i] = slots_[i].update;
      outputs_[i] = slots_[i].result;
      if (results[i].count()) data_[i] = results[i].mutable_data();
    }
  }

  // Combines element `index` of each result with element `update_index` of its updates.
  Status Update(int64_t index, int64_t update_index) {
    for (size_t i = 0; i < results_.size(); ++i) {
      const ElementType type = results_[i].type();
      LoadElements(type, data_[i] + index * ElementBytes(type), slots_[i].current, 1);
      LoadElements(updates_[i].type(),
                   updates_[i].data() + update_index * ElementBytes(type),
                   slots_[i].update, 1);
    }
    TENON_RETURN_IF_ERROR(function_.Run(1, inputs_.data(), outputs_.data()));
    for (size_t i = 0; i < results_.size(); ++i) {
      const ElementType type = results_[i].type();
      StoreElements(type, slots_[i].result, data_[i] + index * ElementBytes(type), 1);
    }
    return OkStatus();
  }

 private:
  // The current element, the update element and the new element, in computing form
  // (compute.h).
  struct Slot {
    alignas(16) uint8_t current[16], update[16], result[16];
  };

  RegionFunction& function_;
  std::vector<Literal>& results_;
  std::span<const Literal> updates_;
  std::vector<Slot> slots_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  std::vector<uint8_t*> data_;
};

}  // namespace

Status EvalScatter(OpContext& context) {
  auto op = llvm::cast<stablehlo::ScatterOp>(context.op);
  const stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  const size_t count = op.getInputs().size();
  const IndexVectors vectors(context.operands[count], numbers.getIndexVectorDim());
  std::vector<Literal> results;
  for (size_t i = 0; i < count; ++i) results.push_back(std::move(context.operands[i]));
  const std::span<const Literal> updates(&context.operands[count + 1], count);
  RegionFunction function(context, op.getUpdateComputation());
  const ScatterWindows windows(numbers, results[0].dims(), updates[0].dims());
  ElementUpdater updater(function, results, updates);

  if (updates[0].count() > 0) {
    Dims batch(vectors.batch_dims().size(), 0);
    do {
      // A window is dropped as a whole if any part of it is out of bounds. XLA does so,
      // and JAX's gradients need it; the specification drops single elements.
      const Dims start = windows.Start(vectors, batch);
      if (!windows.IsInside(start)) continue;
      Dims window(windows.window_dims().size(), 0);
      do {
        TENON_RETURN_IF_ERROR(updater.Update(windows.OperandIndex(start, window),
                                             windows.UpdateIndex(batch, window)));
      } while (NextIndex(windows.window_dims(), window));
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
        const int64_t position =
            std::clamp<int64_t>(index.ValueAsInt(b * picks + n), 0, size - 1);
        std::memcpy(out, operand.data() + ((b * outer + o) * size + position) * inner,
                    inner);
      }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
