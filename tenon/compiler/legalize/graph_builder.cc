#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

llvm::APFloat ToFloat(mlir::Type type, double value) {
  llvm::APFloat number(value);
  bool lossy = false;
  number.convert(llvm::cast<mlir::FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number;
}

// The elements of a table as C++'s numbers. A table may be long, and an APFloat has 24
// bytes.
template <typename Real>
mlir::DenseElementsAttr TableOf(RankedTensorType type,
                                llvm::ArrayRef<std::complex<double>> values) {
  const auto rounded = [](double value) { return static_cast<Real>(value); };
  if (llvm::isa<mlir::ComplexType>(type.getElementType())) {
    std::vector<std::complex<Real>> numbers;
    numbers.reserve(values.size());
    for (std::complex<double> value : values)
      numbers.emplace_back(rounded(value.real()), rounded(value.imag()));
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef(numbers));
  }
  std::vector<Real> numbers;
  numbers.reserve(values.size());
  for (std::complex<double> value : values) numbers.push_back(rounded(value.real()));
  return mlir::DenseElementsAttr::get(type, llvm::ArrayRef(numbers));
}
// Of another float type.
mlir::DenseElementsAttr TableOfFloats(RankedTensorType type,
                                      llvm::ArrayRef<std::complex<double>> values) {
  std::vector<llvm::APFloat> numbers;
  numbers.reserve(values.size());
  for (std::complex<double> value : values)
    numbers.push_back(ToFloat(type.getElementType(), value.real()));
  return mlir::DenseElementsAttr::get(type, llvm::ArrayRef(numbers));
}

DimList Counting(int64_t count, int64_t from = 0) {
  DimList dims;
  for (int64_t d = 0; d < count; ++d) dims.push_back(from + d);
  return dims;
}

}  // namespace

mlir::Type RealOf(mlir::Type element) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

Value GraphBuilder::Constant(mlir::Type element, Dims shape, double value) {
  if (!llvm::isa<mlir::FloatType>(RealOf(element)))
    return Integer(element, shape, static_cast<uint64_t>(static_cast<int64_t>(value)));
  auto type = RankedTensorType::get(shape, element);
  llvm::APFloat real = ToFloat(RealOf(element), value);
  mlir::DenseElementsAttr attr;
  if (llvm::isa<mlir::ComplexType>(element))
    attr = mlir::DenseElementsAttr::get(
        type,
        std::complex<llvm::APFloat>(real, llvm::APFloat::getZero(real.getSemantics())));
  else
    attr = mlir::DenseElementsAttr::get(type, real);
  return stablehlo::ConstantOp::create(b_, loc_, attr);
}

Value GraphBuilder::Integer(mlir::Type element, Dims shape, uint64_t value) {
  llvm::APInt number(element.getIntOrFloatBitWidth(), value, /*isSigned=*/false,
                     /*implicitTrunc=*/true);
  return stablehlo::ConstantOp::create(
      b_, loc_,
      mlir::DenseElementsAttr::get(RankedTensorType::get(shape, element), number));
}

Value GraphBuilder::Table(mlir::Type element, Dims shape,
                          llvm::ArrayRef<std::complex<double>> values) {
  auto type = RankedTensorType::get(shape, element);
  mlir::Type real = RealOf(element);
  mlir::DenseElementsAttr table;
  if (real.isF32())
    table = TableOf<float>(type, values);
  else if (real.isF64())
    table = TableOf<double>(type, values);
  else
    table = TableOfFloats(type, values);
  return stablehlo::ConstantOp::create(b_, loc_, table);
}

Value GraphBuilder::Iota(mlir::Type element, Dims shape, int64_t dim) {
  return stablehlo::IotaOp::create(b_, loc_, RankedTensorType::get(shape, element), dim);
}

Value GraphBuilder::Real(Value x) {
  if (!llvm::isa<mlir::ComplexType>(ElementOf(x))) return x;
  return stablehlo::RealOp::create(b_, loc_, TypeOf(x).clone(RealOf(ElementOf(x))), x);
}

Value GraphBuilder::Imag(Value x) {
  return stablehlo::ImagOp::create(b_, loc_, TypeOf(x).clone(RealOf(ElementOf(x))), x);
}

Value GraphBuilder::Conj(Value x) {
  if (!llvm::isa<mlir::ComplexType>(ElementOf(x))) return x;
  return Complex(Real(x), Unary<stablehlo::NegOp>(Imag(x)));
}

Value GraphBuilder::Complex(Value real, Value imag) {
  return stablehlo::ComplexOp::create(b_, loc_, real, imag);
}

Value GraphBuilder::Convert(Value x, mlir::Type element) {
  if (ElementOf(x) == element) return x;
  return stablehlo::ConvertOp::create(b_, loc_, x, element);
}

Value GraphBuilder::Bitcast(Value x, mlir::Type element) {
  if (ElementOf(x) == element) return x;
  return stablehlo::BitcastConvertOp::create(b_, loc_, TypeOf(x).clone(element), x);
}

Value GraphBuilder::Compare(Value x, Value y, stablehlo::ComparisonDirection how) {
  return stablehlo::CompareOp::create(b_, loc_, x, y, how);
}

Value GraphBuilder::Select(Value pred, Value on_true, Value on_false) {
  return stablehlo::SelectOp::create(b_, loc_, pred, on_true, on_false);
}

Value GraphBuilder::Reshape(Value x, Dims shape) {
  if (ShapeOf(x) == shape) return x;
  return stablehlo::ReshapeOp::create(b_, loc_, WithShape(x, shape), x);
}

Value GraphBuilder::Transpose(Value x, Dims permutation) {
  DimList shape;
  for (int64_t dim : permutation) shape.push_back(ShapeOf(x)[dim]);
  return stablehlo::TransposeOp::create(b_, loc_, WithShape(x, shape), x, permutation);
}

Value GraphBuilder::SwapLast(Value x) {
  DimList permutation = Counting(ShapeOf(x).size());
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return Transpose(x, permutation);
}

Value GraphBuilder::Broadcast(Value x, Dims shape, Dims dims) {
  return stablehlo::BroadcastInDimOp::create(b_, loc_, WithShape(x, shape), x, dims);
}

Value GraphBuilder::BroadcastTrailing(Value x, Dims shape) {
  int64_t rank = ShapeOf(x).size();
  return Broadcast(x, shape, Counting(rank, static_cast<int64_t>(shape.size()) - rank));
}

Value GraphBuilder::BroadcastLeading(Value x, Dims shape) {
  return Broadcast(x, shape, Counting(ShapeOf(x).size()));
}

Value GraphBuilder::Slice(Value x, Dims start, Dims limit, Dims strides) {
  DimList steps(strides), shape;
  if (steps.empty()) steps.assign(start.size(), 1);
  for (auto [from, to, step] : llvm::zip_equal(start, limit, steps))
    shape.push_back((to - from + step - 1) / step);
  if (Dims(shape) == ShapeOf(x)) return x;
  return stablehlo::SliceOp::create(b_, loc_, WithShape(x, shape), x, start, limit,
                                    steps);
}

Value GraphBuilder::SliceDim(Value x, int64_t dim, int64_t start, int64_t limit,
                             int64_t stride) {
  DimList starts(ShapeOf(x).size(), 0), limits(ShapeOf(x)), strides(starts.size(), 1);
  if (dim < 0) dim += starts.size();
  starts[dim] = start;
  limits[dim] = limit;
  strides[dim] = stride;
  return Slice(x, starts, limits, strides);
}

Value GraphBuilder::Pad(Value x, Value value, Dims low, Dims high) {
  DimList shape, interior(low.size(), 0);
  bool any = false;
  for (auto [size, before, after] : llvm::zip_equal(ShapeOf(x), low, high)) {
    shape.push_back(size + before + after);
    any |= before != 0 || after != 0;
  }
  if (!any) return x;
  return stablehlo::PadOp::create(b_, loc_, WithShape(x, shape), x, value, low, high,
                                  interior);
}

Value GraphBuilder::Concatenate(llvm::ArrayRef<Value> parts, int64_t dim) {
  if (parts.size() == 1) return parts[0];
  DimList shape(ShapeOf(parts[0]));
  if (dim < 0) dim += shape.size();
  shape[dim] = 0;
  for (Value part : parts) shape[dim] += ShapeOf(part)[dim];
  return stablehlo::ConcatenateOp::create(b_, loc_, WithShape(parts[0], shape), parts,
                                          dim);
}

Value GraphBuilder::Reverse(Value x, Dims dims) {
  return stablehlo::ReverseOp::create(b_, loc_, x.getType(), x, dims);
}

Value GraphBuilder::DynamicSliceDim(Value x, Value start, int64_t dim, int64_t size) {
  DimList sizes(ShapeOf(x));
  if (dim < 0) dim += sizes.size();
  sizes[dim] = size;
  Values starts(sizes.size(), Constant(ElementOf(start), {}, 0));
  starts[dim] = start;
  return stablehlo::DynamicSliceOp::create(b_, loc_, WithShape(x, sizes), x, starts,
                                           sizes);
}

Value GraphBuilder::UpdateDim(Value x, Value update, Value start, int64_t dim) {
  Values starts(ShapeOf(x).size(), Constant(ElementOf(start), {}, 0));
  if (dim < 0) dim += starts.size();
  starts[dim] = start;
  return stablehlo::DynamicUpdateSliceOp::create(b_, loc_, x.getType(), x, update,
                                                 starts);
}

Value GraphBuilder::MatMul(Value x, Value y) {
  int64_t rank = ShapeOf(x).size();
  DimList batch = Counting(rank - 2);
  return Dot(x, y, batch, batch, {rank - 1}, {rank - 2});
}

Value GraphBuilder::Dot(Value x, Value y, Dims x_batch, Dims y_batch, Dims x_contracting,
                        Dims y_contracting) {
  DimList shape;
  for (int64_t dim : x_batch) shape.push_back(ShapeOf(x)[dim]);
  auto add_free = [&](Value value, Dims batch, Dims contracting) {
    for (auto [d, size] : llvm::enumerate(ShapeOf(value))) {
      int64_t dim = d;
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim))
        shape.push_back(size);
    }
  };
  add_free(x, x_batch, x_contracting);
  add_free(y, y_batch, y_contracting);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      b_.getContext(), x_batch, y_batch, x_contracting, y_contracting);
  // Decompositions built on products are only as accurate as the products.
  auto highest =
      stablehlo::PrecisionAttr::get(b_.getContext(), stablehlo::Precision::HIGHEST);
  return stablehlo::DotGeneralOp::create(b_, loc_, WithShape(x, shape), x, y, numbers,
                                         b_.getArrayAttr({highest, highest}),
                                         stablehlo::DotAlgorithmAttr());
}

Value GraphBuilder::ReduceWith(Value x, Value init, Dims dims,
                               llvm::function_ref<Value(Value, Value)> op) {
  DimList shape;
  for (auto [d, size] : llvm::enumerate(ShapeOf(x)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d))) shape.push_back(size);
  auto reduce = stablehlo::ReduceOp::create(
      b_, loc_, mlir::TypeRange(mlir::Type(WithShape(x, shape))), mlir::ValueRange(x),
      mlir::ValueRange(init), dims);
  mlir::OpBuilder::InsertionGuard guard(b_);
  auto scalar = RankedTensorType::get({}, ElementOf(x));
  mlir::Block* block = b_.createBlock(&reduce.getBody());
  Value left = block->addArgument(scalar, loc_), right = block->addArgument(scalar, loc_);
  stablehlo::ReturnOp::create(b_, loc_, op(left, right));
  return reduce.getResult(0);
}

Values GraphBuilder::For(int64_t count, llvm::ArrayRef<Value> carried,
                         llvm::function_ref<Values(Value, mlir::ValueRange)> body) {
  return CountTo([&] { return Index(count); }, carried, body);
}

Values GraphBuilder::ForBelow(Value end, llvm::ArrayRef<Value> carried,
                              llvm::function_ref<Values(Value, mlir::ValueRange)> body) {
  return CountTo([&] { return end; }, carried, body);
}

Values GraphBuilder::CountTo(llvm::function_ref<Value()> end,
                             llvm::ArrayRef<Value> carried,
                             llvm::function_ref<Values(Value, mlir::ValueRange)> body) {
  Values inits = {Index(0)};
  llvm::append_range(inits, carried);
  llvm::SmallVector<mlir::Type> types;
  for (Value init : inits) types.push_back(init.getType());
  llvm::SmallVector<mlir::Location> locations(types.size(), loc_);
  auto loop = stablehlo::WhileOp::create(b_, loc_, types, inits);
  mlir::OpBuilder::InsertionGuard guard(b_);
  mlir::Block* cond = b_.createBlock(&loop.getCond(), {}, types, locations);
  Value more = Compare(cond->getArgument(0), end(), stablehlo::ComparisonDirection::LT);
  stablehlo::ReturnOp::create(b_, loc_, more);
  mlir::Block* block = b_.createBlock(&loop.getBody(), {}, types, locations);
  Value i = block->getArgument(0);
  Values next = body(i, block->getArguments().drop_front());
  next.insert(next.begin(), Add(i, Index(1)));
  stablehlo::ReturnOp::create(b_, loc_, next);
  return Values(loop.getResults().drop_front());
}

}  // namespace tenon::compiler
