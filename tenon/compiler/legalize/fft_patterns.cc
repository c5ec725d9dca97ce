// Discrete Fourier transforms of any length: products with small transform matrices,
// joined by twiddle factors (mixed radix, decimation in frequency); lengths with a large
// prime factor as a convolution (Bluestein). All tables are computed in double precision.
#include <complex>

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using Number = std::complex<double>;

// Transforms up to this length are one product; larger factors are cut to kMaxRadix.
constexpr int64_t kMaxDirect = 32;
constexpr int64_t kMaxRadix = 16;

// exp(sign * 2 pi i * numerator / n), exact at the quarters.
Number RootOfUnity(uint64_t numerator, int64_t n, int sign) {
  uint64_t k = numerator % n;
  if (4 * k % n == 0) {
    constexpr Number kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    Number root = kQuarters[4 * k / n];
    return sign > 0 ? root : std::conj(root);
  }
  double angle = sign * 2 * M_PI * static_cast<double>(k) / static_cast<double>(n);
  return std::polar(1.0, angle);
}

// Complex values as pairs of real tensors of one shape: products of them are products of
// real matrices, for which there are better kernels.
struct Pair {
  Value real;
  Value imag;  // null: zero
};

class Transformer {
 public:
  Transformer(GraphBuilder& g, mlir::Type real) : g_(g), real_(real) {}

  // The transform of the last dimension of x, [rows, n], without a factor. sign: -1
  // forward, 1 backward.
  Pair Transform(Pair x, int sign) {
    int64_t n = DimsOf(x.real)[1];
    if (n == 1) return WithImag(x);
    int64_t radix = n <= kMaxDirect ? n : LargestDivisor(n);
    if (radix == n)
      return Reshape(Product(Reshape(x, {Rows(x), n, 1}), sign), {Rows(x), n});
    if (radix == 1) return Bluestein(x, sign);
    return Split(x, radix, sign);
  }

  Pair Scale(Pair x, double factor) {
    x.real = g_.Mul(x.real, g_.Like(x.real, factor));
    if (x.imag) x.imag = g_.Mul(x.imag, g_.Like(x.imag, factor));
    return x;
  }

 private:
  static int64_t Rows(Pair x) { return DimsOf(x.real)[0]; }
  static int64_t LargestDivisor(int64_t n) {
    for (int64_t radix = kMaxRadix; radix > 1; --radix)
      if (n % radix == 0) return radix;
    for (int64_t radix = kMaxRadix + 1; radix <= kMaxDirect; ++radix)
      if (n % radix == 0) return radix;
    return 1;
  }

  Pair Map(Pair x, llvm::function_ref<Value(Value)> f) {
    return {f(x.real), x.imag ? f(x.imag) : Value()};
  }
  Pair Reshape(Pair x, Dims shape) {
    return Map(x, [&](Value v) { return g_.Reshape(v, shape); });
  }
  Pair WithImag(Pair x) {
    if (!x.imag) x.imag = g_.Like(x.real, 0);
    return x;
  }
  Value RealTable(Dims shape, llvm::function_ref<double(int64_t)> value) {
    llvm::SmallVector<Number> numbers;
    int64_t count = mlir::ShapedType::getNumElements(shape);
    for (int64_t i = 0; i < count; ++i) numbers.push_back(value(i));
    return g_.Table(real_, shape, numbers);
  }
  Pair PairTable(Dims shape, llvm::function_ref<Number(int64_t)> value) {
    return {RealTable(shape, [&](int64_t i) { return value(i).real(); }),
            RealTable(shape, [&](int64_t i) { return value(i).imag(); })};
  }
  Pair Multiply(Pair x, Pair y) {
    if (!x.imag) return {g_.Mul(x.real, y.real), g_.Mul(x.real, y.imag)};
    return {g_.Sub(g_.Mul(x.real, y.real), g_.Mul(x.imag, y.imag)),
            g_.Add(g_.Mul(x.real, y.imag), g_.Mul(x.imag, y.real))};
  }
  // x * table, where the table has the trailing dimensions of x.
  Pair MultiplyTable(Pair x, Pair table) {
    return Multiply(
        x, Map(table, [&](Value v) { return g_.BroadcastTrailing(v, DimsOf(x.real)); }));
  }

  // The transform of the middle dimension of x, [rows, radix, columns], as one real
  // product: the parts stand one below the other, and so they do in the matrix.
  Pair Product(Pair x, int sign) {
    int64_t rows = Rows(x), radix = DimsOf(x.real)[1], columns = DimsOf(x.real)[2];
    int64_t parts = x.imag ? 2 : 1;
    Value stacked = x.imag ? g_.Concatenate({x.real, x.imag}, 1) : x.real;
    // (a + ib)(c + is) = (ac - bs) + i(as + bc)
    Value matrix = RealTable({2 * radix, parts * radix}, [&](int64_t i) {
      int64_t to = i / (parts * radix), from = i % (parts * radix);
      Number root = RootOfUnity((to % radix) * (from % radix), radix, sign);
      bool to_imag = to >= radix, from_imag = from >= radix;
      if (to_imag == from_imag) return root.real();
      return to_imag ? root.imag() : -root.imag();
    });
    Pair result;
    if (columns == 1) {
      Value flat = g_.Reshape(stacked, {rows, parts * radix});
      Value product = g_.Dot(flat, matrix, {}, {}, {1}, {1});  // [rows, 2 radix]
      result = {g_.SliceDim(product, 1, 0, radix),
                g_.SliceDim(product, 1, radix, 2 * radix)};
    } else {
      Value spread = g_.BroadcastTrailing(matrix, {rows, 2 * radix, parts * radix});
      Value product =
          rows == 1
              ? g_.Reshape(g_.Dot(matrix, g_.Reshape(stacked, {parts * radix, columns}),
                                  {}, {}, {1}, {0}),
                           {1, 2 * radix, columns})
              : g_.MatMul(spread, stacked);
      result = {g_.SliceDim(product, 1, 0, radix),
                g_.SliceDim(product, 1, radix, 2 * radix)};
    }
    return Reshape(result, {rows, radix, columns});
  }

  // n = radix * rest. Input i1 * rest + i2, output k1 + radix * k2:
  // sum over i2 of w_n^(i2 k1) w_rest^(i2 k2) (sum over i1 of w_radix^(i1 k1) x).
  Pair Split(Pair x, int64_t radix, int sign) {
    int64_t rows = Rows(x), n = DimsOf(x.real)[1], rest = n / radix;
    Pair y = Product(Reshape(x, {rows, radix, rest}), sign);
    y = MultiplyTable(y, PairTable({radix, rest}, [&](int64_t i) {
                        return RootOfUnity((i / rest) * (i % rest), n, sign);
                      }));
    y = Transform(Reshape(y, {rows * radix, rest}), sign);
    y = Map(Reshape(y, {rows, radix, rest}),
            [&](Value v) { return g_.Transpose(v, {0, 2, 1}); });
    return Reshape(y, {rows, n});
  }

  // i k = (i^2 + k^2 - (k - i)^2) / 2 makes the transform a convolution with a chirp,
  // which is done by transforms of a length that is a power of two.
  Pair Bluestein(Pair x, int sign) {
    int64_t rows = Rows(x), n = DimsOf(x.real)[1];
    int64_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    auto chirp = [&](int64_t i) {
      // Exponents count modulo 2 n.
      uint64_t square = static_cast<uint64_t>(i) * static_cast<uint64_t>(i);
      return RootOfUnity(square % (2 * n), 2 * n, sign);
    };
    Pair a = MultiplyTable(x, PairTable({n}, chirp));
    Value zero = g_.Constant(real_, {}, 0);
    a = Map(a, [&](Value v) { return g_.Pad(v, zero, {0, 0}, {0, padded - n}); });
    Pair filter = PairTable({1, padded}, [&](int64_t i) {
      if (i < n) return std::conj(chirp(i));
      if (padded - i < n) return std::conj(chirp(padded - i));
      return Number(0);
    });
    Pair product =
        MultiplyTable(Transform(a, -1), Reshape(Transform(filter, -1), {padded}));
    product = Scale(Transform(product, 1), 1.0 / static_cast<double>(padded));
    product = Map(product, [&](Value v) { return g_.SliceDim(v, 1, 0, n); });
    return Reshape(MultiplyTable(product, PairTable({n}, chirp)), {rows, n});
  }

  GraphBuilder& g_;
  mlir::Type real_;
};

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
  Transformer transformer(g, real);
  Pair x = {g.Real(op.getOperand()), {}};
  if (llvm::isa<mlir::ComplexType>(type.getElementType()))
    x.imag = g.Imag(op.getOperand());
  auto map = [&](auto f) {
    x.real = f(x.real);
    if (x.imag) x.imag = f(x.imag);
  };
  auto transform_dim = [&](int64_t dim) {
    DimList shape(DimsOf(x.real)), permutation;
    for (int64_t d = 0; d < rank; ++d)
      if (d != dim) permutation.push_back(d);
    permutation.push_back(dim);
    int64_t n = shape[dim];
    if (dim != rank - 1) map([&](Value v) { return g.Transpose(v, permutation); });
    DimList moved(DimsOf(x.real));
    int64_t rows = mlir::ShapedType::getNumElements(moved) / n;
    map([&](Value v) { return g.Reshape(v, {rows, n}); });
    x = transformer.Transform(x, sign);
    map([&](Value v) { return g.Reshape(v, moved); });
    if (dim == rank - 1) return;
    DimList back(rank);
    for (auto [position, d] : llvm::enumerate(permutation)) back[d] = position;
    map([&](Value v) { return g.Transpose(v, back); });
  };
  int64_t last = lengths.back();
  if (kind == stablehlo::FftType::RFFT) {
    transform_dim(rank - 1);
    map([&](Value v) { return g.SliceDim(v, -1, 0, last / 2 + 1); });
  }
  if (kind == stablehlo::FftType::FFT || kind == stablehlo::FftType::IFFT)
    transform_dim(rank - 1);
  for (int64_t d = rank - 2; d >= rank - count; --d) transform_dim(d);
  if (kind == stablehlo::FftType::IRFFT) {
    // The upper half is the conjugate mirror of the lower; the imaginary parts at the
    // ends are taken to be zero.
    int64_t half = last / 2 + 1, mirrored = last - half;
    DimList reversed = {rank - 1};
    Value mask = g.Iota(rewriter.getI32Type(), DimsOf(x.imag), rank - 1);
    auto at = [&](int64_t i) {
      return g.Compare(mask, g.IntegerLike(mask, i), stablehlo::ComparisonDirection::EQ);
    };
    Value ends = at(0);
    if (last % 2 == 0) ends = g.Or(ends, at(half - 1));
    x.imag = g.Select(ends, g.Like(x.imag, 0), x.imag);
    if (mirrored > 0) {
      auto mirror = [&](Value v) {
        return g.Reverse(g.SliceDim(v, -1, 1, mirrored + 1), reversed);
      };
      x.real = g.Concatenate({x.real, mirror(x.real)}, -1);
      x.imag = g.Concatenate({x.imag, g.Unary<stablehlo::NegOp>(mirror(x.imag))}, -1);
    }
    transform_dim(rank - 1);
    x.imag = nullptr;
  }
  if (sign > 0) {
    double scale = 1;
    for (int64_t length : lengths) scale *= static_cast<double>(length);
    x = transformer.Scale(x, 1 / scale);
  }
  rewriter.replaceOp(op, x.imag ? g.Complex(x.real, x.imag) : x.real);
  return mlir::success();
}

}  // namespace

void PopulateFftPatterns(mlir::RewritePatternSet& patterns) { patterns.add(RewriteFft); }

}  // namespace tenon::compiler
