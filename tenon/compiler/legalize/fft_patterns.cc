// Discrete Fourier transforms of lengths that have no kernel of their own: products with
// small transform matrices, joined by twiddle factors (mixed radix, decimation in
// frequency); lengths with a large prime factor as a convolution (Bluestein). All tables
// are computed in double precision.
#include <complex>

#include "tenon/compiler/codegen/emitter/structured_emitter.h"
#include "tenon/compiler/codegen/fft/butterfly.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using Number = std::complex<double>;
using codegen::RootOfUnity;

// Transforms up to this length are one product; larger factors are cut to kMaxRadix.
constexpr int64_t kMaxDirect = 32;
constexpr int64_t kMaxRadix = 16;

// Complex numbers stand as two real tensors one behind the other, [2, ...], or, where the
// imaginary part is zero, [1, ...]: transforms are products of real matrices, for which
// there are good kernels.
class Transformer {
 public:
  Transformer(GraphBuilder& g, mlir::Type real) : g_(g), real_(real) {}

  // The transform of the middle dimension of x, [parts, n, columns], without a factor.
  // sign: -1 forward, 1 backward. The result has both parts.
  Value Transform(Value x, int sign) {
    int64_t n = ShapeOf(x)[1];
    if (n == 1) return WithBothParts(x);
    int64_t radix = n <= kMaxDirect ? n : LargestDivisor(n);
    return radix == 1 ? Bluestein(x, sign) : Split(x, radix, sign);
  }

  Value Scale(Value x, double factor) { return g_.Mul(x, g_.Like(x, factor)); }

  // Part 0 or 1, without the dimension of the parts.
  Value Part(Value x, int64_t number) {
    return g_.Reshape(g_.SliceDim(x, 0, number, number + 1), ShapeOf(x).drop_front());
  }
  Value Join(Value real, Value imag) {
    DimList shape(ShapeOf(real));
    shape.insert(shape.begin(), 1);
    return g_.Concatenate({g_.Reshape(real, shape), g_.Reshape(imag, shape)}, 0);
  }

 private:
  static int64_t LargestDivisor(int64_t n) {
    for (int64_t radix = kMaxRadix; radix > 1; --radix)
      if (n % radix == 0) return radix;
    for (int64_t radix = kMaxRadix + 1; radix <= kMaxDirect; ++radix)
      if (n % radix == 0) return radix;
    return 1;
  }

  Value WithBothParts(Value x) {
    if (ShapeOf(x)[0] == 2) return x;
    return g_.Concatenate({x, g_.Like(x, 0)}, 0);
  }
  Value RealTable(Dims shape, llvm::function_ref<double(int64_t)> value) {
    llvm::SmallVector<Number> numbers;
    int64_t count = mlir::ShapedType::getNumElements(shape);
    for (int64_t i = 0; i < count; ++i) numbers.push_back(value(i));
    return g_.Table(real_, shape, numbers);
  }

  // The parts of x times numbers given for its leading dimensions (after that of the
  // parts): a constant, or a tensor with both parts.
  std::pair<Value, Value> Multiply(Value x, Value real, Value imag) {
    Dims shape = ShapeOf(x).drop_front();
    real = g_.BroadcastLeading(real, shape);
    imag = g_.BroadcastLeading(imag, shape);
    Value a = Part(x, 0);
    if (ShapeOf(x)[0] == 1) return {g_.Mul(a, real), g_.Mul(a, imag)};
    Value b = Part(x, 1);
    return {g_.Sub(g_.Mul(a, real), g_.Mul(b, imag)),
            g_.Add(g_.Mul(a, imag), g_.Mul(b, real))};
  }
  std::pair<Value, Value> MultiplyTable(Value x, Dims shape,
                                        llvm::function_ref<Number(int64_t)> value) {
    return Multiply(x, RealTable(shape, [&](int64_t i) { return value(i).real(); }),
                    RealTable(shape, [&](int64_t i) { return value(i).imag(); }));
  }

  // The transform of the middle dimension of x, [parts, radix, columns], as one product.
  Value Product(Value x, int sign) {
    int64_t parts = ShapeOf(x)[0], radix = ShapeOf(x)[1], columns = ShapeOf(x)[2];
    // (a + ib)(c + is) = (ac - bs) + i(as + bc)
    Value matrix = RealTable({2 * radix, parts * radix}, [&](int64_t i) {
      int64_t to = i / (parts * radix), from = i % (parts * radix);
      Number root = RootOfUnity((to % radix) * (from % radix), radix, sign);
      bool to_imag = to >= radix, from_imag = from >= radix;
      if (to_imag == from_imag) return root.real();
      return to_imag ? root.imag() : -root.imag();
    });
    Value product = g_.MatMul(matrix, g_.Reshape(x, {parts * radix, columns}));
    return g_.Reshape(product, {2, radix, columns});
  }

  // n = radix * rest. Input i1 * rest + i2, output k1 + radix * k2:
  // sum over i2 of w_n^(i2 k1) w_rest^(i2 k2) (sum over i1 of w_radix^(i1 k1) x).
  // The k1 join the columns, so that the output is in order (Stockham).
  Value Split(Value x, int64_t radix, int sign) {
    int64_t parts = ShapeOf(x)[0], n = ShapeOf(x)[1], columns = ShapeOf(x)[2];
    int64_t rest = n / radix;
    Value y = Product(g_.Reshape(x, {parts, radix, rest * columns}), sign);
    if (rest == 1) return y;
    y = g_.Reshape(y, {2, radix, rest, columns});
    auto [real, imag] = MultiplyTable(y, {radix, rest}, [&](int64_t i) {
      return RootOfUnity((i / rest) * (i % rest), n, sign);
    });
    y = Join(g_.Transpose(real, {1, 0, 2}), g_.Transpose(imag, {1, 0, 2}));
    y = Transform(g_.Reshape(y, {2, rest, radix * columns}), sign);
    return g_.Reshape(y, {2, n, columns});
  }

  // i k = (i^2 + k^2 - (k - i)^2) / 2 makes the transform a convolution with a chirp,
  // which is done by transforms of a length that is a power of two.
  Value Bluestein(Value x, int sign) {
    int64_t n = ShapeOf(x)[1];
    int64_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    auto chirp = [&](int64_t i) {
      // Exponents count modulo 2 n.
      uint64_t square = static_cast<uint64_t>(i) * static_cast<uint64_t>(i);
      return RootOfUnity(square % (2 * n), 2 * n, sign);
    };
    auto chirped = [&](Value v) {
      auto [real, imag] = MultiplyTable(v, {n}, chirp);
      return Join(real, imag);
    };
    Value a =
        g_.Pad(chirped(x), g_.Constant(real_, {}, 0), {0, 0, 0}, {0, padded - n, 0});
    auto filter_at = [&](int64_t i) {
      if (i < n) return std::conj(chirp(i));
      if (padded - i < n) return std::conj(chirp(padded - i));
      return Number(0);
    };
    Value filter = RealTable({2, padded, 1}, [&](int64_t i) {
      Number value = filter_at(i % padded);
      return i < padded ? value.real() : value.imag();
    });
    filter = g_.Reshape(Transform(filter, -1), {2, padded});
    auto [real, imag] = Multiply(Transform(a, -1), Part(filter, 0), Part(filter, 1));
    Value product = Transform(Join(real, imag), 1);
    product = Scale(g_.SliceDim(product, 1, 0, n), 1.0 / static_cast<double>(padded));
    return chirped(product);
  }

  GraphBuilder& g_;
  mlir::Type real_;
};

// What lengths have a kernel is the same for every target.
bool HasKernel(stablehlo::FftOp op, Dims lengths, bool inverse) {
  codegen::FftSpec spec = codegen::FftSpecOf(TypeOf(op.getOperand()),
                                             TypeOf(op.getResult()), lengths, inverse);
  return codegen::PlanFft(spec, codegen::TargetTraits()).has_value();
}

LogicalResult RewriteFft(stablehlo::FftOp op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  auto type = TypeOf(op.getOperand()), result_type = TypeOf(op.getResult());
  mlir::Type real = RealOf(type.getElementType());
  if (result_type.getNumElements() == 0 || type.getNumElements() == 0) {
    rewriter.replaceOp(op, g.Like(op.getResult(), 0));
    return mlir::success();
  }
  auto kind = op.getFftType();
  Dims lengths = op.getFftLength();
  int64_t count = lengths.size(), rank = type.getRank();
  if (count == 0) return mlir::failure();
  int sign = kind == stablehlo::FftType::FFT || kind == stablehlo::FftType::RFFT ? -1 : 1;
  if (HasKernel(op, lengths, sign > 0)) return mlir::failure();
  Transformer transformer(g, real);
  // [parts, dimensions in `order`]
  Value x;
  DimList order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  if (llvm::isa<mlir::ComplexType>(type.getElementType())) {
    x = transformer.Join(g.Real(op.getOperand()), g.Imag(op.getOperand()));
  } else {
    DimList shape(type.getShape());
    shape.insert(shape.begin(), 1);
    x = g.Reshape(op.getOperand(), shape);
  }
  auto arrange = [&](Dims wanted) {
    DimList permutation = {0};
    for (int64_t dim : wanted)
      permutation.push_back(llvm::find(order, dim) - order.begin() + 1);
    x = g.Transpose(x, permutation);
    order = DimList(wanted);
  };
  // The dimension comes to the front, the others keep their order.
  auto transform_dim = [&](int64_t dim) {
    DimList wanted = {dim};
    for (int64_t other : order)
      if (other != dim) wanted.push_back(other);
    arrange(wanted);
    DimList shape(ShapeOf(x));
    int64_t parts = shape[0], n = shape[1];
    int64_t columns = TypeOf(x).getNumElements() / parts / n;
    x = transformer.Transform(g.Reshape(x, {parts, n, columns}), sign);
    shape[0] = 2;
    x = g.Reshape(x, shape);
  };
  int64_t last = lengths.back(), half = last / 2 + 1;
  if (kind != stablehlo::FftType::IRFFT) transform_dim(rank - 1);
  if (kind == stablehlo::FftType::RFFT) x = g.SliceDim(x, 1, 0, half);
  for (int64_t d = rank - 2; d >= rank - count; --d) transform_dim(d);
  if (kind == stablehlo::FftType::IRFFT) {
    // The upper half is the conjugate mirror of the lower; the imaginary parts at the
    // ends are taken to be zero.
    int64_t mirrored = last - half;
    int64_t dim = llvm::find(order, rank - 1) - order.begin();
    Value re = transformer.Part(x, 0), im = transformer.Part(x, 1);
    Value position = g.Iota(rewriter.getI32Type(), ShapeOf(im), dim);
    auto at = [&](int64_t i) {
      return g.Compare(position, g.IntegerLike(position, i),
                       stablehlo::ComparisonDirection::EQ);
    };
    Value ends = at(0);
    if (last % 2 == 0) ends = g.Or(ends, at(half - 1));
    im = g.Select(ends, g.Like(im, 0), im);
    if (mirrored > 0) {
      auto mirror = [&](Value v) {
        return g.Reverse(g.SliceDim(v, dim, 1, mirrored + 1), {dim});
      };
      re = g.Concatenate({re, mirror(re)}, dim);
      im = g.Concatenate({im, g.Unary<stablehlo::NegOp>(mirror(im))}, dim);
    }
    x = transformer.Join(re, im);
    transform_dim(rank - 1);
    x = g.SliceDim(x, 0, 0, 1);
  }
  if (sign > 0) {
    double scale = 1;
    for (int64_t length : lengths) scale *= static_cast<double>(length);
    x = transformer.Scale(x, 1 / scale);
  }
  DimList wanted;
  for (int64_t d = 0; d < rank; ++d) wanted.push_back(d);
  arrange(wanted);
  Value result = transformer.Part(x, 0);
  if (ShapeOf(x)[0] == 2) result = g.Complex(result, transformer.Part(x, 1));
  rewriter.replaceOp(op, result);
  return mlir::success();
}

}  // namespace

void PopulateFftPatterns(mlir::RewritePatternSet& patterns) { patterns.add(RewriteFft); }

}  // namespace tenon::compiler
