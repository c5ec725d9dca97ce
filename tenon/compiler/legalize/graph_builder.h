// Builds StableHLO expressions for rewrites. Result types are inferred; scalar constants
// are splats of the operand's shape. A short-lived object on one thread's stack; owns
// nothing.
#ifndef TENON_COMPILER_LEGALIZE_GRAPH_BUILDER_H_
#define TENON_COMPILER_LEGALIZE_GRAPH_BUILDER_H_

#include <complex>
#include <functional>

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

using Dims = llvm::ArrayRef<int64_t>;
using DimList = llvm::SmallVector<int64_t>;
using Values = llvm::SmallVector<mlir::Value>;

// The type of a complex element's parts; any other element type is returned unchanged.
mlir::Type RealOf(mlir::Type element);

class GraphBuilder {
 public:
  GraphBuilder(mlir::OpBuilder& builder, mlir::Location loc) : b_(builder), loc_(loc) {}

  mlir::OpBuilder& builder() { return b_; }
  mlir::Location loc() const { return loc_; }

  // A splat of floats, integers (the value's low bits) or complex numbers.
  mlir::Value Constant(mlir::Type element, Dims shape, double value);
  mlir::Value Integer(mlir::Type element, Dims shape, uint64_t value);
  mlir::Value Like(mlir::Value value, double number) {
    return Constant(ElementOf(value), ShapeOf(value), number);
  }
  mlir::Value IntegerLike(mlir::Value value, uint64_t number) {
    return Integer(ElementOf(value), ShapeOf(value), number);
  }
  // `values` in row-major order; only their real parts for a real element type.
  mlir::Value Table(mlir::Type element, Dims shape,
                    llvm::ArrayRef<std::complex<double>> values);
  mlir::Value Iota(mlir::Type element, Dims shape, int64_t dim);
  mlir::Value Index(uint64_t value) { return Integer(b_.getI32Type(), {}, value); }

  template <typename Op>
  mlir::Value Unary(mlir::Value x) {
    return Op::create(b_, loc_, x);
  }
  template <typename Op>
  mlir::Value Binary(mlir::Value x, mlir::Value y) {
    return Op::create(b_, loc_, x, y);
  }
  mlir::Value Add(mlir::Value x, mlir::Value y) { return Binary<stablehlo::AddOp>(x, y); }
  mlir::Value Sub(mlir::Value x, mlir::Value y) {
    return Binary<stablehlo::SubtractOp>(x, y);
  }
  mlir::Value Mul(mlir::Value x, mlir::Value y) { return Binary<stablehlo::MulOp>(x, y); }
  mlir::Value Div(mlir::Value x, mlir::Value y) { return Binary<stablehlo::DivOp>(x, y); }
  mlir::Value And(mlir::Value x, mlir::Value y) { return Binary<stablehlo::AndOp>(x, y); }
  mlir::Value Or(mlir::Value x, mlir::Value y) { return Binary<stablehlo::OrOp>(x, y); }
  mlir::Value Xor(mlir::Value x, mlir::Value y) { return Binary<stablehlo::XorOp>(x, y); }
  // Requires real numbers.
  mlir::Value Abs(mlir::Value x) {
    return stablehlo::AbsOp::create(b_, loc_, x.getType(), x);
  }
  // The real part; real numbers are returned unchanged.
  mlir::Value Real(mlir::Value x);
  // The imaginary part; requires complex numbers.
  mlir::Value Imag(mlir::Value x);
  mlir::Value Conj(mlir::Value x);
  mlir::Value Complex(mlir::Value real, mlir::Value imag);
  mlir::Value Convert(mlir::Value x, mlir::Type element);
  mlir::Value Bitcast(mlir::Value x, mlir::Type element);
  mlir::Value Compare(mlir::Value x, mlir::Value y, stablehlo::ComparisonDirection how);
  mlir::Value Select(mlir::Value pred, mlir::Value on_true, mlir::Value on_false);

  mlir::Value Reshape(mlir::Value x, Dims shape);
  mlir::Value Transpose(mlir::Value x, Dims permutation);
  // Transposes the two innermost dimensions.
  mlir::Value SwapLast(mlir::Value x);
  mlir::Value Broadcast(mlir::Value x, Dims shape, Dims dims);
  // `x` has the trailing (or the leading) dimensions of `shape`.
  mlir::Value BroadcastTrailing(mlir::Value x, Dims shape);
  mlir::Value BroadcastLeading(mlir::Value x, Dims shape);
  mlir::Value Slice(mlir::Value x, Dims start, Dims limit, Dims strides = {});
  // Slices one dimension, counted from the innermost if negative; the others are kept
  // whole.
  mlir::Value SliceDim(mlir::Value x, int64_t dim, int64_t start, int64_t limit,
                       int64_t stride = 1);
  mlir::Value Pad(mlir::Value x, mlir::Value value, Dims low, Dims high);
  mlir::Value Concatenate(llvm::ArrayRef<mlir::Value> parts, int64_t dim);
  mlir::Value Reverse(mlir::Value x, Dims dims);
  // Slices at a dynamic start in dimension `dim` and at zero in all others.
  mlir::Value DynamicSliceDim(mlir::Value x, mlir::Value start, int64_t dim,
                              int64_t size);
  mlir::Value UpdateDim(mlir::Value x, mlir::Value update, mlir::Value start,
                        int64_t dim);

  // Contracts the innermost dimension of x and the second innermost of y: [..., m, k] x
  // [..., k, n]. Leading dimensions are a batch.
  mlir::Value MatMul(mlir::Value x, mlir::Value y);
  mlir::Value Dot(mlir::Value x, mlir::Value y, Dims x_batch, Dims y_batch,
                  Dims x_contracting, Dims y_contracting);
  // Op is a binary op with the neutral element `init`.
  template <typename Op>
  mlir::Value Reduce(mlir::Value x, double init, Dims dims) {
    return ReduceWith(x, Constant(ElementOf(x), {}, init), dims,
                      [this](mlir::Value a, mlir::Value b) { return Binary<Op>(a, b); });
  }
  mlir::Value Sum(mlir::Value x, Dims dims) {
    return Reduce<stablehlo::AddOp>(x, 0, dims);
  }
  mlir::Value ReduceWith(mlir::Value x, mlir::Value init, Dims dims,
                         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> op);

  // for (i = 0; i < count; ++i) carried = body(i, carried). i is a scalar of 32 bits.
  Values For(int64_t count, llvm::ArrayRef<mlir::Value> carried,
             llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  // The same up to a scalar of 32 bits.
  Values ForBelow(mlir::Value end, llvm::ArrayRef<mlir::Value> carried,
                  llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

 private:
  // `end` is called where the condition is built.
  Values CountTo(llvm::function_ref<mlir::Value()> end,
                 llvm::ArrayRef<mlir::Value> carried,
                 llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  mlir::RankedTensorType WithShape(mlir::Value x, Dims shape) {
    return mlir::RankedTensorType::get(shape, ElementOf(x));
  }

  mlir::OpBuilder& b_;
  mlir::Location loc_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_GRAPH_BUILDER_H_
