// Reductions that stand in a point: loops of their own around the code of their operands.
#include "tenon/compiler/kernels/point_builder.h"

#include "tenon/compiler/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

StatusOr<llvm::SmallVector<mlir::Value>> PointBuilder::Reduce(
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
    mlir::Region& combiner, size_t level,
    llvm::function_ref<
        StatusOr<llvm::SmallVector<mlir::Value>>(llvm::ArrayRef<mlir::Value>)>
        point) {
  mlir::Location loc = levels_.loc();
  mlir::OpBuilder b = levels_.Builder(level);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto reduce = ir::ReduceOp::create(b, loc, types, sizes, inits);
  mlir::Block* body = b.createBlock(&reduce.getBody());
  for (int64_t size : sizes) {
    mlir::Value iv = body->addArgument(b.getIndexType(), loc);
    indices_.SetRange(iv, 0, size - 1);
  }
  // Levels inside `level` are left aside while the body is built.
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

  mlir::Block* combine = end.createBlock(&reduce.getCombiner());
  for (int i = 0; i < 2; ++i)
    for (mlir::Type type : types) combine->addArgument(type, loc);
  levels_.Pop();
  levels_.Push(combine);
  auto combined =
      InlineRegion(combiner, llvm::SmallVector<mlir::Value>(combine->getArguments()));
  if (combined.ok()) {
    end.setInsertionPointToEnd(combine);
    ir::YieldOp::create(end, loc, *combined);
  }
  restore();
  if (!combined.ok()) return std::move(combined).status();
  return llvm::SmallVector<mlir::Value>(reduce.getResults());
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

StatusOr<mlir::Value> PointBuilder::BuildReduce(stablehlo::ReduceOp op, unsigned number,
                                                Indices indices, mlir::Value mask) {
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs()[0]);
  llvm::SmallVector<int64_t> reduced(op.getDimensions());
  llvm::sort(reduced);
  for (int64_t dim : reduced) sizes.push_back(shape[dim]);
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  TENON_ASSIGN_OR_RETURN(auto inits, InitialValues(op.getInitValues(), level));
  auto values_at = [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
    llvm::SmallVector<mlir::Value> position;
    size_t kept = 0, next = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      bool is_reduced = llvm::is_contained(reduced, static_cast<int64_t>(d));
      position.push_back(is_reduced ? inner[next++] : indices[kept++]);
    }
    llvm::SmallVector<mlir::Value> values;
    for (mlir::Value input : op.getInputs()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, mask));
      values.push_back(value);
    }
    return values;
  };
  llvm::SmallVector<mlir::Value> results;
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; })) {
    // One value a result is no loop.
    llvm::SmallVector<mlir::Value> zeros(sizes.size(), indices_.Constant(0));
    TENON_ASSIGN_OR_RETURN(auto values, values_at(zeros));
    llvm::append_range(inits, values);
    TENON_ASSIGN_OR_RETURN(results, InlineRegion(op.getBody(), inits));
  } else {
    TENON_ASSIGN_OR_RETURN(results, Reduce(sizes, inits, op.getBody(), level, values_at));
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
  auto entry = [](std::optional<llvm::ArrayRef<int64_t>> values, size_t d) {
    return values && !values->empty() ? (*values)[d] : int64_t{1};
  };
  size_t level = std::max(levels_.LevelOf(indices), levels_.LevelOf(mask));
  TENON_ASSIGN_OR_RETURN(auto inits, InitialValues(op.getInitValues(), level));
  // Window dimensions of size 1 need no loop.
  llvm::SmallVector<int64_t> sizes;
  for (int64_t size : op.getWindowDimensions())
    if (size != 1) sizes.push_back(size);
  TENON_ASSIGN_OR_RETURN(
      auto results,
      Reduce(sizes, inits, op.getBody(), level,
             [&](Indices inner) -> StatusOr<llvm::SmallVector<mlir::Value>> {
               llvm::SmallVector<mlir::Value> position;
               mlir::Value inside;
               size_t next = 0;
               for (size_t d = 0; d < rank; ++d) {
                 mlir::Value index =
                     indices_.Mul(indices[d], entry(op.getWindowStrides(), d));
                 if (op.getWindowDimensions()[d] != 1)
                   index = indices_.Add(
                       index,
                       indices_.Mul(inner[next++], entry(op.getWindowDilations(), d)));
                 int64_t low = 0;
                 if (auto padding = op.getPadding())
                   low = padding->getValues<int64_t>()[{d, 0}];
                 index = indices_.Sub(index, indices_.Constant(low));
                 position.push_back(
                     Undilated(index, shape[d], entry(op.getBaseDilations(), d), inside));
               }
               llvm::SmallVector<mlir::Value> values;
               mlir::Value both = indices_.And(mask, inside);
               for (auto [input, init] : llvm::zip_equal(op.getInputs(), inits)) {
                 TENON_ASSIGN_OR_RETURN(mlir::Value value, At(input, position, both));
                 values.push_back(inside ? Select(inside, value, init) : value);
               }
               return values;
             }));
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    known_[Key{result, llvm::SmallVector<mlir::Value, 4>(indices), mask}] = value;
  return results[number];
}

}  // namespace tenon::compiler
