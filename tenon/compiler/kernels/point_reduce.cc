// Reductions inside a point: loops of their own, around the code of their operands.
#include "tenon/compiler/kernels/point_builder.h"

#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/kernels/inner_rank.h"
#include "tenon/dialects/stablehlo/arg_reduction.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/window_attributes.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::Reduce(
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
    RegionBuilder combine, size_t level, RegionBuilder point) {
  mlir::Location loc = levels_.loc();
  mlir::OpBuilder b = levels_.Builder(level);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto reduce = ir::ReduceOp::create(b, loc, types, sizes, inits, mlir::IntegerAttr());
  mlir::Block* body = b.createBlock(&reduce.getBody());
  for (int64_t size : sizes) {
    mlir::Value iv = body->addArgument(b.getIndexType(), loc);
    indices_.SetRange(iv, 0, size - 1);
  }
  // Levels deeper than `level` are set aside while the body is built.
  LevelStack inner(loc);
  std::swap(inner, levels_);
  for (size_t i = 0; i <= level; ++i) levels_.Push(inner.BlockAt(i));
  levels_.Push(body);
  auto restore = [&] { std::swap(inner, levels_); };
  auto values = point(llvm::SmallVector<mlir::Value>(body->getArguments()));
  if (!values.ok()) {
    restore();
    return std::move(values).status();
  }
  mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(body);
  ir::YieldOp::create(end, loc, *values);

  mlir::Block* combiner = end.createBlock(&reduce.getCombiner());
  for (int i = 0; i < 2; ++i)
    for (mlir::Type type : types) combiner->addArgument(type, loc);
  levels_.Pop();
  levels_.Push(combiner);
  auto combined = combine(llvm::SmallVector<mlir::Value>(combiner->getArguments()));
  if (combined.ok()) {
    end.setInsertionPointToEnd(combiner);
    ir::YieldOp::create(end, loc, *combined);
  }
  restore();
  if (!combined.ok()) return std::move(combined).status();
  return llvm::SmallVector<mlir::Value>(reduce.getResults());
}

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::ReduceInPlace(
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
    mlir::Region& combiner, bool as_tree,
    llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(Indices)> point) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<llvm::SmallVector<mlir::Value>> parts;
  for (int64_t number = 0; number < count; ++number) {
    TENON_ASSIGN_OR_RETURN(auto values,
                           point(indices_.Delinearize(indices_.Constant(number), sizes)));
    parts.push_back(std::move(values));
  }
  while (as_tree && parts.size() > 1) {
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      llvm::append_range(parts[i], parts[i + 1]);
      TENON_ASSIGN_OR_RETURN(parts[i / 2], InlineRegion(combiner, parts[i]));
    }
    if (parts.size() % 2 == 1) parts[parts.size() / 2] = parts.back();
    parts.resize((parts.size() + 1) / 2);
  }
  llvm::SmallVector<mlir::Value> result(inits);
  for (const auto& part : parts) {
    llvm::append_range(result, part);
    TENON_ASSIGN_OR_RETURN(result, InlineRegion(combiner, result));
  }
  return result;
}

StatusOr<mlir::Value> PointBuilder::BuildDot(stablehlo::DotGeneralOp op, Indices indices,
                                             mlir::Value mask) {
  if (!unroll_reductions_)
    return UnsupportedOp(*op, "a product cannot be computed inside another kernel");
  auto numbers = op.getDotDimensionNumbers();
  llvm::SmallVector<int64_t> sizes;
  for (int64_t dim : numbers.getLhsContractingDimensions())
    sizes.push_back(ShapeOf(op.getLhs())[dim]);
  auto batch = indices.take_front(numbers.getLhsBatchingDimensions().size());
  Indices rest = indices.drop_front(batch.size());
  auto factor = [&](mlir::Value operand, llvm::ArrayRef<int64_t> batching,
                    llvm::ArrayRef<int64_t> contracting, Indices summed, Indices& free) {
    llvm::SmallVector<mlir::Value> operand_indices(ShapeOf(operand).size());
    for (auto [dim, index] : llvm::zip_equal(batching, batch))
      operand_indices[dim] = index;
    for (auto [dim, index] : llvm::zip_equal(contracting, summed))
      operand_indices[dim] = index;
    for (mlir::Value& index : operand_indices) {
      if (index) continue;
      index = free.front();
      free = free.drop_front();
    }
    return At(operand, operand_indices, mask);
  };
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  mlir::Value sum;
  for (int64_t number = 0; number < count; ++number) {
    auto summed = indices_.Delinearize(indices_.Constant(number), sizes);
    Indices free = rest;
    TENON_ASSIGN_OR_RETURN(mlir::Value x,
                           factor(op.getLhs(), numbers.getLhsBatchingDimensions(),
                                  numbers.getLhsContractingDimensions(), summed, free));
    TENON_ASSIGN_OR_RETURN(mlir::Value y,
                           factor(op.getRhs(), numbers.getRhsBatchingDimensions(),
                                  numbers.getRhsContractingDimensions(), summed, free));
    auto combine = [&]<typename Op>(mlir::Value a, mlir::Value c) -> mlir::Value {
      mlir::OpBuilder b = levels_.Builder(levels_.LevelOf({a, c}));
      auto combined = Op::create(b, op.getLoc(), a.getType(), a, c);
      combined->setAttr(ir::kContractAttr, b.getUnitAttr());
      return combined;
    };
    mlir::Value product = combine.operator()<stablehlo::MulOp>(x, y);
    sum = sum ? combine.operator()<stablehlo::AddOp>(sum, product) : product;
  }
  return sum ? sum : IntegerConstant(ScalarTypeOf(op.getResult()), 0);
}

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::InitialValues(
    mlir::ValueRange scalars, size_t& level) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::Value scalar : scalars) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, At(scalar, {}, nullptr));
    level = std::max(level, levels_.LevelOf(value));
    values.push_back(value);
  }
  return values;
}

namespace {

// The loops of a reduction over some dimensions, in the order of elements. Dimensions of
// one element have none. A short last dimension shares one with those before it, as far
// as they are neighbours, because the innermost loop is the one that is vectorized.
class ReductionLoops {
 public:
  ReductionLoops(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> reduced) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t dim : reduced) {
      is_loop_.push_back(shape[dim] != 1);
      if (shape[dim] != 1) dims.push_back(dim);
    }
    for (int64_t dim : dims) sizes_.push_back(shape[dim]);
    size_t neighbours = std::min<size_t>(dims.size(), 1);
    while (neighbours < dims.size()) {
      const int64_t next = dims[dims.size() - neighbours];
      const int64_t dim = dims[dims.size() - neighbours - 1];
      if (Product(shape.slice(dim + 1, next - dim - 1)) != 1) break;
      ++neighbours;
    }
    llvm::ArrayRef<int64_t> inner = llvm::ArrayRef(sizes_).take_back(neighbours);
    // Without elements, an index would be divided by zero.
    if (Product(sizes_) > 0)
      inner = inner.take_back(InnerRank(inner));
    else
      inner = inner.take_back(1);
    last_.assign(inner.begin(), inner.end());
    sizes_.resize(sizes_.size() - last_.size());
    if (!last_.empty()) sizes_.push_back(Product(last_));
  }

  llvm::ArrayRef<int64_t> sizes() const { return sizes_; }
  // The indices of all reduced dimensions, by those of the loops.
  llvm::SmallVector<mlir::Value> IndicesOf(llvm::ArrayRef<mlir::Value> loops,
                                           IndexBuilder& index) const {
    llvm::SmallVector<mlir::Value> indices(loops.drop_back());
    llvm::append_range(indices, index.Delinearize(loops.back(), last_));
    for (size_t i = 0; i < is_loop_.size(); ++i)
      if (!is_loop_[i]) indices.insert(indices.begin() + i, index.Constant(0));
    return indices;
  }

 private:
  llvm::SmallVector<bool> is_loop_;   // of each reduced dimension
  llvm::SmallVector<int64_t> sizes_;  // of the loops
  llvm::SmallVector<int64_t> last_;   // sizes of the dimensions of the last loop
};

}  // namespace

StatusOr<mlir::Value> PointBuilder::BuildReduce(stablehlo::ReduceOp op, unsigned number,
                                                Indices indices, mlir::Value mask) {
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs()[0]);
  llvm::SmallVector<int64_t> reduced(op.getDimensions());
  llvm::sort(reduced);
  for (int64_t dim : reduced) sizes.push_back(shape[dim]);
  const ReductionLoops loops(shape, reduced);
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  TENON_ASSIGN_OR_RETURN(auto inits, InitialValues(op.getInitValues(), level));
  auto values_at = [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
    llvm::SmallVector<mlir::Value> position, values;
    size_t kept = 0, next = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      bool is_reduced = llvm::is_contained(reduced, static_cast<int64_t>(d));
      position.push_back(is_reduced ? inner[next++] : indices[kept++]);
    }
    for (mlir::Value input : op.getInputs()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, mask));
      values.push_back(value);
    }
    return values;
  };
  llvm::SmallVector<mlir::Value> results;
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; })) {
    // A reduction of one value needs no loop.
    llvm::SmallVector<mlir::Value> zeros(sizes.size(), indices_.Constant(0));
    TENON_ASSIGN_OR_RETURN(auto values, values_at(zeros));
    llvm::append_range(inits, values);
    TENON_ASSIGN_OR_RETURN(results, InlineRegion(op.getBody(), inits));
  } else if (unroll_reductions_) {
    // Otherwise elements are combined one by one, as XLA's CPU backend does.
    bool as_tree = stablehlo::IsReorderable(op.getBody().front()) ||
                   stablehlo::PositionOperand(op).has_value();
    TENON_ASSIGN_OR_RETURN(results,
                           ReduceInPlace(sizes, inits, op.getBody(), as_tree, values_at));
  } else {
    auto combine = [&](Indices arguments) {
      return InlineRegion(op.getBody(), arguments);
    };
    TENON_ASSIGN_OR_RETURN(
        results, Reduce(loops.sizes(), inits, combine, level, [&](Indices inner) {
          return values_at(loops.IndicesOf(inner, indices_));
        }));
    if (auto position = stablehlo::PositionOperand(op))
      results[0].getDefiningOp<ir::ReduceOp>().setPositionOperand(*position);
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    known_[Key{result, llvm::SmallVector<mlir::Value, 4>(indices), mask}] = value;
  return results[number];
}

StatusOr<mlir::Value> PointBuilder::BuildReduceWindow(stablehlo::ReduceWindowOp op,
                                                      unsigned number, Indices indices,
                                                      mlir::Value mask) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs()[0]);
  size_t rank = shape.size();
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  TENON_ASSIGN_OR_RETURN(auto inits, InitialValues(op.getInitValues(), level));
  // Window dimensions of size 1 need no loop.
  llvm::SmallVector<int64_t> sizes;
  for (int64_t size : op.getWindowDimensions())
    if (size != 1) sizes.push_back(size);
  auto point = [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
    llvm::SmallVector<mlir::Value> position;
    mlir::Value inside;
    size_t next = 0;
    for (size_t d = 0; d < rank; ++d) {
      mlir::Value index =
          indices_.Mul(indices[d], stablehlo::EntryOr1(op.getWindowStrides(), d));
      if (op.getWindowDimensions()[d] != 1)
        index = indices_.Add(
            index,
            indices_.Mul(inner[next++], stablehlo::EntryOr1(op.getWindowDilations(), d)));
      const int64_t low = stablehlo::PaddingOf(op.getPadding(), d).first;
      index = indices_.Sub(index, indices_.Constant(low));
      position.push_back(Undilated(
          index, shape[d], stablehlo::EntryOr1(op.getBaseDilations(), d), inside));
    }
    llvm::SmallVector<mlir::Value> values;
    mlir::Value both = indices_.And(mask, inside);
    for (auto [input, init] : llvm::zip_equal(op.getInputs(), inits)) {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, both));
      values.push_back(inside ? Select(inside, value, init) : value);
    }
    return values;
  };
  auto combine = [&](Indices arguments) { return InlineRegion(op.getBody(), arguments); };
  TENON_ASSIGN_OR_RETURN(auto results, Reduce(sizes, inits, combine, level, point));
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    known_[Key{result, llvm::SmallVector<mlir::Value, 4>(indices), mask}] = value;
  return results[number];
}

}  // namespace tenon::compiler
