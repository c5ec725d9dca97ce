// Cholesky factorisations, by blocks: a small block column by column, then a triangular
// solve for what is below it and a product for what is left.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using stablehlo::ComparisonDirection;

constexpr int64_t kBlock = 32;

struct Factor {
  Value lower;  // [..., n, n]; zero above the diagonal
  Value valid;  // [...]: whether all pivots were positive
};

// Column j of L is (column j of A - L (row j of L)^H) / sqrt(pivot), its rows from j on.
Factor FactorBlock(GraphBuilder& g, Value a) {
  DimList batch(ShapeOf(a).drop_back(2));
  int64_t n = ShapeOf(a).back();
  mlir::Type i1 = g.builder().getI1Type(), i32 = g.builder().getI32Type();
  Values inits = {g.Like(a, 0), g.Integer(i1, batch, 1)};
  Values carried = g.For(n, inits, [&](Value j, mlir::ValueRange state) {
    Value lower = state[0];
    Value row = g.Conj(g.DynamicSliceDim(lower, j, -2, 1));
    Value known = g.MatMul(lower, g.SwapLast(row));
    Value column = g.Sub(g.DynamicSliceDim(a, j, -1, 1), known);
    Value pivot = g.Real(g.DynamicSliceDim(column, j, -2, 1));
    Value positive = g.Compare(pivot, g.Like(pivot, 0), ComparisonDirection::GT);
    Value valid = g.And(state[1], g.Reshape(positive, batch));
    Value root = g.Unary<stablehlo::SqrtOp>(pivot);
    DimList one(batch);
    one.push_back(1);
    auto spread = [&](Value x) {
      return g.BroadcastLeading(g.Reshape(x, one), ShapeOf(column));
    };
    mlir::Type element = ElementOf(column);
    Value divisor = spread(g.Convert(root, element));
    Value scaled = g.Div(column, divisor);
    Value position = g.Iota(i32, ShapeOf(column), ShapeOf(column).size() - 2);
    Value at = g.Broadcast(j, ShapeOf(column), {});
    scaled = g.Select(g.Compare(position, at, ComparisonDirection::EQ), divisor, scaled);
    scaled = g.Select(g.Compare(position, at, ComparisonDirection::LT), g.Like(scaled, 0),
                      scaled);
    return Values{g.UpdateDim(lower, scaled, j, -1), valid};
  });
  return {carried[0], carried[1]};
}

Factor FactorMatrix(GraphBuilder& g, Value a) {
  int64_t n = ShapeOf(a).back();
  if (n <= kBlock) return FactorBlock(g, a);
  int64_t cut = (n / 2 + kBlock - 1) / kBlock * kBlock;
  auto part = [&](int64_t row, int64_t row_end, int64_t column, int64_t column_end) {
    return g.SliceDim(g.SliceDim(a, -2, row, row_end), -1, column, column_end);
  };
  Factor head = FactorMatrix(g, part(0, cut, 0, cut));
  Value below = part(cut, n, 0, cut);
  // below = panel head^H
  Value panel = stablehlo::TriangularSolveOp::create(
      g.builder(), g.loc(), below.getType(), head.lower, below, /*left_side=*/false,
      /*lower=*/true, /*unit_diagonal=*/false, stablehlo::Transpose::ADJOINT);
  Value rest = g.Sub(part(cut, n, cut, n), g.MatMul(panel, g.SwapLast(g.Conj(panel))));
  Factor tail = FactorMatrix(g, rest);
  DimList low(ShapeOf(a).size(), 0), high(low.size(), 0);
  high.back() = n - cut;
  Value top = g.Pad(head.lower, g.Constant(ElementOf(a), {}, 0), low, high);
  Value bottom = g.Concatenate({panel, tail.lower}, -1);
  return {g.Concatenate({top, bottom}, -2), g.And(head.valid, tail.valid)};
}

// A matrix that is not positive definite has a factor of NaNs.
LogicalResult RewriteCholesky(stablehlo::CholeskyOp op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  Value a = op.getA();
  mlir::Type element = ElementOf(a);
  if (mlir::ShapedType::getNumElements(ShapeOf(a)) == 0) {
    rewriter.replaceOp(op, a);
    return mlir::success();
  }
  if (llvm::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    a = g.Convert(a, rewriter.getF32Type());
  // The upper triangle is the adjoint of the lower one.
  if (!op.getLower()) a = g.SwapLast(g.Conj(a));
  Factor factor = FactorMatrix(g, a);
  Value nan = g.Like(factor.lower, std::numeric_limits<double>::quiet_NaN());
  Value result =
      g.Select(g.BroadcastLeading(factor.valid, ShapeOf(a)), factor.lower, nan);
  if (!op.getLower()) result = g.SwapLast(g.Conj(result));
  rewriter.replaceOp(op, g.Convert(result, element));
  return mlir::success();
}

}  // namespace

void PopulateCholeskyPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteCholesky);
}

}  // namespace tenon::compiler
