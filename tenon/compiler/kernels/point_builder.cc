#include "tenon/compiler/kernels/point_builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/codegen/elementwise/elementwise_op.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using codegen::UnsupportedOp;

llvm::ArrayRef<int64_t> ShapeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}

mlir::RankedTensorType ScalarTypeOf(mlir::Value tensor) {
  return mlir::RankedTensorType::get(
      {}, llvm::cast<mlir::RankedTensorType>(tensor.getType()).getElementType());
}

bool IsSplatConstant(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant) return false;
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat();
}

}  // namespace

bool IsElementwise(mlir::Operation* op) {
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op)) {
    // Known for real numbers; of others the decomposition is computed.
    llvm::StringRef name = composite.getName();
    if (!name.consume_front("chlo.") || !ElementwiseOpFromName(name)) return false;
    return op->getNumResults() == 1 &&
           llvm::all_of(op->getOperandTypes(), [&](mlir::Type type) {
             ElementType element = ir::ElementTypeOfShaped(type);
             return name == "mulhi" ? IsInteger(element) : IsFloat(element);
           });
  }
  if (op->getName().getDialectNamespace() != "stablehlo") return false;
  if (auto cast = llvm::dyn_cast<stablehlo::BitcastConvertOp>(op))
    return ElementBits(ir::ElementTypeOfShaped(cast.getOperand().getType())) ==
           ElementBits(ir::ElementTypeOfShaped(cast.getResult().getType()));
  return ElementwiseOpFromName(op->getName().stripDialect()).has_value();
}

bool IsCostly(mlir::Operation* op) {
  static const llvm::StringLiteral kCostly[] = {
      "divide",   "remainder",    "exponential", "exponential_minus_one",
      "log",      "log_plus_one", "logistic",    "tanh",
      "sine",     "cosine",       "tan",         "power",
      "sqrt",     "rsqrt",        "cbrt",        "atan2",
      "composite"};
  return llvm::is_contained(kCostly, op->getName().stripDialect());
}

bool IsPointOp(mlir::Operation* op) {
  if (IsElementwise(op) || IsSplatConstant(op)) return true;
  return llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                   stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::ReverseOp,
                   stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::DynamicSliceOp,
                   stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp,
                   stablehlo::BitcastConvertOp, stablehlo::ReduceOp,
                   stablehlo::ReduceWindowOp, stablehlo::MapOp>(op);
}

bool PointBuilder::Key::operator<(const Key& other) const {
  if (tensor != other.tensor)
    return tensor.getAsOpaquePointer() < other.tensor.getAsOpaquePointer();
  if (mask != other.mask)
    return mask.getAsOpaquePointer() < other.mask.getAsOpaquePointer();
  return std::lexicographical_compare(
      indices.begin(), indices.end(), other.indices.begin(), other.indices.end(),
      [](mlir::Value a, mlir::Value b) {
        return a.getAsOpaquePointer() < b.getAsOpaquePointer();
      });
}

void PointBuilder::BindPoint(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                             mlir::Value scalar) {
  known_[Key{tensor, llvm::SmallVector<mlir::Value, 4>(indices), nullptr}] = scalar;
}

mlir::Value PointBuilder::Load(mlir::Value view, llvm::ArrayRef<mlir::Value> indices,
                               mlir::Value mask) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
  mlir::Value other;
  size_t level = levels_.LevelOf(indices);
  if (mask) {
    level = std::max(level, levels_.LevelOf(mask));
    other = IntegerConstant(scalar, 0);
  }
  mlir::OpBuilder b = levels_.Builder(level);
  return ir::LoadOp::create(b, levels_.loc(), scalar, view, indices, mask, other);
}

StatusOr<mlir::Value> PointBuilder::At(mlir::Value tensor,
                                       llvm::ArrayRef<mlir::Value> indices,
                                       mlir::Value mask) {
  Key key{tensor, llvm::SmallVector<mlir::Value, 4>(indices), mask};
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  if (mask) {
    Key unmasked{tensor, key.indices, nullptr};
    if (auto found = known_.find(unmasked); found != known_.end()) return found->second;
  }
  mlir::Value value;
  if (auto bound = bindings_.find(tensor); bound != bindings_.end()) {
    value = llvm::isa<mlir::MemRefType>(bound->second.getType())
                ? Load(bound->second, indices, mask)
                : bound->second;
  } else {
    auto result = llvm::dyn_cast<mlir::OpResult>(tensor);
    if (!result) return Internal("a fusion refers to a value that is not bound");
    TENON_ASSIGN_OR_RETURN(value, Build(result, indices, mask));
  }
  known_[key] = value;
  return value;
}

mlir::Value PointBuilder::Elementwise(mlir::Operation* op,
                                      llvm::ArrayRef<mlir::Value> operands) {
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(operands));
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(ScalarTypeOf(op->getResult(0)));
  mlir::Operation* clone = b.create(state);
  clone->setAttrs(op->getAttrs());
  if (op->getPropertiesStorage()) clone->copyProperties(op->getPropertiesStorage());
  return clone->getResult(0);
}

mlir::Value PointBuilder::IntegerConstant(mlir::Type scalar_type, int64_t value) {
  auto type = llvm::cast<mlir::RankedTensorType>(scalar_type);
  mlir::OpBuilder b = levels_.Builder(0);
  mlir::Type element = type.getElementType();
  mlir::DenseElementsAttr attr;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    llvm::APFloat zero = llvm::APFloat::getZero(
        llvm::cast<mlir::FloatType>(complex.getElementType()).getFloatSemantics());
    attr = mlir::DenseElementsAttr::get(type, std::complex<llvm::APFloat>(zero, zero));
  } else if (auto real = llvm::dyn_cast<mlir::FloatType>(element)) {
    llvm::APFloat number(static_cast<double>(value));
    bool lossy = false;
    number.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    attr = mlir::DenseElementsAttr::get(type, number);
  } else {
    attr = mlir::DenseElementsAttr::get(
        type, llvm::APInt(element.getIntOrFloatBitWidth(), value, true, true));
  }
  return stablehlo::ConstantOp::create(b, levels_.loc(), attr);
}

mlir::Value PointBuilder::Select(mlir::Value pred, mlir::Value on_true,
                                 mlir::Value on_false) {
  size_t level = levels_.LevelOf({pred, on_true, on_false});
  mlir::OpBuilder b = levels_.Builder(level);
  mlir::Value as_tensor = pred;
  if (pred.getType().isInteger(1)) {
    auto type = mlir::RankedTensorType::get({}, b.getI1Type());
    as_tensor = ir::FromPredOp::create(b, levels_.loc(), type, pred);
  }
  return stablehlo::SelectOp::create(b, levels_.loc(), on_true.getType(), as_tensor,
                                     on_true, on_false);
}

mlir::Value PointBuilder::ClampedIndex(mlir::Value scalar, int64_t last) {
  ElementType type = ir::ElementTypeOfShaped(scalar.getType());
  int bits = ElementBits(type) - (IsSignedInteger(type) ? 1 : 0);
  int64_t largest =
      bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  mlir::Value low = IntegerConstant(scalar.getType(), 0);
  mlir::Value high = IntegerConstant(scalar.getType(), std::min(last, largest));
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(scalar));
  mlir::Value clamped =
      stablehlo::ClampOp::create(b, levels_.loc(), scalar.getType(), low, scalar, high);
  mlir::Value index = ir::ToIndexOp::create(b, levels_.loc(), b.getIndexType(), clamped);
  indices_.SetRange(index, 0, last);
  return index;
}

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::InlineRegion(
    mlir::Region& region, llvm::ArrayRef<mlir::Value> arguments) {
  mlir::Block& block = region.front();
  // What was known of this region's values belongs to other arguments.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  for (auto [parameter, argument] : llvm::zip_equal(block.getArguments(), arguments))
    values[parameter] = argument;
  for (mlir::Operation& op : block.without_terminator()) {
    if (IsSplatConstant(&op)) {
      mlir::OpBuilder b = levels_.Builder(0);
      values[op.getResult(0)] = b.clone(op)->getResult(0);
      continue;
    }
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op.getOperands()) {
      auto found = values.find(operand);
      if (found == values.end()) {
        // A value from outside the region: a scalar of the fusion.
        TENON_ASSIGN_OR_RETURN(mlir::Value outer, At(operand, {}, nullptr));
        operands.push_back(outer);
      } else {
        operands.push_back(found->second);
      }
    }
    auto rank0 = [](mlir::Type type) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      return tensor && tensor.getRank() == 0;
    };
    if (!llvm::all_of(op.getResultTypes(), rank0))
      return UnsupportedOp(op, "only scalar computations are supported in this region");
    if (llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
                  stablehlo::TransposeOp>(op)) {
      values[op.getResult(0)] = operands[0];
    } else if (IsElementwise(&op)) {
      values[op.getResult(0)] = Elementwise(&op, operands);
    } else {
      return UnsupportedOp(op, "this op is not supported in the region of another");
    }
  }
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value operand : block.getTerminator()->getOperands()) {
    auto found = values.find(operand);
    if (found != values.end()) {
      results.push_back(found->second);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(mlir::Value outer, At(operand, {}, nullptr));
    results.push_back(outer);
  }
  return results;
}

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::Reduce(
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
    mlir::Region& combiner, size_t level,
    llvm::function_ref<
        StatusOr<llvm::SmallVector<mlir::Value>>(llvm::ArrayRef<mlir::Value>)>
        point) {
  mlir::Location loc = levels_.loc();
  mlir::OpBuilder b = levels_.Builder(level);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto reduce = ir::ReduceOp::create(b, loc, types, sizes, inits);
  mlir::Block* body = b.createBlock(&reduce.getBody());
  for (int64_t size : sizes) {
    mlir::Value iv = body->addArgument(b.getIndexType(), loc);
    indices_.SetRange(iv, 0, size - 1);
  }
  // Levels inside `level` are left aside while the body is built.
  LevelStack inner(loc);
  std::swap(inner, levels_);
  for (size_t i = 0; i <= level; ++i) levels_.Push(inner.BlockAt(i));
  levels_.Push(body);
  auto restore = [&] { std::swap(inner, levels_); };
  auto values = point(llvm::SmallVector<mlir::Value>(body->getArguments()));
  if (!values.ok()) {
    restore();
    return std::move(values).status();
  }
  mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(body);
  ir::YieldOp::create(end, loc, *values);

  mlir::Block* combine = end.createBlock(&reduce.getCombiner());
  for (int i = 0; i < 2; ++i)
    for (mlir::Type type : types) combine->addArgument(type, loc);
  levels_.Pop();
  levels_.Push(combine);
  auto combined =
      InlineRegion(combiner, llvm::SmallVector<mlir::Value>(combine->getArguments()));
  if (combined.ok()) {
    end.setInsertionPointToEnd(combine);
    ir::YieldOp::create(end, loc, *combined);
  }
  restore();
  if (!combined.ok()) return std::move(combined).status();
  return llvm::SmallVector<mlir::Value>(reduce.getResults());
}

StatusOr<mlir::Value> PointBuilder::Build(mlir::OpResult result, Indices indices,
                                          mlir::Value mask) {
  mlir::Operation* op = result.getOwner();
  if (IsSplatConstant(op)) {
    auto dense = llvm::cast<mlir::DenseElementsAttr>(
        llvm::cast<stablehlo::ConstantOp>(op).getValue());
    mlir::OpBuilder b = levels_.Builder(0);
    return mlir::Value(stablehlo::ConstantOp::create(
        b, op->getLoc(), dense.resizeSplat(ScalarTypeOf(result))));
  }
  if (IsElementwise(op)) {
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands()) {
      bool scalar = ShapeOf(operand).empty();
      TENON_ASSIGN_OR_RETURN(mlir::Value value,
                             At(operand, scalar ? Indices() : indices, mask));
      operands.push_back(value);
    }
    return Elementwise(op, operands);
  }
  return llvm::TypeSwitch<mlir::Operation*, StatusOr<mlir::Value>>(op)
      .Case([&](stablehlo::IotaOp iota) -> StatusOr<mlir::Value> {
        mlir::Value index = indices[iota.getIotaDimension()];
        mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(index));
        return mlir::Value(
            ir::FromIndexOp::create(b, op->getLoc(), ScalarTypeOf(result), index));
      })
      .Case([&](stablehlo::BroadcastInDimOp broadcast) {
        llvm::SmallVector<mlir::Value> inner;
        for (auto [size, dim] : llvm::zip_equal(ShapeOf(broadcast.getOperand()),
                                                broadcast.getBroadcastDimensions()))
          inner.push_back(size == 1 ? indices_.Constant(0) : indices[dim]);
        return At(broadcast.getOperand(), inner, mask);
      })
      .Case([&](stablehlo::ReshapeOp reshape) {
        return BuildReshape(reshape, indices, mask);
      })
      .Case([&](stablehlo::TransposeOp transpose) {
        llvm::SmallVector<mlir::Value> inner(indices.size());
        for (auto [position, dim] : llvm::enumerate(transpose.getPermutation()))
          inner[dim] = indices[position];
        return At(transpose.getOperand(), inner, mask);
      })
      .Case([&](stablehlo::SliceOp slice) {
        llvm::SmallVector<mlir::Value> inner;
        for (auto [index, start, stride] :
             llvm::zip_equal(indices, slice.getStartIndices(), slice.getStrides()))
          inner.push_back(
              indices_.Add(indices_.Mul(index, stride), indices_.Constant(start)));
        return At(slice.getOperand(), inner, mask);
      })
      .Case([&](stablehlo::ReverseOp reverse) {
        llvm::SmallVector<mlir::Value> inner(indices);
        for (int64_t dim : reverse.getDimensions())
          inner[dim] = indices_.Sub(
              indices_.Constant(ShapeOf(reverse.getOperand())[dim] - 1), indices[dim]);
        return At(reverse.getOperand(), inner, mask);
      })
      .Case([&](stablehlo::MapOp map) -> StatusOr<mlir::Value> {
        llvm::SmallVector<mlir::Value> arguments;
        for (mlir::Value input : map.getInputs()) {
          TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, indices, mask));
          arguments.push_back(value);
        }
        TENON_ASSIGN_OR_RETURN(auto results,
                               InlineRegion(map.getComputation(), arguments));
        return results[0];
      })
      .Case([&](stablehlo::PadOp pad) { return BuildPad(pad, indices, mask); })
      .Case([&](stablehlo::ConcatenateOp concatenate) {
        return BuildConcatenate(concatenate, indices, mask);
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        return BuildDynamicSlice(slice, indices, mask);
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp update) {
        return BuildDynamicUpdateSlice(update, indices, mask);
      })
      .Case(
          [&](stablehlo::GatherOp gather) { return BuildGather(gather, indices, mask); })
      .Case([&](stablehlo::BitcastConvertOp cast) {
        return BuildBitcast(cast, indices, mask);
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        return BuildReduce(reduce, result.getResultNumber(), indices, mask);
      })
      .Case([&](stablehlo::ReduceWindowOp window) {
        return BuildReduceWindow(window, result.getResultNumber(), indices, mask);
      })
      .Default([&](mlir::Operation*) -> StatusOr<mlir::Value> {
        return UnsupportedOp(*op, "no code is generated for this op");
      });
}

StatusOr<mlir::Value> PointBuilder::BuildReshape(stablehlo::ReshapeOp op, Indices indices,
                                                 mlir::Value mask) {
  llvm::ArrayRef<int64_t> to = ShapeOf(op.getResult()), from = ShapeOf(op.getOperand());
  llvm::SmallVector<mlir::Value> inner;
  // Groups of dimensions with equal element counts are independent of each other.
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
    // Trailing ones belong to the last group.
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

StatusOr<mlir::Value> PointBuilder::BuildPad(stablehlo::PadOp op, Indices indices,
                                             mlir::Value mask) {
  mlir::Value inside;
  llvm::SmallVector<mlir::Value> inner;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t low = op.getEdgePaddingLow()[d], step = op.getInteriorPadding()[d] + 1;
    mlir::Value index = indices_.Sub(indices[d], indices_.Constant(low));
    int64_t extent = shape[d] == 0 ? 0 : (shape[d] - 1) * step + 1;
    inside = indices_.And(inside, indices_.InRange(index, extent));
    if (step > 1) {
      inside = indices_.And(inside, indices_.Equal(indices_.RemU(index, step), 0));
      index = indices_.DivU(index, step);
    }
    inner.push_back(index);
  }
  if (!inside) return At(op.getOperand(), inner, mask);
  TENON_ASSIGN_OR_RETURN(mlir::Value value,
                         At(op.getOperand(), inner, indices_.And(mask, inside)));
  TENON_ASSIGN_OR_RETURN(mlir::Value padding, At(op.getPaddingValue(), {}, mask));
  return Select(inside, value, padding);
}

StatusOr<mlir::Value> PointBuilder::BuildConcatenate(stablehlo::ConcatenateOp op,
                                                     Indices indices, mlir::Value mask) {
  int64_t dim = op.getDimension(), start = 0;
  mlir::Value result;
  for (mlir::Value input : op.getInputs()) {
    int64_t size = ShapeOf(input)[dim];
    if (size == 0) continue;
    llvm::SmallVector<mlir::Value> inner(indices);
    inner[dim] = indices_.Sub(indices[dim], indices_.Constant(start));
    mlir::Value inside = indices_.InRange(inner[dim], size);
    TENON_ASSIGN_OR_RETURN(mlir::Value value,
                           At(input, inner, indices_.And(mask, inside)));
    result = result && inside ? Select(inside, value, result) : value;
    start += size;
  }
  if (!result) return UnsupportedOp(*op, "concatenate of nothing");
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
    // The part is an index: choose among all of them.
    mlir::Value result;
    for (int64_t number = 0; number < from / to; ++number) {
      mlir::Value piece = ir::BitcastOp::create(b, op.getLoc(), type, values, number);
      result = result ? Select(indices_.Equal(part, number), piece, result) : piece;
    }
    return result;
  };
  if (from > to) {  // one wide element gives several narrow ones
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

StatusOr<mlir::Value> PointBuilder::BuildReduce(stablehlo::ReduceOp op, unsigned number,
                                                Indices indices, mlir::Value mask) {
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs()[0]);
  llvm::SmallVector<int64_t> reduced(op.getDimensions());
  llvm::sort(reduced);
  for (int64_t dim : reduced) sizes.push_back(shape[dim]);
  llvm::SmallVector<mlir::Value> inits;
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  for (mlir::Value init : op.getInitValues()) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(init, {}, nullptr));
    level = std::max(level, levels_.LevelOf(value));
    inits.push_back(value);
  }
  TENON_ASSIGN_OR_RETURN(
      auto results,
      Reduce(sizes, inits, op.getBody(), level,
             [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
               llvm::SmallVector<mlir::Value> position;
               size_t kept = 0, next = 0;
               for (size_t d = 0; d < shape.size(); ++d) {
                 bool is_reduced = llvm::is_contained(reduced, static_cast<int64_t>(d));
                 position.push_back(is_reduced ? inner[next++] : indices[kept++]);
               }
               llvm::SmallVector<mlir::Value> values;
               for (mlir::Value input : op.getInputs()) {
                 TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, mask));
                 values.push_back(value);
               }
               return values;
             }));
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    known_[Key{result, llvm::SmallVector<mlir::Value, 4>(indices), mask}] = value;
  return results[number];
}

StatusOr<mlir::Value> PointBuilder::BuildReduceWindow(stablehlo::ReduceWindowOp op,
                                                      unsigned number, Indices indices,
                                                      mlir::Value mask) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs()[0]);
  size_t rank = shape.size();
  auto entry = [](std::optional<llvm::ArrayRef<int64_t>> values, size_t d) {
    return values && !values->empty() ? (*values)[d] : int64_t{1};
  };
  llvm::SmallVector<mlir::Value> inits;
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  for (mlir::Value init : op.getInitValues()) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(init, {}, nullptr));
    level = std::max(level, levels_.LevelOf(value));
    inits.push_back(value);
  }
  // Window dimensions of size 1 need no loop.
  llvm::SmallVector<int64_t> sizes;
  for (int64_t size : op.getWindowDimensions())
    if (size != 1) sizes.push_back(size);
  TENON_ASSIGN_OR_RETURN(
      auto results,
      Reduce(sizes, inits, op.getBody(), level,
             [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
               llvm::SmallVector<mlir::Value> position;
               mlir::Value inside;
               size_t next = 0;
               for (size_t d = 0; d < rank; ++d) {
                 mlir::Value index =
                     indices_.Mul(indices[d], entry(op.getWindowStrides(), d));
                 if (op.getWindowDimensions()[d] != 1)
                   index = indices_.Add(
                       index,
                       indices_.Mul(inner[next++], entry(op.getWindowDilations(), d)));
                 int64_t low = 0;
                 if (auto padding = op.getPadding())
                   low = padding->getValues<int64_t>()[{d, 0}];
                 index = indices_.Sub(index, indices_.Constant(low));
                 int64_t base = entry(op.getBaseDilations(), d);
                 int64_t extent = shape[d] == 0 ? 0 : (shape[d] - 1) * base + 1;
                 inside = indices_.And(inside, indices_.InRange(index, extent));
                 if (base > 1) {
                   inside = indices_.And(inside,
                                         indices_.Equal(indices_.RemU(index, base), 0));
                   index = indices_.DivU(index, base);
                 }
                 position.push_back(index);
               }
               llvm::SmallVector<mlir::Value> values;
               mlir::Value both = indices_.And(mask, inside);
               for (auto [input, init] : llvm::zip_equal(op.getInputs(), inits)) {
                 TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, both));
                 values.push_back(inside ? Select(inside, value, init) : value);
               }
               return values;
             }));
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    known_[Key{result, llvm::SmallVector<mlir::Value, 4>(indices), mask}] = value;
  return results[number];
}

}  // namespace tenon::compiler
