#include "tenon/compiler/legalize/chlo_structure.h"

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/diagnostics_to_status.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using enum stablehlo::ComparisonDirection;

DimList Without(Dims shape, int64_t dim) {
  DimList rest(shape);
  rest.erase(rest.begin() + dim);
  return rest;
}

DimList With(Dims shape, int64_t dim, int64_t size) {
  DimList all(shape);
  all.insert(all.begin() + dim, size);
  return all;
}

bool IsScan(chlo::ScanOp op, int64_t& length) {
  const auto dim = static_cast<int64_t>(op.getDimension());
  mlir::Block& body = op.getBody().front();
  const size_t num_inputs = op.getInputs().size(), num_carries = op.getInits().size();
  auto returned = body.getTerminator()->getOperandTypes();
  if (body.getNumArguments() != num_inputs + num_carries ||
      returned.size() != op.getNumResults())
    return false;
  if (op.getScanDimSize()) length = static_cast<int64_t>(*op.getScanDimSize());
  for (Value input : op.getInputs()) {
    if (dim >= TypeOf(input).getRank()) return false;
    if (length < 0) length = ShapeOf(input)[dim];
    if (ShapeOf(input)[dim] != length) return false;
  }
  if (length < 0) return false;
  auto element_of = [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).getElementType();
  };
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op.getOperands())) {
    DimList shape(ShapeOf(operand));
    if (argument.getArgNumber() < num_inputs) shape = Without(shape, dim);
    if (argument.getType() != mlir::RankedTensorType::get(shape, ElementOf(operand)))
      return false;
  }
  for (auto [number, type] : llvm::enumerate(returned)) {
    auto shaped = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!shaped) return false;
    DimList shape(shaped.getShape());
    if (number < op.getOutputs().size()) {
      if (dim > shaped.getRank()) return false;
      shape = With(shape, dim, length);
    }
    if (op->getResult(number).getType() !=
        mlir::RankedTensorType::get(shape, element_of(type)))
      return false;
  }
  return true;
}

}  // namespace

Values BuildScan(GraphBuilder& g, chlo::ScanOp op) {
  int64_t length = -1;
  if (!IsScan(op, length)) {
    op.emitOpError() << "has a body that does not fit its operands and results";
    return {};
  }
  const auto dim = static_cast<int64_t>(op.getDimension());
  const size_t num_inputs = op.getInputs().size(), num_outputs = op.getOutputs().size();
  mlir::Block& body = op.getBody().front();
  Values carried;
  for (Value output : op.getOutputs())
    carried.push_back(g.Constant(ElementOf(output), ShapeOf(output), 0));
  llvm::append_range(carried, op.getInits());
  Values inputs(op.getInputs());
  Values results = g.For(length, carried, [&](Value i, mlir::ValueRange state) {
    Value position = op.getIsReverse() ? g.Sub(g.Index(length - 1), i) : i;
    mlir::IRMapping mapping;
    for (size_t number = 0; number < num_inputs; ++number) {
      Value slice = g.DynamicSliceDim(inputs[number], position, dim, 1);
      Value input = g.Reshape(slice, Without(ShapeOf(inputs[number]), dim));
      mapping.map(body.getArgument(number), input);
    }
    for (size_t number = num_inputs; number < body.getNumArguments(); ++number)
      mapping.map(body.getArgument(number), state[num_outputs + number - num_inputs]);
    for (mlir::Operation& inner : body.without_terminator())
      g.builder().clone(inner, mapping);
    Values next;
    for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Value mapped = mapping.lookupOrDefault(value);
      if (number < num_outputs) {
        Value update = g.Reshape(mapped, With(ShapeOf(mapped), dim, 1));
        mapped = g.UpdateDim(state[number], update, position, dim);
      }
      next.push_back(mapped);
    }
    return next;
  });
  return results;
}

Values BuildTopK(GraphBuilder& g, chlo::TopKOp op) {
  Value x = op.getOperand();
  const int64_t rank = TypeOf(x).getRank(), k = static_cast<int64_t>(op.getK());
  if (rank < 1 || k > ShapeOf(x).back()) {
    op.emitOpError() << "has no " << k << " elements in the last dimension of "
                     << x.getType();
    return {};
  }
  mlir::Type element = ElementOf(x), index = g.builder().getI32Type();
  if (llvm::isa<mlir::ComplexType>(element)) return {};
  Value numbers = g.Iota(index, ShapeOf(x), rank - 1);
  auto sort = stablehlo::SortOp::create(
      g.builder(), g.loc(), mlir::TypeRange{x.getType(), numbers.getType()},
      mlir::ValueRange{x, numbers}, rank - 1, op.getIsStable());
  {
    mlir::OpBuilder::InsertionGuard guard(g.builder());
    mlir::Block* block = g.builder().createBlock(&sort.getComparator());
    for (mlir::Type type : {element, element, index, index})
      block->addArgument(mlir::RankedTensorType::get({}, type), g.loc());
    stablehlo::ComparisonTypeAttr total;
    if (llvm::isa<mlir::FloatType>(element))
      total = stablehlo::ComparisonTypeAttr::get(op.getContext(),
                                                 stablehlo::ComparisonType::TOTALORDER);
    auto pred = mlir::RankedTensorType::get({}, g.builder().getI1Type());
    Value greater =
        stablehlo::CompareOp::create(g.builder(), g.loc(), pred, block->getArgument(0),
                                     block->getArgument(1), GT, total);
    stablehlo::ReturnOp::create(g.builder(), g.loc(), greater);
  }
  return {g.SliceDim(sort.getResult(0), -1, 0, k),
          g.SliceDim(sort.getResult(1), -1, 0, k)};
}

namespace {

bool AreDimsOf(Dims dims, Value x) {
  llvm::SmallDenseSet<int64_t> seen;
  return llvm::all_of(dims, [&](int64_t dim) {
    return dim >= 0 && dim < TypeOf(x).getRank() && seen.insert(dim).second;
  });
}

DimList Shifted(Dims dims) {
  DimList result;
  for (int64_t dim : dims) result.push_back(dim + 1);
  return result;
}

// `x` once for each of `count` groups, as a new outermost dimension.
Value CopyPerGroup(GraphBuilder& g, Value x, int64_t count) {
  DimList dims;
  for (int64_t d = 0; d < TypeOf(x).getRank(); ++d) dims.push_back(d + 1);
  return g.Broadcast(x, With(ShapeOf(x), 0, count), dims);
}

// Returns [g, p]: whether position p of a dimension of `length` is in group g. Groups lie
// one after another and have the given sizes.
Value GroupMask(GraphBuilder& g, Value sizes, int64_t length) {
  const int64_t count = ShapeOf(sizes)[0];
  Value wide = g.Convert(sizes, g.builder().getI64Type());
  DimList square = {count, count};
  Value row = g.Iota(g.builder().getI64Type(), square, 0);
  Value column = g.Iota(g.builder().getI64Type(), square, 1);
  Value each = g.Broadcast(wide, square, {1});
  Value upto = g.Select(g.Compare(column, row, LE), each, g.Like(each, 0));
  Value ends = g.Sum(upto, {1}), starts = g.Sub(ends, wide);
  DimList table = {count, length};
  Value position = g.Iota(g.builder().getI64Type(), table, 1);
  return g.And(g.Compare(position, g.Broadcast(starts, table, {0}), GE),
               g.Compare(position, g.Broadcast(ends, table, {0}), LT));
}

// The dimension lists of a ragged dot, with at most one ragged and one group dimension.
struct RaggedDims {
  explicit RaggedDims(chlo::RaggedDotDimensionNumbersAttr numbers)
      : lhs_batch(numbers.getLhsBatchingDimensions()),
        rhs_batch(numbers.getRhsBatchingDimensions()),
        lhs_contracting(numbers.getLhsContractingDimensions()),
        rhs_contracting(numbers.getRhsContractingDimensions()),
        groups(numbers.getRhsGroupDimensions()),
        ragged(numbers.getLhsRaggedDimensions()) {}

  bool Fit(Value lhs, Value rhs) const {
    return ragged.size() == 1 && AreDimsOf(ragged, lhs) && groups.size() <= 1 &&
           AreDimsOf(groups, rhs) && AreDimsOf(lhs_batch, lhs) &&
           AreDimsOf(rhs_batch, rhs) && AreDimsOf(lhs_contracting, lhs) &&
           AreDimsOf(rhs_contracting, rhs) && lhs_batch.size() == rhs_batch.size() &&
           lhs_contracting.size() == rhs_contracting.size();
  }
  bool IsBatchRagged() const { return llvm::is_contained(lhs_batch, ragged[0]); }
  bool IsContractionRagged() const {
    return llvm::is_contained(lhs_contracting, ragged[0]);
  }
  // The batch dimensions of copies per group.
  static DimList BatchOfCopies(Dims batch) { return With(Shifted(batch), 0, 0); }

  DimList lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  Dims groups, ragged;
};

// The ragged dimension is a free dimension: one product per group, of which each row
// keeps its own group's.
Value BuildRaggedRows(GraphBuilder& g, RaggedDims& dims, Value lhs, Value rhs,
                      Value sizes) {
  const int64_t count = ShapeOf(sizes)[0], ragged = dims.ragged[0];
  Value inside = GroupMask(g, sizes, ShapeOf(lhs)[ragged]);
  Value copies = CopyPerGroup(g, lhs, count);
  const DimList batch = RaggedDims::BatchOfCopies(dims.lhs_batch);
  dims.rhs_batch.insert(dims.rhs_batch.begin(), dims.groups[0]);
  Value products = g.Dot(copies, rhs, batch, dims.rhs_batch,
                         Shifted(dims.lhs_contracting), dims.rhs_contracting);
  // The position of the ragged dimension in the products: after the batch dimensions.
  int64_t ragged_dim = static_cast<int64_t>(batch.size());
  for (int64_t d = 0; d < ragged; ++d)
    ragged_dim += !llvm::is_contained(dims.lhs_batch, d) &&
                  !llvm::is_contained(dims.lhs_contracting, d);
  Value mask = g.Broadcast(inside, ShapeOf(products), {0, ragged_dim});
  return g.Sum(g.Select(mask, products, g.Like(products, 0)), {0});
}

// The ragged dimension is a contracting one. Elements outside the group are zeroed on
// both sides, so that no infinity or NaN of another group reaches the sum.
Value BuildRaggedContraction(GraphBuilder& g, const RaggedDims& dims, Value lhs,
                             Value rhs, Value sizes) {
  const int64_t count = ShapeOf(sizes)[0], lhs_ragged = dims.ragged[0];
  const auto* contracting = llvm::find(dims.lhs_contracting, lhs_ragged);
  const int64_t rhs_ragged =
      dims.rhs_contracting[contracting - dims.lhs_contracting.begin()];
  Value inside = GroupMask(g, sizes, ShapeOf(lhs)[lhs_ragged]);
  auto keep = [&](Value x, int64_t dim) {
    return g.Select(g.Broadcast(inside, ShapeOf(x), {0, dim + 1}), x, g.Like(x, 0));
  };
  Value lhs_copies = CopyPerGroup(g, lhs, count),
        rhs_copies = CopyPerGroup(g, rhs, count);
  Value lhs_kept = keep(lhs_copies, lhs_ragged), rhs_kept = keep(rhs_copies, rhs_ragged);
  return g.Dot(lhs_kept, rhs_kept, RaggedDims::BatchOfCopies(dims.lhs_batch),
               RaggedDims::BatchOfCopies(dims.rhs_batch), Shifted(dims.lhs_contracting),
               Shifted(dims.rhs_contracting));
}

}  // namespace

Value BuildRaggedDot(GraphBuilder& g, chlo::RaggedDotOp op) {
  RaggedDims dims(op.getRaggedDotDimensionNumbers());
  Value sizes = op.getGroupSizes();
  mlir::Type element = ElementOf(op.getResult());
  const bool valid = dims.Fit(op.getLhs(), op.getRhs());
  Value lhs = g.Convert(op.getLhs(), element), rhs = g.Convert(op.getRhs(), element);
  if (valid && dims.groups.empty() && dims.IsBatchRagged())
    return g.Dot(lhs, rhs, dims.lhs_batch, dims.rhs_batch, dims.lhs_contracting,
                 dims.rhs_contracting);
  const bool sums_groups = valid && !dims.IsContractionRagged();
  if (!valid || sums_groups == dims.groups.empty() ||
      (sums_groups && dims.IsBatchRagged()) || TypeOf(sizes).getRank() != 1) {
    // This includes group sizes that differ by batch ([b, g]).
    EmitUnsupported(op) << "with these dimension numbers is not supported";
    return nullptr;
  }
  if (!sums_groups) return BuildRaggedContraction(g, dims, lhs, rhs, sizes);
  const int64_t count = ShapeOf(sizes)[0];
  if (ShapeOf(rhs)[dims.groups[0]] != count) {
    op.emitOpError() << "has " << count << " group sizes for " << rhs.getType();
    return nullptr;
  }
  return BuildRaggedRows(g, dims, lhs, rhs, sizes);
}

}  // namespace tenon::compiler
