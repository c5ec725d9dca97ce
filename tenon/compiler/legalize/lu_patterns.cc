// LU factorizations: JAX's custom calls of LAPACK.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/lapack_call.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// The number, counted from 1, of the first diagonal element of u that is zero; 0 if all
// are nonzero.
Value FirstZeroPivot(GraphBuilder& g, Value factors) {
  Dims shape = ShapeOf(factors);
  int64_t rank = shape.size(), count = std::min(shape[rank - 2], shape[rank - 1]);
  Value corner = g.SliceDim(g.SliceDim(factors, -2, 0, count), -1, 0, count);
  mlir::Type i32 = g.builder().getI32Type();
  Value row = g.Iota(i32, ShapeOf(corner), rank - 2);
  auto equal = stablehlo::ComparisonDirection::EQ;
  Value is_zero = g.And(g.Compare(row, g.Iota(i32, ShapeOf(corner), rank - 1), equal),
                        g.Compare(corner, g.Like(corner, 0), equal));
  Value none = g.IntegerLike(row, count);
  Value first = g.ReduceWith(
      g.Select(is_zero, row, none), g.Integer(i32, {}, count), {rank - 2, rank - 1},
      [&](Value x, Value y) { return g.Binary<stablehlo::MinOp>(x, y); });
  Value is_none = g.Compare(first, g.IntegerLike(first, count), equal);
  return g.Select(is_none, g.IntegerLike(first, 0),
                  g.Add(first, g.IntegerLike(first, 1)));
}

// getrf(a) -> factors, pivots, status.
LogicalResult RewriteGetrf(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (!IsLapackCall(op, "getrf", 1, 3) ||
      op->getResult(0).getType() != op->getOperand(0).getType())
    return mlir::failure();
  Value a = op->getOperand(0);
  Dims shape = ShapeOf(a);
  DimList of_pivots(shape.drop_back(2));
  of_pivots.push_back(std::min(shape.back(), shape[shape.size() - 2]));
  if (!IsLapackNumbers(op->getResult(1), of_pivots) ||
      !IsLapackNumbers(op->getResult(2), shape.drop_back(2)))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  auto lu =
      ir::LuOp::create(rewriter, op.getLoc(), a.getType(), op->getResult(1).getType(), a);
  Value status = FirstZeroPivot(g, lu.getFactors());
  rewriter.replaceOp(op, {lu.getFactors(), lu.getPivots(), status});
  return mlir::success();
}

}  // namespace

void PopulateLuPatterns(mlir::RewritePatternSet& patterns) { patterns.add(RewriteGetrf); }

}  // namespace tenon::compiler
