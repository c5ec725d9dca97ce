// Data movement ops: an element of the result is an operand's element at other indices,
// or a replacement value.
#include "tenon/compiler/kernels/point_builder.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

StatusOr<mlir::Value> PointBuilder::BuildReshape(stablehlo::ReshapeOp op, Indices indices,
                                                 mlir::Value mask) {
  llvm::ArrayRef<int64_t> to = ShapeOf(op.getResult()), from = ShapeOf(op.getOperand());
  llvm::SmallVector<mlir::Value> inner;
  // Groups of dimensions with equal element counts are independent.
  size_t t = 0, f = 0;
  while (t < to.size() || f < from.size()) {
    size_t t_end = t, f_end = f;
    int64_t t_count = 1, f_count = 1;
    if (t_end < to.size()) t_count *= to[t_end++];
    if (f_end < from.size()) f_count *= from[f_end++];
    while (t_count != f_count) {
      if ((t_count < f_count && t_end < to.size()) || f_end == from.size())
        t_count *= to[t_end++];
      else
        f_count *= from[f_end++];
    }
    // Trailing dimensions of size 1 belong to the last group.
    auto to_group = to.slice(t, t_end - t);
    auto from_group = from.slice(f, f_end - f);
    if (to_group == from_group) {
      llvm::append_range(inner, indices.slice(t, t_end - t));
    } else {
      mlir::Value linear = indices_.Linearize(indices.slice(t, t_end - t), to_group);
      llvm::append_range(inner, indices_.Delinearize(linear, from_group));
    }
    t = t_end;
    f = f_end;
  }
  return At(op.getOperand(), inner, mask);
}

mlir::Value PointBuilder::Undilated(mlir::Value index, int64_t size, int64_t step,
                                    mlir::Value& inside) {
  int64_t extent = size == 0 ? 0 : (size - 1) * step + 1;
  // A constant index needs no condition: the caller asks only for elements that exist.
  if (auto constant = indices_.ConstantOf(index);
      constant && *constant % step == 0 && *constant >= 0 && *constant < extent)
    return indices_.Constant(*constant / step);
  inside = indices_.And(inside, indices_.InRange(index, extent));
  if (step == 1) return index;
  inside = indices_.And(inside, indices_.Equal(indices_.RemU(index, step), 0));
  return indices_.DivU(index, step);
}

StatusOr<mlir::Value> PointBuilder::BuildPad(stablehlo::PadOp op, Indices indices,
                                             mlir::Value mask) {
  mlir::Value inside;
  llvm::SmallVector<mlir::Value> inner;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t low = op.getEdgePaddingLow()[d], step = op.getInteriorPadding()[d] + 1;
    mlir::Value index = indices_.Sub(indices[d], indices_.Constant(low));
    if (auto constant = indices_.ConstantOf(index);
        constant &&
        (*constant < 0 || *constant % step != 0 || *constant / step >= shape[d]))
      return At(op.getPaddingValue(), {}, mask);
    if (indices_.IsNeverInRange(index, (shape[d] - 1) * step + 1))
      return At(op.getPaddingValue(), {}, mask);
    inner.push_back(Undilated(index, shape[d], step, inside));
  }
  if (!inside) return At(op.getOperand(), inner, mask);
  TENON_ASSIGN_OR_RETURN(mlir::Value value,
                         At(op.getOperand(), inner, indices_.And(mask, inside)));
  TENON_ASSIGN_OR_RETURN(mlir::Value padding, At(op.getPaddingValue(), {}, mask));
  return Select(inside, value, padding);
}

StatusOr<mlir::Value> PointBuilder::BuildRolled(stablehlo::ConcatenateOp op,
                                                Indices indices, mlir::Value mask) {
  size_t dim = op.getDimension();
  stablehlo::SliceOp first;
  // The start of each input in the result, and its offset from there in the source.
  llvm::SmallVector<std::pair<int64_t, int64_t>> parts;
  int64_t start = 0;
  for (mlir::Value input : op.getInputs()) {
    auto slice = input.getDefiningOp<stablehlo::SliceOp>();
    if (!first) first = slice;
    parts.emplace_back(start, slice.getStartIndices()[dim] - start);
    start += ShapeOf(input)[dim];
  }
  llvm::SmallVector<mlir::Value> inner;
  for (auto [index, begin, stride] :
       llvm::zip_equal(indices, first.getStartIndices(), first.getStrides()))
    inner.push_back(indices_.Add(indices_.Mul(index, stride), indices_.Constant(begin)));
  auto moved = [&](int64_t by) {
    return indices_.Add(indices[dim], indices_.Constant(by));
  };
  inner[dim] = moved(parts.back().second);
  for (size_t part = parts.size() - 1; part-- > 0;)
    inner[dim] = indices_.SelectBelow(indices[dim], parts[part + 1].first,
                                      moved(parts[part].second), inner[dim]);
  // Where a mask is false, the index may be outside the result, and then the selected one
  // is outside the source: the load needs the mask.
  if (!mask || indices_.AreInside(indices, ShapeOf(op.getResult())))
    indices_.SetRange(inner[dim], 0, ShapeOf(first.getOperand())[dim] - 1);
  return At(first.getOperand(), inner, mask);
}

StatusOr<mlir::Value> PointBuilder::BuildConcatenate(stablehlo::ConcatenateOp op,
                                                     Indices indices, mlir::Value mask) {
  int64_t dim = op.getDimension(), start = 0;
  std::optional<int64_t> known = indices_.ConstantOf(indices[dim]);
  // Outside the innermost loop, selecting an index costs nothing per element, and the
  // source is evaluated once. Inside, adjacent lanes would not read adjacent elements.
  if (!known && levels_.LevelOf(indices[dim]) + 1 < levels_.depth() && IsRoll(op))
    return BuildRolled(op, indices, mask);
  mlir::Value result;
  for (mlir::Value input : op.getInputs()) {
    int64_t size = ShapeOf(input)[dim];
    if (size == 0) continue;
    llvm::SmallVector<mlir::Value> inner(indices);
    inner[dim] = indices_.Sub(indices[dim], indices_.Constant(start));
    if (indices_.IsNeverInRange(inner[dim], size)) {
      start += size;
      continue;
    }
    if (known) {
      if (*known < start + size) return At(input, inner, mask);
      start += size;
      continue;
    }
    mlir::Value inside = indices_.InRange(inner[dim], size);
    // An operand of a single element can be read at any index. Without a mask,
    // subexpressions that several operands share are computed once.
    bool single = size == 1;
    if (single) inner[dim] = indices_.Constant(0);
    TENON_ASSIGN_OR_RETURN(mlir::Value value,
                           At(input, inner, single ? mask : indices_.And(mask, inside)));
    result = result && inside ? Select(inside, value, result) : value;
    start += size;
  }
  if (!result) return UnsupportedOp(*op, "all of its operands are empty");
  return result;
}

StatusOr<mlir::Value> PointBuilder::BuildDynamicSlice(stablehlo::DynamicSliceOp op,
                                                      Indices indices, mlir::Value mask) {
  llvm::SmallVector<mlir::Value> inner;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t last = shape[d] - op.getSliceSizes()[d];
    if (last == 0) {
      inner.push_back(indices[d]);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(mlir::Value start, At(op.getStartIndices()[d], {}, mask));
    inner.push_back(indices_.Add(indices[d], ClampedIndex(start, last)));
  }
  return At(op.getOperand(), inner, mask);
}

StatusOr<mlir::Value> PointBuilder::BuildDynamicUpdateSlice(
    stablehlo::DynamicUpdateSliceOp op, Indices indices, mlir::Value mask) {
  mlir::Value inside;
  llvm::SmallVector<mlir::Value> inner;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  llvm::ArrayRef<int64_t> update = ShapeOf(op.getUpdate());
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t last = shape[d] - update[d];
    if (last == 0) {
      inner.push_back(indices[d]);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(mlir::Value start, At(op.getStartIndices()[d], {}, mask));
    inner.push_back(indices_.Sub(indices[d], ClampedIndex(start, last)));
    inside = indices_.And(inside, indices_.InRange(inner.back(), update[d]));
  }
  if (!inside) return At(op.getUpdate(), inner, mask);
  TENON_ASSIGN_OR_RETURN(mlir::Value updated,
                         At(op.getUpdate(), inner, indices_.And(mask, inside)));
  TENON_ASSIGN_OR_RETURN(mlir::Value old, At(op.getOperand(), indices, mask));
  return Select(inside, updated, old);
}

StatusOr<mlir::Value> PointBuilder::StartIndexScalar(mlir::Value tensor, Indices batch,
                                                     int64_t index_vector_dim,
                                                     int64_t component,
                                                     mlir::Value mask) {
  llvm::SmallVector<mlir::Value> position(batch);
  if (index_vector_dim < static_cast<int64_t>(ShapeOf(tensor).size()))
    position.insert(position.begin() + index_vector_dim, indices_.Constant(component));
  return At(tensor, position, mask);
}

StatusOr<mlir::Value> PointBuilder::BuildGather(stablehlo::GatherOp op, Indices indices,
                                                mlir::Value mask) {
  auto numbers = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  llvm::SmallVector<mlir::Value> batch, offset;
  for (auto [d, index] : llvm::enumerate(indices)) {
    bool is_offset = llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d));
    (is_offset ? offset : batch).push_back(index);
  }
  llvm::SmallVector<mlir::Value> inner(shape.size());
  for (auto [component, dim] : llvm::enumerate(numbers.getStartIndexMap())) {
    int64_t last = shape[dim] - op.getSliceSizes()[dim];
    TENON_ASSIGN_OR_RETURN(
        mlir::Value start,
        StartIndexScalar(op.getStartIndices(), batch, numbers.getIndexVectorDim(),
                         component, mask));
    inner[dim] = ClampedIndex(start, last);
  }
  for (auto [operand_dim, indices_dim] : llvm::zip_equal(
           numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
    int64_t position = indices_dim;
    if (indices_dim > numbers.getIndexVectorDim()) --position;
    inner[operand_dim] = batch[position];
  }
  size_t next_offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool removed =
        llvm::is_contained(numbers.getCollapsedSliceDims(), static_cast<int64_t>(d)) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), static_cast<int64_t>(d));
    if (!removed) {
      mlir::Value index = offset[next_offset++];
      inner[d] = inner[d] ? indices_.Add(inner[d], index) : index;
    } else if (!inner[d]) {
      inner[d] = indices_.Constant(0);
    }
  }
  return At(op.getOperand(), inner, mask);
}

StatusOr<mlir::Value> PointBuilder::BuildBitcast(stablehlo::BitcastConvertOp op,
                                                 Indices indices, mlir::Value mask) {
  mlir::Value operand = op.getOperand();
  auto bits = [](mlir::Value tensor) {
    return ElementBits(ir::ElementTypeOfShaped(tensor.getType()));
  };
  int from = bits(operand), to = bits(op.getResult());
  mlir::RankedTensorType type = ScalarTypeOf(op.getResult());
  auto create = [&](llvm::ArrayRef<mlir::Value> values, mlir::Value part) {
    mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(values));
    if (!part) return mlir::Value(ir::BitcastOp::create(b, op.getLoc(), type, values, 0));
    // If the number of the part is known only at run time, selects among all parts.
    mlir::Value result;
    for (int64_t number = 0; number < from / to; ++number) {
      mlir::Value piece = ir::BitcastOp::create(b, op.getLoc(), type, values, number);
      result = result ? Select(indices_.Equal(part, number), piece, result) : piece;
    }
    return result;
  };
  if (from > to) {  // one wide element consists of several narrow ones
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(operand, indices.drop_back(), mask));
    return create(value, indices.back());
  }
  llvm::SmallVector<mlir::Value> values;
  int64_t count = from < to ? to / from : 1;
  for (int64_t number = 0; number < count; ++number) {
    llvm::SmallVector<mlir::Value> inner(indices);
    if (from < to) inner.push_back(indices_.Constant(number));
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(operand, inner, mask));
    values.push_back(value);
  }
  return create(values, nullptr);
}

}  // namespace tenon::compiler
