#include "tenon/compiler/partition/localize_indices.h"

#include <limits>

#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/partition/part_builder.h"
#include "tenon/dialects/stablehlo/combiner.h"

namespace tenon::compiler::partition {
namespace {

using Direction = stablehlo::ComparisonDirection;

bool HasFactor(const DimFactors& factors, int32_t factor) {
  return llvm::is_contained(factors, factor);
}

// The only dimension with the factor, or -1.
int64_t DimOf(const Mapping& mapping, int32_t factor) {
  for (auto [dim, factors] : llvm::enumerate(mapping)) {
    if (HasFactor(factors, factor)) return static_cast<int64_t>(dim);
  }
  return -1;
}

// Indices are computed as i64, which has all values of other types than ui64.
bool FitsI64(mlir::Value indices) {
  auto type = llvm::dyn_cast<mlir::IntegerType>(TypeOf(indices).getElementType());
  return type && (type.getWidth() < 64 || !type.isUnsigned());
}

// Types whose bits an integer of the same width has.
bool HasBits(mlir::Type element) {
  if (!element.isIntOrFloat()) return false;
  const unsigned width = element.getIntOrFloatBitWidth();
  if (llvm::isa<mlir::IntegerType>(element)) return width == 1 || width >= 8;
  return width >= 16;
}

// Takes index tensors apart into the indices of one dimension each.
class IndexVectors {
 public:
  IndexVectors(PartBuilder& p, mlir::Value indices, int64_t vector_dim)
      : p_(p), indices_(indices), vector_dim_(vector_dim) {}

  // The indices of dimension `number` of the list of indexed dimensions, as i64.
  mlir::Value Component(int64_t number) {
    mlir::Value component = indices_;
    if (HasVectors()) {
      component = p_.Slice(component, vector_dim_, number, 1);
      llvm::SmallVector<int64_t> shape(TypeOf(component).getShape());
      shape.erase(shape.begin() + vector_dim_);
      component = p_.Reshape(component, shape);
    }
    return p_.Convert(component, p_.builder().getI64Type());
  }

  // The opposite of Component, of type i32 if `sizes` allow that.
  mlir::Value Join(llvm::ArrayRef<mlir::Value> components,
                   llvm::ArrayRef<int64_t> sizes) {
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max() - 1;
    const bool fits = llvm::all_of(sizes, [](int64_t size) { return size <= kMax; });
    mlir::OpBuilder& b = p_.builder();
    const mlir::Type element = fits ? b.getI32Type() : b.getI64Type();
    llvm::SmallVector<mlir::Value> parts;
    for (mlir::Value component : components) {
      component = p_.Convert(component, element);
      if (HasVectors()) {
        llvm::SmallVector<int64_t> shape(TypeOf(component).getShape());
        shape.insert(shape.begin() + vector_dim_, 1);
        component = p_.Reshape(component, shape);
      }
      parts.push_back(component);
    }
    return HasVectors() ? p_.Concatenate(parts, vector_dim_) : parts.front();
  }

 private:
  bool HasVectors() const { return vector_dim_ < TypeOf(indices_).getRank(); }

  PartBuilder& p_;
  mlir::Value indices_;
  int64_t vector_dim_;
};

mlir::Value Clamp(PartBuilder& p, mlir::Value value, int64_t low, int64_t high) {
  value = p.Apply("stablehlo.maximum", value, p.Splat(TypeOf(value), low));
  return p.Apply("stablehlo.minimum", value, p.Splat(TypeOf(value), high));
}

mlir::Value Minus(PartBuilder& p, mlir::Value value, mlir::Value scalar) {
  return p.Apply("stablehlo.subtract", value,
                 p.Broadcast(scalar, TypeOf(value).getShape()));
}

// `a` may be null.
mlir::Value And(PartBuilder& p, mlir::Value a, mlir::Value b) {
  return a ? p.Apply("stablehlo.and", a, b) : b;
}

mlir::Value IsInside(PartBuilder& p, mlir::Value index, int64_t size) {
  return And(p, p.Compare(Direction::GE, index, p.Splat(TypeOf(index), 0)),
             p.Compare(Direction::LT, index, p.Splat(TypeOf(index), size)));
}

// The bits of `value` on the device where `is_here`, whose dimensions are `dims` of it;
// zero bits elsewhere.
PartialResult BitsWhere(PartBuilder& p, mlir::Value is_here, mlir::Value value,
                        llvm::ArrayRef<int64_t> dims) {
  const mlir::Type element = TypeOf(value).getElementType();
  mlir::Type bits = element;
  if (llvm::isa<mlir::FloatType>(element)) {
    bits = mlir::IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                                  mlir::IntegerType::Unsigned);
  }
  value = p.Bitcast(value, bits);
  PartialResult result;
  result.local = p.Select(p.Broadcast(is_here, TypeOf(value).getShape(), dims), value,
                          p.Zeros(TypeOf(value)));
  result.combiner = "stablehlo.or";
  result.finish = [element, location = p.location()](mlir::OpBuilder& builder,
                                                     mlir::Value combined) {
    return PartBuilder(builder, location).Bitcast(combined, element);
  };
  return result;
}

bool IsIdentity(mlir::Value value, mlir::DenseElementsAttr identity) {
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (broadcast) value = broadcast.getOperand();
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  return dense && dense.isSplat() &&
         dense.resizeSplat(llvm::cast<mlir::ShapedType>(identity.getType())) == identity;
}

}  // namespace

bool MaySplitGather(stablehlo::GatherOp op, const Rule& rule, int32_t factor) {
  const int64_t dim = DimOf(rule.operands[0], factor);
  return dim >= 0 && DimOf(rule.operands[1], factor) < 0 &&
         op.getSliceSizes()[dim] == 1 && FitsI64(op.getStartIndices()) &&
         HasBits(TypeOf(op.getResult()).getElementType()) &&
         llvm::is_contained(op.getDimensionNumbers().getStartIndexMap(), dim);
}

void AllowPartialSlices(stablehlo::DynamicSliceOp op, Rule& rule) {
  if (!HasBits(TypeOf(op.getResult()).getElementType()) ||
      op.getOperand().getParentRegion() != op->getParentRegion() ||
      !llvm::all_of(op.getStartIndices(), FitsI64)) {
    return;
  }
  for (auto [dim, size] : llvm::enumerate(ShapeOf(op.getOperand()))) {
    if (op.getSliceSizes()[dim] != 1 || size == 1) continue;
    rule.operands[0][dim] = {static_cast<int32_t>(rule.factors.size())};
    rule.factors.push_back({size, FactorKind::kReduction});
  }
}

bool MaySplitScatterInput(stablehlo::ScatterOp op, const Rule& rule, int32_t factor) {
  const int64_t dim = DimOf(rule.operands[0], factor);
  const auto numbers = op.getScatterDimensionNumbers();
  return dim >= 0 && FitsI64(op.getScatterIndices()) &&
         llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
         llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
}

bool MaySplitUpdates(stablehlo::ScatterOp op, const Rule& rule, int32_t factor) {
  const size_t count = op.getInputs().size();
  mlir::Block& body = op.getUpdateComputation().front();
  if (DimOf(rule.operands[count], factor) < 0 || !stablehlo::MayCombineUpdates(body)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    mlir::Type element = TypeOf(op.getInputs()[i]).getElementType();
    auto real = llvm::dyn_cast<mlir::FloatType>(element);
    if (!CombinerIdentity(body, i) || (real && real.getWidth() < 32)) return false;
  }
  return true;
}

PartialResult SetPartialGather(stablehlo::GatherOp part, stablehlo::GatherOp whole,
                               llvm::ArrayRef<Sharding> operands, MeshCode& code,
                               mlir::OpBuilder& b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  PartBuilder p(b, part.getLoc());
  const auto numbers = part.getDimensionNumbers();
  IndexVectors indices(p, part.getStartIndices(), numbers.getIndexVectorDim());
  const llvm::ArrayRef<int64_t> sizes = ShapeOf(whole.getOperand()),
                                local = ShapeOf(part.getOperand());
  llvm::SmallVector<mlir::Value> components;
  mlir::Value is_here;
  for (auto [number, dim] : llvm::enumerate(numbers.getStartIndexMap())) {
    mlir::Value index = Clamp(p, indices.Component(static_cast<int64_t>(number)), 0,
                              sizes[dim] - whole.getSliceSizes()[dim]);
    const Axes& axes = operands[0].dims[dim].axes;
    if (!axes.empty() && whole.getSliceSizes()[dim] == 1) {
      index = Minus(p, index, code.ShardOffset(axes, local[dim]));
      is_here = And(p, is_here, IsInside(p, index, local[dim]));
    }
    components.push_back(index);
  }
  part->setOperand(1, indices.Join(components, sizes));
  b.setInsertionPointAfter(part);
  llvm::SmallVector<int64_t> batch_dims;
  for (int64_t dim = 0; dim < TypeOf(part.getResult()).getRank(); ++dim) {
    if (!llvm::is_contained(numbers.getOffsetDims(), dim)) batch_dims.push_back(dim);
  }
  return BitsWhere(p, is_here, part.getResult(), batch_dims);
}

PartialResult SetPartialSlice(stablehlo::DynamicSliceOp part,
                              stablehlo::DynamicSliceOp whole, const Sharding& operand,
                              MeshCode& code, mlir::OpBuilder& b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  PartBuilder p(b, part.getLoc());
  const llvm::ArrayRef<int64_t> sizes = ShapeOf(whole.getOperand()),
                                local = ShapeOf(part.getOperand());
  llvm::SmallVector<mlir::Value> starts;
  mlir::Value is_here;
  for (auto [dim, start] : llvm::enumerate(part.getStartIndices())) {
    mlir::Value index = Clamp(p, p.Convert(start, b.getI64Type()), 0,
                              sizes[dim] - whole.getSliceSizes()[dim]);
    const Axes& axes = operand.dims[dim].axes;
    if (!axes.empty() && whole.getSliceSizes()[dim] == 1) {
      index = Minus(p, index, code.ShardOffset(axes, local[dim]));
      is_here = And(p, is_here, IsInside(p, index, local[dim]));
    }
    starts.push_back(index);
  }
  part.getStartIndicesMutable().assign(starts);
  b.setInsertionPointAfter(part);
  return BitsWhere(p, is_here, part.getResult(), {});
}

void ShiftScatter(stablehlo::ScatterOp part, stablehlo::ScatterOp whole,
                  llvm::ArrayRef<Sharding> operands, MeshCode& code, mlir::OpBuilder& b) {
  const auto numbers = part.getScatterDimensionNumbers();
  const auto is_split = [&](int64_t dim) {
    return llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
           !operands[0].dims[dim].axes.empty();
  };
  if (llvm::none_of(numbers.getScatterDimsToOperandDims(), is_split)) return;
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  PartBuilder p(b, part.getLoc());
  IndexVectors indices(p, part.getScatterIndices(), numbers.getIndexVectorDim());
  const llvm::ArrayRef<int64_t> sizes = ShapeOf(whole.getInputs()[0]),
                                local = ShapeOf(part.getInputs()[0]);
  llvm::SmallVector<mlir::Value> components;
  for (auto [number, dim] : llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
    mlir::Value index = indices.Component(static_cast<int64_t>(number));
    if (is_split(dim)) {
      index = Minus(p, index, code.ShardOffset(operands[0].dims[dim].axes, local[dim]));
    }
    // Indices outside of the part stay outside, and fit i32.
    components.push_back(Clamp(p, index, -1, is_split(dim) ? local[dim] : sizes[dim]));
  }
  part->setOperand(static_cast<unsigned>(part.getInputs().size()),
                   indices.Join(components, sizes));
}

llvm::SmallVector<PartialResult> SetPartialScatter(stablehlo::ScatterOp part,
                                                   AxesRef axes, MeshCode& code,
                                                   mlir::OpBuilder& b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  PartBuilder p(b, part.getLoc());
  mlir::Block& body = part.getUpdateComputation().front();
  llvm::SmallVector<PartialResult> results;
  mlir::Value is_first;
  for (size_t i = 0; i < part.getInputs().size(); ++i) {
    const auto number = static_cast<unsigned>(i);
    PartialResult& result = results.emplace_back();
    result.local = part.getResult(number);
    result.combiner = stablehlo::CombiningOp(body, i)->getName().getStringRef();
    mlir::DenseElementsAttr identity = *CombinerIdentity(body, i);
    mlir::Value input = part->getOperand(number);
    if (IsIdentity(input, identity)) continue;
    if (!is_first) {
      is_first = p.Compare(Direction::EQ, code.ShardNumber(axes), code.Constant(0));
    }
    mlir::Value start = stablehlo::ConstantOp::create(
        b, part.getLoc(), identity.resizeSplat(TypeOf(input)));
    part->setOperand(number, p.Select(is_first, input, start));
  }
  return results;
}

}  // namespace tenon::compiler::partition
