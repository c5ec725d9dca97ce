// All three are right-looking, and each is one loop: iteration k finishes block k and
// subtracts its multiples from all that is left. Shapes are the same in every iteration,
// so the number of kernels does not depend on the size of the matrix. A product covers
// the whole matrix, and a select keeps what is finished: that costs up to three times the
// multiplications, which devices have to spare, and saves kernels. After the last block
// there is nothing left, so it follows the loop.
#include "tenon/compiler/pipeline/block_factorizations.h"

#include <limits>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/row_exchanges.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using stablehlo::ComparisonDirection;

// A block of this many bytes, and 32 right-hand sides, fit the local memory of a group.
constexpr int64_t kBlockBytes = 16 << 10;
// Rows of this many elements are aligned to 16 bytes.
constexpr int64_t kBlockMultiple = 8;

int64_t ElementBytes(mlir::Type element) {
  const auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  return RealOf(element).getIntOrFloatBitWidth() / 8 * (complex ? 2 : 1);
}

// Replaces the result of a loop, which has no other effect.
void ReplaceLoop(Value result, Value by) {
  mlir::Operation* loop = result.getDefiningOp();
  result.replaceAllUsesWith(by);
  if (loop->use_empty()) loop->erase();
}

// How a dimension of `size` elements is divided.
struct Blocks {
  int64_t count = 1, width = 0;

  Blocks(int64_t size, mlir::Type element) {
    int64_t most = kBlockMultiple;
    while ((most + kBlockMultiple) * (most + kBlockMultiple) * ElementBytes(element) <=
           kBlockBytes)
      most += kBlockMultiple;
    count = CeilDiv(size, most);
    width = CeilDiv(CeilDiv(size, count), kBlockMultiple) * kBlockMultiple;
  }
  int64_t size() const { return count * width; }
};

// Works on matrices, or on one batch of them: dimensions in front are collapsed. No
// dimension of one element is added, which would keep updates from being done in place.
class Blocked {
 public:
  explicit Blocked(mlir::Operation* op)
      : b_(op),
        g_(b_, op->getLoc()),
        has_batch_(TypeOf(op->getOperand(0)).getRank() > 2),
        rows_(has_batch_ ? 1 : 0),
        columns_(rows_ + 1) {}

  void Cholesky(ir::CholeskyOp op, Blocks blocks);
  void Solve(stablehlo::TriangularSolveOp op, Blocks blocks);
  void Lu(ir::LuOp op, Blocks blocks);

 private:
  Value Matrices(Value x) {
    Dims shape = ShapeOf(x);
    batch_.clear();
    if (has_batch_) batch_.push_back(Product(shape.drop_back(2)));
    return g_.Reshape(x, Shape({shape[shape.size() - 2], shape.back()}));
  }
  // The dimensions of the batch and these.
  DimList Shape(Dims last) {
    DimList shape = batch_;
    llvm::append_range(shape, last);
    return shape;
  }
  DimList BatchDims() { return has_batch_ ? DimList{0} : DimList{}; }
  Value Index(int64_t value) { return g_.Index(static_cast<uint64_t>(value)); }
  Value At(Value block, const Blocks& blocks) {
    return g_.Mul(block, Index(blocks.width));
  }
  // Which elements of `shape` have an index of at least, or below, `bound` in `dim`.
  Value From(Dims shape, int64_t dim, Value bound) {
    return Compared(shape, dim, bound, ComparisonDirection::GE);
  }
  Value Below(Dims shape, int64_t dim, Value bound) {
    return Compared(shape, dim, bound, ComparisonDirection::LT);
  }
  Value Compared(Dims shape, int64_t dim, Value bound, ComparisonDirection how) {
    return g_.Compare(g_.Iota(b_.getI32Type(), shape, dim),
                      g_.Broadcast(bound, shape, {}), how);
  }
  // Adds `low` and `high` elements to a dimension.
  Value Grow(Value x, int64_t dim, int64_t low, int64_t high, double value) {
    if (low == 0 && high == 0) return x;
    DimList before(ShapeOf(x).size(), 0), after = before;
    before[dim] = low;
    after[dim] = high;
    return g_.Pad(x, g_.Constant(ElementOf(x), {}, value), before, after);
  }
  // Grows square matrices by ones on the diagonal.
  Value GrowDiagonal(Value x, int64_t size);
  Value Corner(Value x, int64_t rows, int64_t columns) {
    return g_.SliceDim(g_.SliceDim(x, rows_, 0, rows), columns_, 0, columns);
  }
  // The array of `size` elements in `dim` that has `x` from `start` on, and zeros.
  Value Place(Value x, Value start, int64_t dim, int64_t size) {
    Value grown = Grow(x, dim, size, size, 0);
    return g_.DynamicSliceDim(grown, g_.Sub(Index(size), start), dim, size);
  }
  Value DiagonalBlock(Value x, Value start, int64_t width);
  Value SolveBlock(Value a, Value b, bool left, bool lower, bool unit,
                   stablehlo::Transpose form) {
    return stablehlo::TriangularSolveOp::create(b_, g_.loc(), b.getType(), a, b, left,
                                                lower, unit, form);
  }
  Value Multiply(Value x, Value y, int64_t x_dim, int64_t y_dim) {
    return g_.Dot(x, y, BatchDims(), BatchDims(), {x_dim}, {y_dim});
  }
  Value ConjugateIfComplex(Value x) {
    return llvm::isa<mlir::ComplexType>(ElementOf(x)) ? g_.Conj(x) : x;
  }
  // Row `rows`[i] of each matrix.
  Value GatherRows(Value x, Value rows);
  // Row numbers, in the order of `rows`.
  Value GatherNumbers(Value numbers, Value rows);
  // One iteration. The carried values are in front.
  Values CholeskyStep(Value a, Value status, Value k, bool lower, const Blocks& blocks);
  Value SolveStep(Value a, Value x, Value k, stablehlo::TriangularSolveOp op,
                  const Blocks& blocks);
  Values LuStep(mlir::ValueRange carried, Value k, const Blocks& blocks);
  // Calls `step` in a loop, and once more for the last block.
  Values ForBlocks(const Blocks& blocks, llvm::ArrayRef<Value> carried,
                   llvm::function_ref<Values(Value, mlir::ValueRange)> step);

  mlir::OpBuilder b_;
  GraphBuilder g_;
  const bool has_batch_;
  const int64_t rows_, columns_;  // dimensions
  DimList batch_;                 // its size, if there is one
  bool is_last_ = false;          // the block
};

Value Blocked::GrowDiagonal(Value x, int64_t size) {
  const int64_t old = ShapeOf(x)[rows_];
  if (old == size) return x;
  Value grown = Grow(Grow(x, rows_, 0, size - old, 0), columns_, 0, size - old, 0);
  const DimList shape(ShapeOf(grown));
  Value row = g_.Iota(b_.getI32Type(), shape, rows_);
  Value column = g_.Iota(b_.getI32Type(), shape, columns_);
  Value added = g_.And(g_.Compare(row, column, ComparisonDirection::EQ),
                       From(shape, rows_, Index(old)));
  return g_.Select(added, g_.Like(grown, 1), grown);
}

Value Blocked::DiagonalBlock(Value x, Value start, int64_t width) {
  const DimList sizes = Shape({width, width});
  Values starts(rows_, Index(0));
  starts.append(2, start);
  return stablehlo::DynamicSliceOp::create(
      b_, g_.loc(), mlir::RankedTensorType::get(sizes, ElementOf(x)), x, starts, sizes);
}

Value Blocked::GatherRows(Value x, Value rows) {
  const int64_t columns = ShapeOf(x)[columns_], count = ShapeOf(rows)[rows_];
  DimList sizes(rows_ + 1, 1);
  sizes.push_back(columns);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b_.getContext(), /*offset_dims=*/{columns_}, /*collapsed_slice_dims=*/{rows_},
      /*operand_batching_dims=*/BatchDims(), /*start_indices_batching_dims=*/BatchDims(),
      /*start_index_map=*/{rows_}, /*index_vector_dim=*/columns_);
  return stablehlo::GatherOp::create(
      b_, g_.loc(), mlir::RankedTensorType::get(Shape({count, columns}), ElementOf(x)), x,
      rows, numbers, sizes, /*indices_are_sorted=*/false);
}

Value Blocked::GatherNumbers(Value numbers, Value rows) {
  Value columns = g_.Reshape(numbers, Shape({ShapeOf(numbers).back(), 1}));
  return g_.Reshape(GatherRows(columns, rows), ShapeOf(rows));
}

Values Blocked::ForBlocks(const Blocks& blocks, llvm::ArrayRef<Value> carried,
                          llvm::function_ref<Values(Value, mlir::ValueRange)> step) {
  Values left = g_.For(blocks.count - 1, carried, step);
  is_last_ = true;
  return step(Index(blocks.count - 1), left);
}

// The panel of the factor below (or right of) the diagonal block: x l^h = a (u^h x = a).
Values Blocked::CholeskyStep(Value a, Value status, Value k, bool lower,
                             const Blocks& blocks) {
  const int64_t along = lower ? rows_ : columns_, across = lower ? columns_ : rows_;
  const int64_t width = blocks.width;
  Value start = At(k, blocks), end = g_.Add(start, Index(width));
  auto block = ir::CholeskyOp::create(
      b_, g_.loc(), mlir::RankedTensorType::get(Shape({width, width}), ElementOf(a)),
      status.getType(), DiagonalBlock(a, start, width), lower);
  Value zero = g_.IntegerLike(status, 0);
  Value fails = g_.And(g_.Compare(status, zero, ComparisonDirection::EQ),
                       g_.Compare(block.getStatus(), zero, ComparisonDirection::NE));
  Value number = g_.Add(block.getStatus(), g_.Broadcast(start, ShapeOf(status), {}));
  Value next_status = g_.Select(fails, number, status);
  Value x = Place(block.getFactor(), start, along, blocks.size());
  if (is_last_) return {g_.UpdateDim(a, x, start, across), next_status};
  Value panel = g_.DynamicSliceDim(a, start, across, width);
  Value solved = SolveBlock(block.getFactor(), panel, !lower, lower, /*unit=*/false,
                            stablehlo::Transpose::ADJOINT);
  x = g_.Select(From(ShapeOf(panel), along, end), solved, x);
  Value conjugate = ConjugateIfComplex(x);
  Value product = Multiply(lower ? x : conjugate, lower ? conjugate : x, across, across);
  Value written = g_.UpdateDim(a, x, start, across);
  Value left = g_.And(From(ShapeOf(a), rows_, end), From(ShapeOf(a), columns_, end));
  return {g_.Select(left, g_.Sub(written, product), written), next_status};
}

void Blocked::Cholesky(ir::CholeskyOp op, Blocks blocks) {
  Value a = Matrices(op.getA());
  const int64_t size = ShapeOf(a)[rows_];
  Values done = ForBlocks(
      blocks, {GrowDiagonal(a, blocks.size()), g_.Integer(b_.getI32Type(), batch_, 0)},
      [&](Value k, mlir::ValueRange carried) {
        return CholeskyStep(carried[0], carried[1], k, op.getLower(), blocks);
      });
  op.replaceAllUsesWith(
      mlir::ValueRange{g_.Reshape(Corner(done[0], size, size), ShapeOf(op.getFactor())),
                       g_.Reshape(done[1], ShapeOf(op.getStatus()))});
  op.erase();
}

Value Blocked::SolveStep(Value a, Value x, Value k, stablehlo::TriangularSolveOp op,
                         const Blocks& blocks) {
  const bool left = op.getLeftSide(), lower = op.getLower();
  const auto form = op.getTransposeA();
  const bool transposed = form != stablehlo::Transpose::NO_TRANSPOSE;
  const bool forward = (lower != transposed) == left;
  const int64_t dim = left ? rows_ : columns_;
  Value start = At(forward ? k : g_.Sub(Index(blocks.count - 1), k), blocks);
  Value end = g_.Add(start, Index(blocks.width));
  Value solved = SolveBlock(DiagonalBlock(a, start, blocks.width),
                            g_.DynamicSliceDim(x, start, dim, blocks.width), left, lower,
                            op.getUnitDiagonal(), form);
  Value written = g_.UpdateDim(x, solved, start, dim);
  if (is_last_) return written;
  // The columns of op(a) that the block is multiplied by, or the rows.
  const int64_t across = left != transposed ? columns_ : rows_;
  Value panel = g_.DynamicSliceDim(a, start, across, blocks.width);
  if (form == stablehlo::Transpose::ADJOINT) panel = ConjugateIfComplex(panel);
  Value product = left ? Multiply(panel, solved, across, rows_)
                       : Multiply(solved, panel, columns_, across);
  Value remains = forward ? From(ShapeOf(x), dim, end) : Below(ShapeOf(x), dim, start);
  return g_.Select(remains, g_.Sub(written, product), written);
}

void Blocked::Solve(stablehlo::TriangularSolveOp op, Blocks blocks) {
  const int64_t dim = op.getLeftSide() ? rows_ : columns_;
  Value a = GrowDiagonal(Matrices(op.getA()), blocks.size()), b = Matrices(op.getB());
  const int64_t rows = ShapeOf(b)[rows_], columns = ShapeOf(b)[columns_];
  b = Grow(b, dim, 0, blocks.size() - ShapeOf(b)[dim], 0);
  Values done = ForBlocks(blocks, {a, b}, [&](Value k, mlir::ValueRange carried) {
    return Values{carried[0], SolveStep(carried[0], carried[1], k, op, blocks)};
  });
  op.replaceAllUsesWith(g_.Reshape(Corner(done[1], rows, columns), ShapeOf(op.getB())));
  op.erase();
}

// The rows that remain are the first ones of a panel, and of what the panel's exchange of
// rows leaves. So the next panel starts one block below the first row: it is rotated.
Values Blocked::LuStep(mlir::ValueRange carried, Value k, const Blocks& blocks) {
  Value a = carried[0], pivots = carried[1];
  const DimList shape(ShapeOf(a));
  const int64_t width = blocks.width, rows = shape[rows_];
  Value start = At(k, blocks), end = g_.Add(start, Index(width));
  Value active = g_.Sub(Index(rows), start);
  Value slice = g_.DynamicSliceDim(a, start, columns_, width);
  Value panel = g_.Concatenate(
      {g_.SliceDim(slice, rows_, width, rows), g_.SliceDim(slice, rows_, 0, width)},
      rows_);
  // NaNs are not chosen as pivots.
  panel = g_.Select(Below(ShapeOf(panel), rows_, active), panel,
                    g_.Like(panel, std::numeric_limits<double>::quiet_NaN()));
  mlir::Type i32 = b_.getI32Type();
  auto lu = ir::LuPanelOp::create(b_, g_.loc(), panel.getType(),
                                  mlir::RankedTensorType::get(Shape({width}), i32),
                                  mlir::RankedTensorType::get(Shape({rows}), i32), panel);
  Value factors = lu.getFactors(), order = lu.getRows();
  Value rotated = g_.Add(order, g_.IntegerLike(order, static_cast<uint64_t>(width)));
  rotated = g_.Select(
      g_.Compare(rotated, g_.IntegerLike(order, static_cast<uint64_t>(rows)),
                 ComparisonDirection::LT),
      rotated, g_.Sub(rotated, g_.IntegerLike(order, static_cast<uint64_t>(rows))));
  Value exchanged = GatherRows(a, rotated);
  Value found = g_.Add(lu.getPivots(), g_.Broadcast(start, ShapeOf(lu.getPivots()), {}));
  Values next = {exchanged, g_.UpdateDim(pivots, found, start, rows_)};
  if (carried.size() > 2) next.push_back(GatherNumbers(carried[2], rotated));
  Value in_panel =
      g_.And(g_.And(From(shape, columns_, start), Below(shape, columns_, end)),
             Below(shape, rows_, active));
  Value with_panel =
      g_.Select(in_panel, Place(factors, start, columns_, shape[columns_]), exchanged);
  next[0] = with_panel;
  if (is_last_ && shape[columns_] == blocks.size()) return next;
  Value u = SolveBlock(g_.SliceDim(factors, rows_, 0, width),
                       GatherRows(a, g_.SliceDim(rotated, rows_, 0, width)),
                       /*left=*/true, /*lower=*/true, /*unit=*/true,
                       stablehlo::Transpose::NO_TRANSPOSE);
  Value is_right = From(shape, columns_, end);
  Value in_block = Below(shape, rows_, Index(width));
  next[0] = g_.Select(g_.And(in_block, is_right), Grow(u, rows_, 0, rows - width, 0),
                      with_panel);
  if (is_last_)
    return next;  // There are no rows below, as there are columns to the right.
  Value remains = g_.And(g_.And(From(shape, rows_, Index(width)), is_right),
                         Below(shape, rows_, active));
  next[0] =
      g_.Select(remains, g_.Sub(next[0], Multiply(factors, u, columns_, rows_)), next[0]);
  return next;
}

void Blocked::Lu(ir::LuOp op, Blocks blocks) {
  Value a = Matrices(op.getA());
  const int64_t rows = ShapeOf(a)[rows_], columns = ShapeOf(a)[columns_];
  const int64_t all_rows = std::max(rows, blocks.size());
  const int64_t all_columns = std::max(columns, blocks.size());
  // Makes row `from` the first one.
  auto rotate = [&](Value x, int64_t from) {
    if (from == 0) return x;
    return g_.Concatenate(
        {g_.SliceDim(x, rows_, from, all_rows), g_.SliceDim(x, rows_, 0, from)}, rows_);
  };
  // A column of NaN exchanges no rows. Columns of zeros would where a row has NaNs.
  a = Grow(a, columns_, 0, all_columns - columns,
           std::numeric_limits<double>::quiet_NaN());
  a = Grow(a, rows_, 0, all_rows - rows, std::numeric_limits<double>::quiet_NaN());
  Value none = g_.Integer(b_.getI32Type(), Shape({blocks.size()}), 0);
  Values inits = {rotate(a, all_rows - blocks.width), none};
  Value permutation = PermutationOf(op);
  if (permutation)
    inits.push_back(
        rotate(g_.Iota(b_.getI32Type(), {all_rows}, 0), all_rows - blocks.width));
  Values done = ForBlocks(blocks, inits, [&](Value k, mlir::ValueRange carried) {
    return LuStep(carried, k, blocks);
  });
  const int64_t first = all_rows - (blocks.size() - blocks.width);
  Value factors = rotate(done[0], first);
  if (permutation)
    ReplaceLoop(permutation, g_.SliceDim(rotate(done[2], first), 0, 0, rows));
  op.replaceAllUsesWith(mlir::ValueRange{
      g_.Reshape(Corner(factors, rows, columns), ShapeOf(op.getFactors())),
      g_.Reshape(g_.SliceDim(done[1], rows_, 0, std::min(rows, columns)),
                 ShapeOf(op.getPivots()))});
  op.erase();
}

// Has the permutation of a small matrix computed with its factors.
void UsePermutation(ir::LuOp op) {
  Value permutation = PermutationOf(op);
  if (!permutation) return;
  mlir::OpBuilder b(op);
  auto lu =
      ir::LuPanelOp::create(b, op.getLoc(), op.getFactors().getType(),
                            op.getPivots().getType(), permutation.getType(), op.getA());
  ReplaceLoop(permutation, lu.getRows());
  op.replaceAllUsesWith(lu->getResults().take_front(2));
  op.erase();
}

}  // namespace

void BlockFactorizations(mlir::func::FuncOp entry) {
  llvm::SmallVector<mlir::Operation*> ops;
  entry.walk([&](mlir::Operation* op) {
    if (llvm::isa<ir::CholeskyOp, ir::LuOp, stablehlo::TriangularSolveOp>(op))
      ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    Dims shape = ShapeOf(op->getOperand(0));
    if (TypeOf(op->getOperand(0)).getNumElements() == 0) continue;
    const Blocks blocks(std::min(shape.back(), shape[shape.size() - 2]),
                        ElementOf(op->getOperand(0)));
    if (blocks.count == 1) {
      if (auto lu = llvm::dyn_cast<ir::LuOp>(op)) UsePermutation(lu);
      continue;
    }
    Blocked blocked(op);
    if (auto cholesky = llvm::dyn_cast<ir::CholeskyOp>(op))
      blocked.Cholesky(cholesky, blocks);
    else if (auto lu = llvm::dyn_cast<ir::LuOp>(op))
      blocked.Lu(lu, blocks);
    else
      blocked.Solve(llvm::cast<stablehlo::TriangularSolveOp>(op), blocks);
  }
}

}  // namespace tenon::compiler
