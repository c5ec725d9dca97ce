#include "tenon/compiler/codegen/grid/product_ops.h"

#include <numeric>

#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/grid/matrix_phase.h"
#include "tenon/compiler/codegen/grid/thin_product.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/compiler/plan/op_specs.h"
#include "tenon/compiler/plan/structured_plan.h"

namespace tenon::codegen {
namespace {

using compiler::ContractSpec;
using compiler::ConvSpatialDim;
using compiler::ConvSpec;

// Loads elements of an operand in the type of the sum.
class Operand {
 public:
  Operand(GroupBody& body, mlir::Value view, ElementType from, ElementType to)
      : b_(body.builder()),
        options_(body.points().options().elementwise),
        pointer_(body.points().View(view)),
        from_(from),
        to_(to) {}

  // The element at `offset` (i64, in elements). If `exists` is false then the element is
  // zero and is not read; null: it exists.
  ElementValue Load(llvm::Value* offset, llvm::Value* exists = nullptr) {
    llvm::Value* address = AddressOf(offset, exists);
    llvm::Type* memory = MemoryType();
    Values parts;
    for (uint64_t part = 0; part < Parts(); ++part)
      parts.push_back(Convert(
          b_.CreateLoad(memory, b_.CreateConstGEP1_64(memory, address, part)), exists));
    AddImaginary(parts);
    return {to_, parts[0], parts.size() == 2 ? parts[1] : nullptr};
  }

  // The parts of `count` elements from `offset` on, which is a multiple of `count`.
  Values LoadUnit(llvm::Value* offset, int count, llvm::Value* exists = nullptr) {
    llvm::Value* address = AddressOf(offset, exists);
    const auto numbers = static_cast<unsigned>(count * static_cast<int>(Parts()));
    auto* type = llvm::FixedVectorType::get(MemoryType(), numbers);
    llvm::Value* vector = b_.CreateAlignedLoad(
        type, address, llvm::Align(static_cast<uint64_t>(count * ElementBytes(from_))));
    Values values;
    for (int element = 0; element < count; ++element) {
      Values parts;
      for (uint64_t part = 0; part < Parts(); ++part)
        parts.push_back(
            Convert(b_.CreateExtractElement(
                        vector, static_cast<uint64_t>(element) * Parts() + part),
                    exists));
      AddImaginary(parts);
      values.append(parts);
    }
    return values;
  }

 private:
  uint64_t Parts() const { return static_cast<uint64_t>(ElementParts(from_)); }
  llvm::Type* MemoryType() { return compiler::ElementMemoryType(b_.getContext(), from_); }
  llvm::Value* AddressOf(llvm::Value* offset, llvm::Value* exists) {
    if (exists) offset = b_.CreateSelect(exists, offset, b_.getInt64(0));
    return b_.CreateGEP(MemoryType(), pointer_,
                        b_.CreateMul(offset, b_.getInt64(Parts())));
  }
  llvm::Value* Convert(llvm::Value* loaded, llvm::Value* exists) {
    llvm::Value* value = compiler::Conversions(b_, options_)
                             .Convert(compiler::RealType(from_), compiler::RealType(to_),
                                      compiler::LoadedToValue(b_, from_, loaded));
    if (!exists) return value;
    return b_.CreateSelect(exists, value, llvm::Constant::getNullValue(value->getType()));
  }
  void AddImaginary(Values& parts) {
    if (ElementParts(to_) > static_cast<int>(parts.size()))
      parts.push_back(llvm::Constant::getNullValue(parts[0]->getType()));
  }

  llvm::IRBuilderBase& b_;
  compiler::ElementwiseOptions options_;
  llvm::Value* pointer_;
  ElementType from_, to_;
};

// Elements of an operand that are loaded at once: 16 bytes of the sum's type.
int UnitOf(ElementType from, ElementType to) {
  constexpr int64_t kBytes = 16;
  if (ElementBits(from) < 8) return 1;
  return static_cast<int>(std::max<int64_t>(kBytes / ElementBytes(to), 1));
}

// Passes a result to the ops of the epilogue, or a vector of results whose last indices
// are consecutive: the first of these is a multiple of their number plus one of `step`.
Status Store(GroupBody& body, mlir::Block& epilogue, llvm::ArrayRef<llvm::Value*> indices,
             const ElementValue& sum, int64_t step = 0) {
  PointEmitter& points = body.points();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(sum.re->getType());
  for (auto [number, index] : llvm::enumerate(indices))
    points.SetIndex(epilogue.getArgument(static_cast<unsigned>(number)), {index, 0, 1});
  points.SetScalar(epilogue.getArguments().back(), sum);
  if (!vector) return body.EmitBlock(epilogue);
  const int lanes = static_cast<int>(vector->getNumElements());
  points.set_lanes({lanes, nullptr});
  points.SetIndex(epilogue.getArgument(static_cast<unsigned>(indices.size()) - 1),
                  {indices.back(), 1, std::gcd(int64_t{lanes}, step)});
  const Status status = body.EmitBlock(epilogue);
  points.set_lanes({});
  return status;
}

// Whether the epilogue is code for any number of lanes: ops of one point.
bool HasVectorCode(mlir::Block& epilogue) {
  return llvm::all_of(epilogue,
                      [](mlir::Operation& op) { return op.getNumRegions() == 0; });
}

// Index arithmetic in i64, or in i32 where that is known to suffice.
class Indices {
 public:
  explicit Indices(llvm::IRBuilderBase& b, bool narrow = false)
      : b_(b), type_(narrow ? b.getInt32Ty() : b.getInt64Ty()) {}
  llvm::Value* Number(int64_t number) {
    return llvm::ConstantInt::getSigned(type_, number);
  }
  llvm::Value* From(llvm::Value* index) { return b_.CreateTrunc(index, type_); }
  // Of an offset, which is not negative where there is an element.
  llvm::Value* ToWide(llvm::Value* x) { return b_.CreateZExt(x, b_.getInt64Ty()); }
  // x + factor * y.
  llvm::Value* AddScaled(llvm::Value* x, llvm::Value* y, int64_t factor) {
    return b_.CreateAdd(x, b_.CreateMul(y, Number(factor)));
  }
  // The digits of an index for these sizes, the last of which vary fastest.
  Values Digits(llvm::Value* index, llvm::ArrayRef<int64_t> sizes) {
    Values digits(sizes.size());
    for (size_t d = sizes.size(); d-- > 1;) {
      digits[d] = sizes[d] == 1 ? Number(0) : b_.CreateURem(index, Number(sizes[d]));
      index = b_.CreateUDiv(index, Number(sizes[d]));
    }
    digits[0] = index;
    return digits;
  }

 private:
  llvm::IRBuilderBase& b_;
  llvm::Type* type_;
};

void BindContract(ir::ContractOp op, GroupBody& body, TiledProduct& product) {
  const ContractSpec spec = compiler::SpecOf(op).spec;
  auto load = [&body, type = product.type](mlir::Value view, ElementType from,
                                           const compiler::ContractStrides& strides) {
    return [&body, strides, operand = Operand(body, view, from, type)](
               llvm::Value* batch, llvm::Value* row,
               llvm::Value* column) mutable -> StatusOr<ElementValue> {
      Indices index(body.builder());
      llvm::Value* offset = index.AddScaled(index.Number(0), batch, strides.batch);
      offset = index.AddScaled(offset, row, strides.row);
      return operand.Load(index.AddScaled(offset, column, strides.col));
    };
  };
  product.load_lhs = load(op.getLhs(), spec.lhs_type, spec.lhs);
  product.load_rhs = load(op.getRhs(), spec.rhs_type, spec.rhs);
  // Units along the consecutive dimension, whose size is `length`.
  auto bind_unit = [&](mlir::Value view, ElementType from,
                       const compiler::ContractStrides& strides, bool along_columns,
                       int64_t length, int& unit, TiledProduct::LoadUnit& load_unit) {
    const int count = UnitOf(from, product.type);
    const int64_t other = along_columns ? strides.row : strides.col;
    if ((along_columns ? strides.col : strides.row) != 1 || length % count != 0 ||
        other % count != 0 || strides.batch % count != 0 ||
        !IsAligned(view, op->getParentOfType<ir::KernelOp>()))
      return;
    unit = count;
    load_unit = [&body, strides, count,
                 operand = Operand(body, view, from, product.type)](
                    llvm::Value* batch, llvm::Value* row,
                    llvm::Value* column) mutable -> StatusOr<Values> {
      Indices index(body.builder());
      llvm::Value* offset = index.AddScaled(index.Number(0), batch, strides.batch);
      offset = index.AddScaled(offset, row, strides.row);
      return operand.LoadUnit(index.AddScaled(offset, column, strides.col), count);
    };
  };
  bind_unit(op.getLhs(), spec.lhs_type, spec.lhs, product.lhs_along_depth,
            product.lhs_along_depth ? spec.k : spec.m, product.lhs_unit,
            product.load_lhs_unit);
  bind_unit(op.getRhs(), spec.rhs_type, spec.rhs, product.rhs_along_columns,
            product.rhs_along_columns ? spec.n : spec.k, product.rhs_unit,
            product.load_rhs_unit);
  product.store = [&body, op](llvm::Value* batch, llvm::Value* row, llvm::Value* column,
                              const ElementValue& sum) mutable {
    return Store(body, op.getEpilogue().front(), {batch, row, column}, sum);
  };
  product.stores_vectors = HasVectorCode(op.getEpilogue().front());
}

// A convolution as a product for each group of features or batches: rows are positions of
// the output, columns are output features, and k is the window and the input features.
// The batch and the input features vary fastest among rows and k if they are consecutive
// in memory, as the batch is in the gradient of a filter.
class Window {
 public:
  explicit Window(const ConvSpec& spec) : spec_(spec) {
    groups_ = spec.feature_groups * spec.batch_groups;
    batch_ = spec.batch / spec.batch_groups;
    inputs_ = spec.input_features / spec.feature_groups;
    outputs_ = spec.output_features / groups_;
    batch_is_last_ = spec.lhs_batch_stride == 1 && batch_ > 1;
    features_are_last_ = spec.lhs_feature_stride == 1 || spec.rhs_input_stride == 1 ||
                         spec.spatial.empty() ||
                         spec.lhs_feature_stride < spec.spatial.back().lhs_stride;
    SetSizes();
    narrow_ = IsNarrow();
  }
  int64_t groups() const { return groups_; }
  int64_t outputs() const { return outputs_; }
  int64_t positions() const { return Product(position_sizes_); }
  int64_t depth() const { return Product(depth_sizes_); }

  bool input_along_depth() const {
    return spec_.lhs_feature_stride == 1 && inputs_ > 1 && !batch_is_last_;
  }
  bool kernel_along_columns() const {
    return spec_.rhs_output_stride == 1 && (outputs_ > 1 || spec_.rhs_input_stride != 1);
  }
  // Whether `unit` consecutive elements of the input, or kernel, are at consecutive k, or
  // rows or columns, at multiples of the unit.
  bool InputHasUnits(int64_t unit) const {
    const bool along_depth = input_along_depth();
    if (!along_depth && !batch_is_last_) return false;
    const int64_t other = along_depth ? spec_.lhs_batch_stride : spec_.lhs_feature_stride;
    return (along_depth ? inputs_ : batch_) % unit == 0 && other % unit == 0 &&
           llvm::all_of(spec_.spatial, [&](const ConvSpatialDim& dim) {
             return dim.lhs_stride % unit == 0;
           });
  }
  bool KernelHasUnits(int64_t unit) const {
    const bool along_columns = kernel_along_columns();
    if (!along_columns && (spec_.rhs_input_stride != 1 || !features_are_last_))
      return false;
    const int64_t other =
        along_columns ? spec_.rhs_input_stride : spec_.rhs_output_stride;
    return (along_columns ? outputs_ : inputs_) % unit == 0 && other % unit == 0 &&
           llvm::all_of(spec_.spatial, [&](const ConvSpatialDim& dim) {
             return dim.rhs_stride % unit == 0;
           });
  }

  // Whether elements, and results, of so many groups are consecutive.
  bool GroupsHaveUnits(int64_t unit) const {
    const int64_t input =
        spec_.batch_groups > 1 ? spec_.lhs_feature_stride : spec_.lhs_batch_stride;
    return groups_ % unit == 0 && GroupStride() == 1 && outputs_ == 1 &&
           spec_.rhs_output_stride == 1 && input % unit == 0 &&
           (inputs_ == 1 || spec_.rhs_input_stride % unit == 0) &&
           llvm::all_of(spec_.spatial, [&](const ConvSpatialDim& dim) {
             return dim.lhs_stride % unit == 0 && dim.rhs_stride % unit == 0;
           });
  }

  // What depends on the row and on k is added up separately: each is the same in many
  // places.
  OperandPlace InputPlace(llvm::IRBuilderBase& b, llvm::Value* group,
                          llvm::Value* position, llvm::Value* k) const {
    Indices index(b, narrow_);
    const Values out = Rotated(index.Digits(index.From(position), position_sizes_),
                               batch_is_last_ ? 1 : 0);
    const Values taps =
        Rotated(index.Digits(index.From(k), depth_sizes_), features_are_last_ ? 1 : 0);
    llvm::Value* of_row =
        index.AddScaled(index.Number(0), out[0], spec_.lhs_batch_stride);
    of_row = index.AddScaled(of_row, index.From(group), GroupStride());
    llvm::Value* of_k =
        index.AddScaled(index.Number(0), taps[0], spec_.lhs_feature_stride);
    llvm::Value* dilated = index.Number(0);
    llvm::Value* exists = nullptr;
    for (auto [d, dim] : llvm::enumerate(spec_.spatial)) {
      llvm::Value* start =
          index.AddScaled(index.Number(-dim.padding_low), out[d + 1], dim.stride);
      llvm::Value* at = index.AddScaled(start, taps[d + 1], dim.rhs_dilation);
      auto require = [&](llvm::Value* condition) {
        exists = exists ? b.CreateAnd(exists, condition) : condition;
      };
      if (!IsInside(dim)) require(b.CreateICmpULT(at, index.Number(Extent(dim))));
      if (dim.lhs_dilation > 1) {
        llvm::Value* step = index.Number(dim.lhs_dilation);
        require(b.CreateICmpEQ(b.CreateURem(at, step), index.Number(0)));
        dilated = index.AddScaled(dilated, b.CreateUDiv(at, step), dim.lhs_stride);
        continue;
      }
      of_row = index.AddScaled(of_row, start, dim.lhs_stride);
      of_k = index.AddScaled(of_k, taps[d + 1], dim.rhs_dilation * dim.lhs_stride);
    }
    llvm::Value* offset = b.CreateAdd(b.CreateAdd(of_row, of_k), dilated);
    return {index.ToWide(offset), exists};
  }

  OperandPlace KernelPlace(llvm::IRBuilderBase& b, llvm::Value* group, llvm::Value* k,
                           llvm::Value* column) const {
    Indices index(b, narrow_);
    const Values taps =
        Rotated(index.Digits(index.From(k), depth_sizes_), features_are_last_ ? 1 : 0);
    llvm::Value* of_column =
        index.AddScaled(index.Number(0), index.From(column), spec_.rhs_output_stride);
    of_column =
        index.AddScaled(of_column, index.From(group), outputs_ * spec_.rhs_output_stride);
    llvm::Value* of_k = index.AddScaled(index.Number(0), taps[0], spec_.rhs_input_stride);
    for (auto [d, dim] : llvm::enumerate(spec_.spatial)) {
      llvm::Value* tap = taps[d + 1];
      if (dim.reversal) tap = b.CreateSub(index.Number(dim.window - 1), tap);
      of_k = index.AddScaled(of_k, tap, dim.rhs_stride);
    }
    return {index.ToWide(b.CreateAdd(of_column, of_k)), nullptr};
  }

  // The indices of a result: batch, spatial dimensions, feature.
  llvm::SmallVector<llvm::Value*, 8> ResultIndices(llvm::IRBuilderBase& b,
                                                   llvm::Value* group,
                                                   llvm::Value* position,
                                                   llvm::Value* column) const {
    Indices narrow(b, narrow_), wide(b);
    llvm::SmallVector<llvm::Value*, 8> indices;
    for (llvm::Value* digit :
         Rotated(narrow.Digits(narrow.From(position), position_sizes_),
                 batch_is_last_ ? 1 : 0))
      indices.push_back(b.CreateZExt(digit, b.getInt64Ty()));
    indices.push_back(wide.AddScaled(column, group, outputs_));
    return indices;
  }

 private:
  static int64_t Product(llvm::ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes) product *= size;
    return product;
  }
  // The last `count` elements first.
  template <typename List>
  static List Rotated(List list, size_t count) {
    std::rotate(list.begin(), list.end() - static_cast<std::ptrdiff_t>(count),
                list.end());
    return list;
  }
  // The sizes of the digits of a row and of k: in order, but for what is last.
  void SetSizes() {
    position_sizes_ = {batch_};
    depth_sizes_ = {inputs_};
    for (const ConvSpatialDim& dim : spec_.spatial) {
      position_sizes_.push_back(dim.output);
      depth_sizes_.push_back(dim.window);
    }
    const size_t others = spec_.spatial.size();
    if (batch_is_last_) position_sizes_ = Rotated(position_sizes_, others);
    if (features_are_last_) depth_sizes_ = Rotated(depth_sizes_, others);
  }
  static int64_t Extent(const ConvSpatialDim& dim) {
    return dim.input == 0 ? 0 : (dim.input - 1) * dim.lhs_dilation + 1;
  }
  static int64_t Last(const ConvSpatialDim& dim) {
    return (dim.output - 1) * dim.stride - dim.padding_low +
           (dim.window - 1) * dim.rhs_dilation;
  }
  // Whether the window is never beyond the input.
  static bool IsInside(const ConvSpatialDim& dim) {
    return dim.padding_low <= 0 && Last(dim) < Extent(dim);
  }
  int64_t GroupStride() const {
    return spec_.batch_groups > 1     ? batch_ * spec_.lhs_batch_stride
           : spec_.feature_groups > 1 ? inputs_ * spec_.lhs_feature_stride
                                      : 0;
  }
  // Whether all indices and offsets, also those beyond the input, fit i32.
  bool IsNarrow() const {
    int64_t input = spec_.batch * spec_.lhs_batch_stride +
                    spec_.input_features * spec_.lhs_feature_stride;
    int64_t kernel = spec_.output_features * spec_.rhs_output_stride +
                     inputs_ * spec_.rhs_input_stride;
    for (const ConvSpatialDim& dim : spec_.spatial) {
      const int64_t farthest = std::abs(dim.padding_low) + dim.output * dim.stride +
                               dim.window * dim.rhs_dilation;
      input += farthest * dim.lhs_stride;
      kernel += dim.window * dim.rhs_stride;
    }
    // Tiles may exceed rows and k.
    constexpr int64_t kMost = INT32_MAX / 2;
    return std::max({input, kernel, positions(), depth()}) < kMost;
  }

  ConvSpec spec_;
  int64_t groups_, batch_, inputs_, outputs_;
  bool batch_is_last_, features_are_last_, narrow_;
  llvm::SmallVector<int64_t, 6> position_sizes_, depth_sizes_;
};

void BindConvolution(ir::ConvolutionOp op, GroupBody& body, TiledProduct& product) {
  const ConvSpec spec = compiler::SpecOf(op).spec;
  const Window window(spec);
  auto kernel = op->getParentOfType<ir::KernelOp>();
  product.place_lhs = [&body, window](llvm::Value* group, llvm::Value* row,
                                      llvm::Value* k) {
    return window.InputPlace(body.builder(), group, row, k);
  };
  product.place_rhs = [&body, window](llvm::Value* group, llvm::Value* k,
                                      llvm::Value* column) {
    return window.KernelPlace(body.builder(), group, k, column);
  };
  auto bind = [&](mlir::Value view, ElementType from, const TiledProduct::Place& place,
                  bool has_units, int unit, TiledProduct::Load& load, int& used_unit,
                  TiledProduct::LoadUnit& load_unit) {
    load = [place, operand = Operand(body, view, from, product.type)](
               llvm::Value* group, llvm::Value* row,
               llvm::Value* column) mutable -> StatusOr<ElementValue> {
      const OperandPlace at = place(group, row, column);
      return operand.Load(at.offset, at.exists);
    };
    if (!has_units || !IsAligned(view, kernel)) return;
    used_unit = unit;
    load_unit = [place, unit, operand = Operand(body, view, from, product.type)](
                    llvm::Value* group, llvm::Value* row,
                    llvm::Value* column) mutable -> StatusOr<Values> {
      const OperandPlace at = place(group, row, column);
      return operand.LoadUnit(at.offset, unit, at.exists);
    };
  };
  const int lhs_unit = UnitOf(spec.lhs_type, product.type);
  const int rhs_unit = UnitOf(spec.rhs_type, product.type);
  bind(op.getInput(), spec.lhs_type, product.place_lhs, window.InputHasUnits(lhs_unit),
       lhs_unit, product.load_lhs, product.lhs_unit, product.load_lhs_unit);
  bind(op.getKernel(), spec.rhs_type, product.place_rhs, window.KernelHasUnits(rhs_unit),
       rhs_unit, product.load_rhs, product.rhs_unit, product.load_rhs_unit);
  const int batch_unit = product.batch_unit;
  if (batch_unit > 1) {
    auto bind_batches = [&](mlir::Value view, ElementType from,
                            const TiledProduct::Place& place) {
      return [place, batch_unit, operand = Operand(body, view, from, product.type)](
                 llvm::Value* group, llvm::Value* row,
                 llvm::Value* column) mutable -> StatusOr<Values> {
        const OperandPlace at = place(group, row, column);
        return operand.LoadUnit(at.offset, batch_unit, at.exists);
      };
    };
    product.load_lhs_batches =
        bind_batches(op.getInput(), spec.lhs_type, product.place_lhs);
    product.load_rhs_batches =
        bind_batches(op.getKernel(), spec.rhs_type, product.place_rhs);
  }
  // The last index of a vector is a multiple of this.
  const int64_t step = batch_unit > 1 ? batch_unit : window.outputs();
  product.store = [&body, window, op, step](llvm::Value* group, llvm::Value* row,
                                            llvm::Value* column,
                                            const ElementValue& sum) mutable {
    return Store(body, op.getEpilogue().front(),
                 window.ResultIndices(body.builder(), group, row, column), sum, step);
  };
  product.stores_vectors = HasVectorCode(op.getEpilogue().front());
}

}  // namespace

std::optional<TiledProduct> ProductOf(mlir::Operation& op) {
  TiledProduct product;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    const ContractSpec spec = compiler::SpecOf(contract).spec;
    product.batch = spec.batch;
    product.rows = spec.m;
    product.columns = spec.n;
    product.depth = spec.k;
    product.type = spec.accumulate;
    product.lhs_along_depth = spec.lhs.col == 1 || spec.m == 1;
    product.rhs_along_columns = spec.rhs.col == 1 && spec.n > 1;
  } else if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    const ConvSpec spec = compiler::SpecOf(convolution).spec;
    const Window window(spec);
    product.batch = window.groups();
    product.rows = window.positions();
    product.columns = window.outputs();
    product.depth = window.depth();
    product.type = spec.accumulate;
    product.lhs_along_depth = window.input_along_depth();
    product.rhs_along_columns = window.kernel_along_columns();
  } else {
    return std::nullopt;
  }
  if (!compiler::IsTiledOnDevice(product.type)) return std::nullopt;
  return product;
}

int BatchUnitOf(mlir::Operation& op, ElementType sum) {
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  if (!convolution) return 1;
  const ConvSpec spec = compiler::SpecOf(convolution).spec;
  auto kernel = op.getParentOfType<ir::KernelOp>();
  const int unit = std::min(UnitOf(spec.lhs_type, sum), UnitOf(spec.rhs_type, sum));
  return Window(spec).GroupsHaveUnits(unit) &&
                 IsAligned(convolution.getInput(), kernel) &&
                 IsAligned(convolution.getKernel(), kernel)
             ? unit
             : 1;
}

void BindProduct(mlir::Operation& op, GroupBody& body, TiledProduct& product) {
  mlir::Value scratch;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    BindContract(contract, body, product);
    scratch = contract.getScratch();
  } else {
    auto convolution = llvm::cast<ir::ConvolutionOp>(op);
    BindConvolution(convolution, body, product);
    scratch = convolution.getScratch();
  }
  if (product.parts == 1) return;
  product.stores_vectors = false;
  product.store = [&body, parts = product, scratch](llvm::Value* batch, llvm::Value* row,
                                                    llvm::Value* column,
                                                    const ElementValue& value) mutable {
    parts.type = value.type;
    for (auto [i, part] : llvm::enumerate(FlattenParts({value})))
      body.builder().CreateStore(
          part, AddressOfPart(body.builder(), parts, body.points().View(scratch), batch,
                              row, column, static_cast<int>(i)));
    return OkStatus();
  };
}

Status EmitSumOfParts(mlir::Operation& op, GroupBody& body, TiledProduct product,
                      llvm::Value* number) {
  mlir::Value scratch = llvm::isa<ir::ContractOp>(op)
                            ? llvm::cast<ir::ContractOp>(op).getScratch()
                            : llvm::cast<ir::ConvolutionOp>(op).getScratch();
  TiledProduct whole = product;
  whole.parts = 1;
  BindProduct(op, body, whole);
  product.store = whole.store;
  return EmitSumOfParts(body, product, body.points().View(scratch), number);
}

}  // namespace tenon::codegen
