#include "tenon/compiler/kernels/point_builder.h"

#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

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
  // A mask keeps accesses inside their arrays. If the ranges of the indices guarantee
  // that, the value does not depend on the mask. A reduction can then stay outside the
  // mask's loop.
  if (mask && indices_.AreInside(indices, ShapeOf(tensor))) mask = nullptr;
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
  // A new load under the same condition can return `on_false` itself where it is masked.
  if (auto load = on_true.getDefiningOp<ir::LoadOp>();
      load && load->use_empty() && load.getMask() == pred &&
      on_true.getType() == on_false.getType() &&
      levels_.LevelOf(on_false) < levels_.LevelOf(on_true) &&
      filled_.insert(load).second) {
    load.getOtherMutable().assign(on_false);
    return on_true;
  }
  mlir::Value as_tensor = pred.getType().isInteger(1) ? PredValue(pred) : pred;
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf({pred, on_true, on_false}));
  return stablehlo::SelectOp::create(b, levels_.loc(), on_true.getType(), as_tensor,
                                     on_true, on_false);
}

mlir::Value PointBuilder::PredValue(mlir::Value pred) {
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(pred));
  auto type = mlir::RankedTensorType::get({}, b.getI1Type());
  if (!pred) return IntegerConstant(type, 1);
  return ir::FromPredOp::create(b, levels_.loc(), type, pred);
}

mlir::Value PointBuilder::ClampedIndex(mlir::Value scalar, int64_t last) {
  // The scalar was converted from an index that is in range.
  if (auto from_index = scalar.getDefiningOp<ir::FromIndexOp>()) {
    auto range = indices_.Range(from_index.getIndex());
    if (range && range->first >= 0 && range->second <= last) return from_index.getIndex();
  }
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
  // A fresh map: cached values of this region belong to other arguments.
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
    if (!llvm::all_of(op.getResultTypes(), IsRankZero))
      return UnsupportedOp(op, "only scalar computations are supported in this region");
    if (llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
                  stablehlo::TransposeOp>(op)) {
      values[op.getResult(0)] = operands[0];
    } else if (IsElementwise(&op)) {
      values[op.getResult(0)] = Elementwise(&op, operands);
    } else {
      return UnsupportedOp(op, "this op is not supported in the region of another op");
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

StatusOr<mlir::Value> PointBuilder::BuildElement(stablehlo::ConstantOp op,
                                                 Indices indices) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  uint64_t position = 0;
  for (auto [index, size] : llvm::zip_equal(indices, ShapeOf(op.getResult()))) {
    auto constant = indices_.ConstantOf(index);
    if (!constant || !dense)
      return UnsupportedOp(
          *op, "elements of this constant are read at indices that are not constant");
    position = position * size + *constant;
  }
  auto element = *std::next(dense.value_begin<mlir::Attribute>(), position);
  mlir::OpBuilder b = levels_.Builder(0);
  return mlir::Value(stablehlo::ConstantOp::create(
      b, op.getLoc(),
      mlir::DenseElementsAttr::get(ScalarTypeOf(op.getResult()), element)));
}

mlir::Value PointBuilder::BuildSplat(stablehlo::ConstantOp op) {
  auto dense = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
  mlir::OpBuilder b = levels_.Builder(0);
  return stablehlo::ConstantOp::create(b, op.getLoc(),
                                       dense.resizeSplat(ScalarTypeOf(op.getResult())));
}

StatusOr<mlir::Value> PointBuilder::BuildElementwise(mlir::Operation* op, Indices indices,
                                                     mlir::Value mask) {
  llvm::SmallVector<mlir::Value> operands;
  for (mlir::Value operand : op->getOperands()) {
    bool scalar = ShapeOf(operand).empty();
    TENON_ASSIGN_OR_RETURN(mlir::Value value,
                           At(operand, scalar ? Indices() : indices, mask));
    operands.push_back(value);
  }
  return Elementwise(op, operands);
}

StatusOr<mlir::Value> PointBuilder::BuildMap(stablehlo::MapOp op, Indices indices,
                                             mlir::Value mask) {
  llvm::SmallVector<mlir::Value> arguments;
  for (mlir::Value input : op.getInputs()) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, indices, mask));
    arguments.push_back(value);
  }
  TENON_ASSIGN_OR_RETURN(auto results, InlineRegion(op.getComputation(), arguments));
  return results[0];
}

StatusOr<mlir::Value> PointBuilder::Build(mlir::OpResult result, Indices indices,
                                          mlir::Value mask) {
  mlir::Operation* op = result.getOwner();
  if (IsSplatConstant(op)) return BuildSplat(llvm::cast<stablehlo::ConstantOp>(op));
  if (IsElementwise(op)) return BuildElementwise(op, indices, mask);
  return llvm::TypeSwitch<mlir::Operation*, StatusOr<mlir::Value>>(op)
      .Case(
          [&](stablehlo::ConstantOp constant) { return BuildElement(constant, indices); })
      .Case([&](stablehlo::DotGeneralOp dot) { return BuildDot(dot, indices, mask); })
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
      .Case([&](stablehlo::MapOp map) { return BuildMap(map, indices, mask); })
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
        return UnsupportedOp(*op, "this op is not supported");
      });
}

}  // namespace tenon::compiler
