// Triangular systems, by blocks: diagonal blocks are inverted, all at a time, by
// substitution; everything else is matrix products.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using stablehlo::ComparisonDirection;

// Systems up to this size are solved row by row.
constexpr int64_t kBlock = 32;

// Solves a x = b for x, where a is [..., n, n] and its upper or lower triangle is looked
// at, b is [..., n, m].
class Solver {
 public:
  Solver(GraphBuilder& g, bool lower, bool unit_diagonal)
      : g_(g), lower_(lower), unit_diagonal_(unit_diagonal) {}

  Value Solve(Value a, Value b) {
    int64_t n = ShapeOf(b)[ShapeOf(b).size() - 2];
    if (n <= kBlock) return SolveByRows(a, b);
    // Whole blocks at the front; what is left over is a system of its own at the end.
    int64_t whole = n / kBlock * kBlock;
    Value inverses = InvertBlocks(SubMatrix(a, 0, whole, 0, whole), whole / kBlock);
    auto solve_whole = [&](Value rhs) {
      return SolveBlocks(a, rhs, inverses, 0, whole / kBlock);
    };
    if (whole == n) return solve_whole(b);
    Value head = Rows(b, 0, whole), tail = Rows(b, whole, n);
    Value corner = SubMatrix(a, whole, n, whole, n);
    if (lower_) {
      head = solve_whole(head);
      tail = g_.Sub(tail, g_.MatMul(SubMatrix(a, whole, n, 0, whole), head));
      tail = SolveByRows(corner, tail);
    } else {
      tail = SolveByRows(corner, tail);
      head = g_.Sub(head, g_.MatMul(SubMatrix(a, 0, whole, whole, n), tail));
      head = solve_whole(head);
    }
    return g_.Concatenate({head, tail}, -2);
  }

 private:
  Value Rows(Value x, int64_t from, int64_t to) { return g_.SliceDim(x, -2, from, to); }
  Value SubMatrix(Value a, int64_t row, int64_t row_end, int64_t column,
                  int64_t column_end) {
    return g_.SliceDim(Rows(a, row, row_end), -1, column, column_end);
  }

  // Row k of x is (row k of b - row k of a before (after) the diagonal times x) / a[k,
  // k].
  Value SolveByRows(Value a, Value b) {
    int64_t n = ShapeOf(b)[ShapeOf(b).size() - 2];
    if (mlir::ShapedType::getNumElements(ShapeOf(b)) == 0) return b;
    Values solved = g_.For(n, {g_.Like(b, 0)}, [&](Value i, mlir::ValueRange carried) {
      Value k = lower_ ? i : g_.Sub(g_.Index(n - 1), i);
      Value row = g_.DynamicSliceDim(a, k, -2, 1);
      Value position = g_.Iota(g_.builder().getI32Type(), ShapeOf(row),
                               static_cast<int64_t>(ShapeOf(row).size()) - 1);
      Value at = g_.Broadcast(k, ShapeOf(row), {});
      Value known = g_.Compare(
          position, at, lower_ ? ComparisonDirection::LT : ComparisonDirection::GT);
      Value others = g_.Select(known, row, g_.Like(row, 0));
      Value right = g_.DynamicSliceDim(b, k, -2, 1);
      Value next = g_.Sub(right, g_.MatMul(others, carried[0]));
      if (!unit_diagonal_) {
        Value diagonal = g_.DynamicSliceDim(row, k, -1, 1);
        DimList outer(ShapeOf(diagonal).drop_back());
        next =
            g_.Div(next, g_.BroadcastLeading(g_.Reshape(diagonal, outer), ShapeOf(next)));
      }
      return Values{g_.UpdateDim(carried[0], next, k, -2)};
    });
    return solved[0];
  }

  // The inverses of the diagonal blocks of a, [..., count, kBlock, kBlock].
  Value InvertBlocks(Value a, int64_t count) {
    Values blocks;
    DimList shape(ShapeOf(a).drop_back(2));
    shape.append({1, kBlock, kBlock});
    for (int64_t k = 0; k < count; ++k) {
      int64_t from = k * kBlock, to = from + kBlock;
      blocks.push_back(g_.Reshape(SubMatrix(a, from, to, from, to), shape));
    }
    Value diagonal = g_.Concatenate(blocks, static_cast<int64_t>(shape.size()) - 3);
    DimList whole(ShapeOf(diagonal));
    int64_t rank = whole.size();
    mlir::Type i32 = g_.builder().getI32Type();
    Value on_diagonal =
        g_.Compare(g_.Iota(i32, whole, rank - 1), g_.Iota(i32, whole, rank - 2),
                   ComparisonDirection::EQ);
    Value identity = g_.Select(on_diagonal, g_.Like(diagonal, 1), g_.Like(diagonal, 0));
    return SolveByRows(diagonal, identity);
  }

  // Blocks [from, to) of the system, by halves: most work is in products of large
  // matrices.
  Value SolveBlocks(Value a, Value b, Value inverses, int64_t from, int64_t to) {
    if (to - from == 1) {
      DimList shape(ShapeOf(a).drop_back(2));
      shape.append({kBlock, kBlock});
      int64_t dim = static_cast<int64_t>(ShapeOf(inverses).size()) - 3;
      return g_.MatMul(g_.Reshape(g_.SliceDim(inverses, dim, from, to), shape), b);
    }
    int64_t middle = from + (to - from + 1) / 2;
    int64_t begin = from * kBlock, cut = middle * kBlock, end = to * kBlock;
    Value head = Rows(b, 0, cut - begin), tail = Rows(b, cut - begin, end - begin);
    if (lower_) {
      head = SolveBlocks(a, head, inverses, from, middle);
      tail = g_.Sub(tail, g_.MatMul(SubMatrix(a, cut, end, begin, cut), head));
      tail = SolveBlocks(a, tail, inverses, middle, to);
    } else {
      tail = SolveBlocks(a, tail, inverses, middle, to);
      head = g_.Sub(head, g_.MatMul(SubMatrix(a, begin, cut, cut, end), tail));
      head = SolveBlocks(a, head, inverses, from, middle);
    }
    return g_.Concatenate({head, tail}, -2);
  }

  GraphBuilder& g_;
  bool lower_;
  bool unit_diagonal_;
};

LogicalResult RewriteTriangularSolve(stablehlo::TriangularSolveOp op,
                                     PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  Value a = op.getA(), b = op.getB();
  mlir::Type element = ElementOf(b);
  // Small floats have too few bits for intermediate results.
  if (llvm::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32) {
    a = g.Convert(a, rewriter.getF32Type());
    b = g.Convert(b, rewriter.getF32Type());
  }
  auto form = op.getTransposeA();
  bool transposed = form != stablehlo::Transpose::NO_TRANSPOSE;
  if (form == stablehlo::Transpose::ADJOINT) a = g.Conj(a);
  // x op(a) = b is op(a)^T x^T = b^T.
  bool left = op.getLeftSide();
  if (!left) b = g.SwapLast(b);
  bool swap = transposed == left;
  if (swap) a = g.SwapLast(a);
  Value x = Solver(g, op.getLower() != swap, op.getUnitDiagonal()).Solve(a, b);
  if (!left) x = g.SwapLast(x);
  rewriter.replaceOp(op, g.Convert(x, element));
  return mlir::success();
}

}  // namespace

void PopulateTriangularSolvePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteTriangularSolve);
}

}  // namespace tenon::compiler
