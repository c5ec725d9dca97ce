// QR factorizations by Householder reflections, as LAPACK's geqrf and orgqr define them:
// the custom calls "Qr" and "ProductOfElementaryHouseholderReflectors". A reflection is H
// = I - tau v v^H, where v is one at its diagonal element and zero above it.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using stablehlo::ComparisonDirection;

// The width of a panel. The columns right of it are updated by matrix products.
constexpr int64_t kPanel = 32;

bool IsMatrix(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() >= 2 &&
         llvm::isa<mlir::FloatType>(RealOf(type.getElementType())) &&
         RealOf(type.getElementType()).getIntOrFloatBitWidth() >= 32;
}

class Householder {
 public:
  explicit Householder(GraphBuilder& g) : g_(g) {}

  struct Factors {
    Value packed;  // [..., m, n]: R on and above the diagonal, the vectors v below it
    Value taus;    // [..., min(m, n)]
  };

  Factors Factor(Value a) {
    int64_t m = Rows(a), n = Columns(a), count = std::min(m, n);
    Values panels, taus, tops;
    // Factored panels are collected. `rest` holds the rows still to be factored of the
    // columns right of the last panel; `above` holds the rows of these columns that
    // already belong to R.
    Value rest = a;
    Value above;
    for (int64_t from = 0; from < count; from += kPanel) {
      int64_t width = std::min(kPanel, count - from);
      Factors panel = FactorPanel(g_.SliceDim(rest, -1, 0, width));
      taus.push_back(panel.taus);
      panels.push_back(
          Stack(above ? g_.SliceDim(above, -1, 0, width) : Value(), panel.packed));
      if (from + width == n) return Join(panels, taus);
      Value right = g_.SliceDim(rest, -1, width, n - from);
      Value v = Reflectors(panel.packed);
      right = ApplyBlock(v, Triangle(v, panel.taus), right, /*adjoint=*/true);
      Value above_right = above ? g_.SliceDim(above, -1, width, n - from) : Value();
      above = Stack(above_right, g_.SliceDim(right, -2, 0, width));
      rest = g_.SliceDim(right, -2, width, m - from);
    }
    panels.push_back(Stack(above, rest));
    return Join(panels, taus);
  }

  // The first columns of H_1 H_2 ..., as many as there are columns in `a`.
  Value Product(Value a, Value taus) {
    int64_t m = Rows(a), n = Columns(a), count = ShapeOf(taus).back();
    mlir::Type i32 = g_.builder().getI32Type();
    int64_t rank = ShapeOf(a).size();
    Value on_diagonal =
        g_.Compare(g_.Iota(i32, ShapeOf(a), rank - 1), g_.Iota(i32, ShapeOf(a), rank - 2),
                   ComparisonDirection::EQ);
    Value q = g_.Select(on_diagonal, g_.Like(a, 1), g_.Like(a, 0));
    int64_t panels = (count + kPanel - 1) / kPanel;
    for (int64_t p = panels; p-- > 0;) {
      int64_t from = p * kPanel, width = std::min(kPanel, count - from);
      Value v =
          Reflectors(g_.SliceDim(g_.SliceDim(a, -2, from, m), -1, from, from + width));
      Value t = Triangle(v, g_.SliceDim(taus, -1, from, from + width));
      Value lower = g_.SliceDim(g_.SliceDim(q, -2, from, m), -1, from, n);
      lower = ApplyBlock(v, t, lower, /*adjoint=*/false);
      if (from == 0) {
        q = lower;
        continue;
      }
      DimList low(rank, 0), high(rank, 0);
      low[rank - 1] = from;
      Value padded = g_.Pad(lower, g_.Constant(ElementOf(q), {}, 0), low, high);
      q = g_.Concatenate({g_.SliceDim(q, -2, 0, from), padded}, -2);
    }
    return q;
  }

 private:
  static int64_t Rows(Value x) { return ShapeOf(x)[ShapeOf(x).size() - 2]; }
  static int64_t Columns(Value x) { return ShapeOf(x).back(); }

  Value Stack(Value above, Value below) {
    return above ? g_.Concatenate({above, below}, -2) : below;
  }
  Factors Join(llvm::ArrayRef<Value> panels, llvm::ArrayRef<Value> taus) {
    return {g_.Concatenate(panels, -1), g_.Concatenate(taus, -1)};
  }
  Value Positions(Dims shape, int64_t from_last) {
    return g_.Iota(g_.builder().getI32Type(), shape,
                   static_cast<int64_t>(shape.size()) - from_last);
  }
  Value Adjoint(Value x) { return g_.SwapLast(g_.Conj(x)); }

  // The vectors v of a packed panel: ones on the diagonal, zeros above.
  Value Reflectors(Value packed) {
    Value row = Positions(ShapeOf(packed), 2), column = Positions(ShapeOf(packed), 1);
    Value v = g_.Select(g_.Compare(row, column, ComparisonDirection::GT), packed,
                        g_.Like(packed, 0));
    return g_.Select(g_.Compare(row, column, ComparisonDirection::EQ), g_.Like(packed, 1),
                     v);
  }

  // The upper triangular T with H_1 H_2 ... = I - V T V^H, computed column by column:
  // T[:j, j] = -tau_j T[:j, :j] V[:, :j]^H v_j.
  Value Triangle(Value v, Value taus) {
    int64_t width = Columns(v);
    Value gram = g_.MatMul(Adjoint(v), v);  // [..., width, width]
    DimList shape(ShapeOf(gram)), column(shape);
    column.back() = 1;
    Value tau_row = g_.Reshape(taus, [&] {
      DimList dims(shape);
      dims[dims.size() - 2] = 1;
      return dims;
    }());
    Values result =
        g_.For(width, {g_.Like(gram, 0)}, [&](Value j, mlir::ValueRange carried) {
          Value tau = g_.DynamicSliceDim(tau_row, j, -1, 1);  // [..., 1, 1]
          DimList outer(ShapeOf(tau).drop_back());
          tau = g_.BroadcastLeading(g_.Reshape(tau, DimList(Dims(shape).drop_back(2))),
                                    column);
          Value product = g_.MatMul(carried[0], g_.DynamicSliceDim(gram, j, -1, 1));
          Value next = g_.Unary<stablehlo::NegOp>(g_.Mul(tau, product));
          Value current = g_.Broadcast(j, column, {});
          next = g_.Select(
              g_.Compare(Positions(column, 2), current, ComparisonDirection::EQ), tau,
              next);
          return Values{g_.UpdateDim(carried[0], next, j, -1)};
        });
    return result[0];
  }

  // (I - V T V^H) x, or its adjoint.
  Value ApplyBlock(Value v, Value t, Value x, bool adjoint) {
    Value product = g_.MatMul(Adjoint(v), x);
    product = g_.MatMul(adjoint ? Adjoint(t) : t, product);
    return g_.Sub(x, g_.MatMul(v, product));
  }

  // Factors a panel column by column: the reflection that clears column k below its
  // diagonal is applied to the columns after k.
  Factors FactorPanel(Value a) {
    DimList shape(ShapeOf(a)), batch(Dims(shape).drop_back(2));
    int64_t width = std::min(Rows(a), Columns(a));
    DimList taus_shape(batch), column_shape(shape), one(batch);
    taus_shape.push_back(width);
    column_shape.back() = 1;
    one.append({1, 1});
    mlir::Type element = ElementOf(a);
    Values inits = {a, g_.Constant(element, taus_shape, 0)};
    Values results = g_.For(width, inits, [&](Value k, mlir::ValueRange carried) {
      Value packed = carried[0];
      Value column = g_.DynamicSliceDim(packed, k, -1, 1);
      Value row = Positions(column_shape, 2), current = g_.Broadcast(k, column_shape, {});
      Value below = g_.Compare(row, current, ComparisonDirection::GT);
      Value alpha = g_.DynamicSliceDim(column, k, -2, 1);  // [..., 1, 1]
      Value tail = g_.Select(below, column, g_.Like(column, 0));
      Value alpha_real = g_.Real(alpha);
      Value alpha_imag = ImagOf(alpha);
      Value scale, tail_norm = Norm(tail, one, scale);
      Value is_flat =
          g_.Compare(tail_norm, g_.Like(tail_norm, 0), ComparisonDirection::EQ);
      if (alpha_imag)
        is_flat = g_.And(is_flat, g_.Compare(alpha_imag, g_.Like(alpha_imag, 0),
                                             ComparisonDirection::EQ));
      Value norm = Hypot(Hypot(alpha_real, tail_norm), alpha_imag);
      // beta has the opposite sign of alpha, so alpha - beta does not cancel.
      Value negative =
          g_.Compare(alpha_real, g_.Like(alpha_real, 0), ComparisonDirection::LT);
      Value beta = g_.Select(negative, norm, g_.Unary<stablehlo::NegOp>(norm));
      Value safe_beta = g_.Select(is_flat, g_.Like(beta, 1), beta);
      Value tau = g_.Div(g_.Sub(beta, alpha_real), safe_beta);
      if (alpha_imag)
        tau = g_.Complex(tau, g_.Unary<stablehlo::NegOp>(g_.Div(alpha_imag, safe_beta)));
      tau = g_.Select(is_flat, g_.Like(tau, 0), tau);
      Value diagonal = g_.Select(is_flat, alpha, g_.Convert(beta, element));
      Value divisor = g_.Sub(alpha, g_.Convert(beta, element));
      divisor = g_.Select(is_flat, g_.Like(divisor, 1), divisor);
      auto broadcast = [&](Value x, Dims to) {
        return g_.BroadcastLeading(g_.Reshape(x, batch), to);
      };
      Value v = g_.Div(tail, broadcast(divisor, column_shape));
      Value on = g_.Compare(row, current, ComparisonDirection::EQ);
      Value reflector = g_.Select(on, g_.Like(v, 1), v);
      // Applies the adjoint of H to the columns after k.
      Value projection = g_.MatMul(Adjoint(reflector), packed);  // [..., 1, n]
      Value factor = g_.Mul(broadcast(g_.Conj(tau), ShapeOf(projection)), projection);
      Value later =
          g_.Compare(Positions(ShapeOf(factor), 1), g_.Broadcast(k, ShapeOf(factor), {}),
                     ComparisonDirection::GT);
      factor = g_.Select(later, factor, g_.Like(factor, 0));
      Value updated = g_.Sub(packed, g_.MatMul(reflector, factor));
      Value next = g_.Select(below, v, column);
      next = g_.Select(on, broadcast(diagonal, column_shape), next);
      updated = g_.UpdateDim(updated, next, k, -1);
      DimList tau_shape(batch);
      tau_shape.push_back(1);
      return Values{updated, g_.UpdateDim(carried[1], g_.Reshape(tau, tau_shape), k, -1)};
    });
    return {results[0], results[1]};
  }

  Value ImagOf(Value x) {
    if (!llvm::isa<mlir::ComplexType>(ElementOf(x))) return nullptr;
    return g_.Imag(x);
  }

  // The 2-norm of a column as [..., 1, 1], scaled so that it does not overflow.
  Value Norm(Value column, Dims one, Value& scale) {
    Value size = g_.Abs(g_.Real(column));
    Value imag = ImagOf(column);
    if (imag) {
      Value imag_size = g_.Abs(imag);
      size = g_.Binary<stablehlo::MaxOp>(size, imag_size);
    }
    int64_t row = static_cast<int64_t>(ShapeOf(column).size()) - 2;
    scale = g_.Reshape(g_.Reduce<stablehlo::MaxOp>(size, 0, {row}), one);
    Value divisor =
        g_.Select(g_.Compare(scale, g_.Like(scale, 0), ComparisonDirection::EQ),
                  g_.Like(scale, 1), scale);
    Value broadcast = g_.BroadcastLeading(g_.Reshape(divisor, DimList(one.drop_back(2))),
                                          ShapeOf(column));
    auto square = [&](Value x) {
      Value scaled = g_.Div(x, broadcast);
      return g_.Mul(scaled, scaled);
    };
    Value squares = square(g_.Real(column));
    if (imag) squares = g_.Add(squares, square(imag));
    Value sum = g_.Reshape(g_.Sum(squares, {row}), one);
    return g_.Mul(scale, g_.Unary<stablehlo::SqrtOp>(sum));
  }

  Value Hypot(Value x, Value y) {
    if (!y) return g_.Abs(x);
    x = g_.Abs(x);
    y = g_.Abs(y);
    Value large = g_.Binary<stablehlo::MaxOp>(x, y);
    Value small = g_.Binary<stablehlo::MinOp>(x, y);
    Value divisor =
        g_.Select(g_.Compare(large, g_.Like(large, 0), ComparisonDirection::EQ),
                  g_.Like(large, 1), large);
    Value ratio = g_.Div(small, divisor);
    Value root =
        g_.Unary<stablehlo::SqrtOp>(g_.Add(g_.Mul(ratio, ratio), g_.Like(ratio, 1)));
    return g_.Mul(large, root);
  }

  GraphBuilder& g_;
};

LogicalResult RewriteQr(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (op.getCallTargetName() != "Qr" || op->getNumOperands() != 1 ||
      op->getNumResults() != 2 || !IsMatrix(op->getOperand(0)))
    return mlir::failure();
  Value a = op->getOperand(0);
  Dims dims = ShapeOf(a);
  DimList taus(dims.drop_back(2));
  taus.push_back(std::min(dims.back(), dims[dims.size() - 2]));
  auto taus_type = mlir::RankedTensorType::get(taus, ElementOf(a));
  if (op->getResult(0).getType() != a.getType() ||
      op->getResult(1).getType() != taus_type)
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  if (TypeOf(a).getNumElements() == 0) {
    rewriter.replaceOp(op, {a, g.Like(op->getResult(1), 0)});
    return mlir::success();
  }
  Householder::Factors factors = Householder(g).Factor(a);
  rewriter.replaceOp(op, {factors.packed, factors.taus});
  return mlir::success();
}

LogicalResult RewriteProduct(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (op.getCallTargetName() != "ProductOfElementaryHouseholderReflectors" ||
      op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !IsMatrix(op->getOperand(0)) ||
      op->getResult(0).getType() != op->getOperand(0).getType())
    return mlir::failure();
  Value a = op->getOperand(0), taus = op->getOperand(1);
  Dims dims = ShapeOf(a);
  auto taus_type = llvm::dyn_cast<mlir::RankedTensorType>(taus.getType());
  if (!taus_type || taus_type.getElementType() != ElementOf(a) ||
      taus_type.getRank() + 1 != static_cast<int64_t>(dims.size()) ||
      taus_type.getShape().drop_back() != dims.drop_back(2) ||
      taus_type.getShape().back() > std::min(dims.back(), dims[dims.size() - 2]))
    return mlir::failure();
  if (TypeOf(a).getNumElements() == 0) {
    rewriter.replaceOp(op, a);
    return mlir::success();
  }
  GraphBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, Householder(g).Product(a, taus));
  return mlir::success();
}

}  // namespace

void PopulateHouseholderPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteQr);
  patterns.add(RewriteProduct);
}

}  // namespace tenon::compiler
