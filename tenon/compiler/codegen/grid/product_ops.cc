#include "tenon/compiler/codegen/grid/product_ops.h"

#include <numeric>

#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/grid/matrix_phase.h"
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

class Indices {
 public:
  explicit Indices(llvm::IRBuilderBase& b) : b_(b) {}
  llvm::Value* Number(int64_t number) {
    return b_.getInt64(static_cast<uint64_t>(number));
  }
  // x + factor * y.
  llvm::Value* AddScaled(llvm::Value* x, llvm::Value* y, int64_t factor) {
    return b_.CreateAdd(x, b_.CreateMul(y, Number(factor)));
  }
  // Returns index % size, and divides index by it.
  llvm::Value* TakeLast(llvm::Value*& index, int64_t size) {
    if (size == 1) return Number(0);
    llvm::Value* last = b_.CreateURem(index, Number(size));
    index = b_.CreateUDiv(index, Number(size));
    return last;
  }

 private:
  llvm::IRBuilderBase& b_;
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
class Window {
 public:
  explicit Window(const ConvSpec& spec) : spec_(spec) {
    groups_ = spec.feature_groups * spec.batch_groups;
    batch_ = spec.batch / spec.batch_groups;
    inputs_ = spec.input_features / spec.feature_groups;
    outputs_ = spec.output_features / groups_;
  }
  int64_t groups() const { return groups_; }
  int64_t outputs() const { return outputs_; }
  int64_t positions() const {
    int64_t count = batch_;
    for (const ConvSpatialDim& dim : spec_.spatial) count *= dim.output;
    return count;
  }
  int64_t depth() const {
    int64_t count = inputs_;
    for (const ConvSpatialDim& dim : spec_.spatial) count *= dim.window;
    return count;
  }

  ElementValue LoadInput(llvm::IRBuilderBase& b, Operand& input, llvm::Value* group,
                         llvm::Value* position, llvm::Value* k) const {
    Indices index(b);
    llvm::Value* offset = index.AddScaled(index.Number(0), index.TakeLast(k, inputs_),
                                          spec_.lhs_feature_stride);
    llvm::Value* exists = nullptr;
    for (const ConvSpatialDim& dim : llvm::reverse(spec_.spatial)) {
      llvm::Value* out = index.TakeLast(position, dim.output);
      llvm::Value* tap = index.TakeLast(k, dim.window);
      llvm::Value* at = index.AddScaled(index.Number(-dim.padding_low), out, dim.stride);
      at = index.AddScaled(at, tap, dim.rhs_dilation);
      llvm::Value* inside = b.CreateICmpULT(
          at, index.Number(dim.input == 0 ? 0 : (dim.input - 1) * dim.lhs_dilation + 1));
      if (dim.lhs_dilation > 1) {
        llvm::Value* step = index.Number(dim.lhs_dilation);
        inside =
            b.CreateAnd(inside, b.CreateICmpEQ(b.CreateURem(at, step), index.Number(0)));
        at = b.CreateUDiv(at, step);
      }
      exists = exists ? b.CreateAnd(exists, inside) : inside;
      offset = index.AddScaled(offset, at, dim.lhs_stride);
    }
    // The rest of the position is the batch within the group.
    offset = index.AddScaled(offset, position, spec_.lhs_batch_stride);
    offset =
        index.AddScaled(offset, group,
                        spec_.batch_groups > 1     ? batch_ * spec_.lhs_batch_stride
                        : spec_.feature_groups > 1 ? inputs_ * spec_.lhs_feature_stride
                                                   : 0);
    return input.Load(offset, exists);
  }

  ElementValue LoadKernel(llvm::IRBuilderBase& b, Operand& kernel, llvm::Value* group,
                          llvm::Value* k, llvm::Value* column) const {
    Indices index(b);
    llvm::Value* offset = index.AddScaled(index.Number(0), index.TakeLast(k, inputs_),
                                          spec_.rhs_input_stride);
    for (const ConvSpatialDim& dim : llvm::reverse(spec_.spatial)) {
      llvm::Value* tap = index.TakeLast(k, dim.window);
      if (dim.reversal) tap = b.CreateSub(index.Number(dim.window - 1), tap);
      offset = index.AddScaled(offset, tap, dim.rhs_stride);
    }
    offset = index.AddScaled(offset, column, spec_.rhs_output_stride);
    return kernel.Load(
        index.AddScaled(offset, group, outputs_ * spec_.rhs_output_stride));
  }

  // The indices of a result: batch, spatial dimensions, feature.
  llvm::SmallVector<llvm::Value*, 8> ResultIndices(llvm::IRBuilderBase& b,
                                                   llvm::Value* group,
                                                   llvm::Value* position,
                                                   llvm::Value* column) const {
    Indices index(b);
    llvm::SmallVector<llvm::Value*, 8> indices(spec_.spatial.size() + 2);
    indices.back() = index.AddScaled(column, group, outputs_);
    for (size_t d = spec_.spatial.size(); d-- > 0;)
      indices[d + 1] = index.TakeLast(position, spec_.spatial[d].output);
    indices[0] = position;
    return indices;
  }

 private:
  ConvSpec spec_;
  int64_t groups_, batch_, inputs_, outputs_;
};

void BindConvolution(ir::ConvolutionOp op, GroupBody& body, TiledProduct& product) {
  const ConvSpec spec = compiler::SpecOf(op).spec;
  const Window window(spec);
  product.load_lhs = [&body, window,
                      input = Operand(body, op.getInput(), spec.lhs_type, product.type)](
                         llvm::Value* group, llvm::Value* row,
                         llvm::Value* k) mutable -> StatusOr<ElementValue> {
    return window.LoadInput(body.builder(), input, group, row, k);
  };
  product.load_rhs = [&body, window,
                      kernel =
                          Operand(body, op.getKernel(), spec.rhs_type, product.type)](
                         llvm::Value* group, llvm::Value* k,
                         llvm::Value* column) mutable -> StatusOr<ElementValue> {
    return window.LoadKernel(body.builder(), kernel, group, k, column);
  };
  product.store = [&body, window, op](llvm::Value* group, llvm::Value* row,
                                      llvm::Value* column,
                                      const ElementValue& sum) mutable {
    return Store(body, op.getEpilogue().front(),
                 window.ResultIndices(body.builder(), group, row, column), sum,
                 window.outputs());
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
    product.lhs_along_depth =
        spec.lhs_feature_stride == 1 && spec.input_features > spec.feature_groups;
    product.rhs_along_columns = spec.rhs_output_stride == 1;
  } else {
    return std::nullopt;
  }
  if (!compiler::IsTiledOnDevice(product.type)) return std::nullopt;
  return product;
}

void BindProduct(mlir::Operation& op, GroupBody& body, TiledProduct& product) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    BindContract(contract, body, product);
  else
    BindConvolution(llvm::cast<ir::ConvolutionOp>(op), body, product);
}

}  // namespace tenon::codegen
