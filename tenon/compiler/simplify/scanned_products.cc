#include "tenon/compiler/simplify/scanned_products.h"

#include "mlir/IR/Builders.h"
#include "tenon/dialects/stablehlo/loop_counter.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::Value;

// Products with more rows than this are large enough by themselves.
constexpr int64_t kMaxRows = 64;
constexpr int64_t kMaxElements = int64_t{1} << 22;  // of the product of all rows

mlir::RankedTensorType TypeOf(Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

// The dimension along which `slice` takes one row. Nullopt if it is not a whole row.
std::optional<int64_t> RowDim(stablehlo::DynamicSliceOp slice) {
  std::optional<int64_t> dim;
  for (auto [d, size] : llvm::enumerate(slice.getSliceSizes())) {
    if (size == TypeOf(slice.getOperand()).getDimSize(d)) continue;
    if (dim || size != 1) return std::nullopt;
    dim = d;
  }
  return dim;
}

// The slice of one row of which `value` is a reshape that drops the row dimension.
stablehlo::DynamicSliceOp RowOf(Value value) {
  auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>();
  if (!reshape) return nullptr;
  auto slice = reshape.getOperand().getDefiningOp<stablehlo::DynamicSliceOp>();
  auto dim = slice ? RowDim(slice) : std::nullopt;
  if (!dim) return nullptr;
  llvm::SmallVector<int64_t> shape(TypeOf(slice).getShape());
  shape.erase(shape.begin() + *dim);
  return TypeOf(value).getShape() == llvm::ArrayRef<int64_t>(shape) ? slice : nullptr;
}

// Replaces `dot`, whose left factor is one row of an array, by a row of the product of
// the whole array, computed before the loop.
void HoistProduct(stablehlo::WhileOp loop, int64_t trip_count,
                  stablehlo::DotGeneralOp dot) {
  stablehlo::DynamicSliceOp slice = RowOf(dot.getLhs());
  auto numbers = dot.getDotDimensionNumbers();
  if (!slice || !numbers.getLhsBatchingDimensions().empty()) return;
  auto is_outside = [&](Value value) {
    return !loop.getBody().isAncestor(value.getParentRegion());
  };
  if (!is_outside(slice.getOperand()) || !is_outside(dot.getRhs())) return;
  // The array must be a matrix with its rows first and the contracted dimensions last.
  int64_t dim = *RowDim(slice), rows = TypeOf(slice.getOperand()).getDimSize(dim);
  auto row = TypeOf(dot.getLhs());
  int64_t contracted = 1, rank = row.getRank();
  llvm::SmallVector<int64_t> contracting;
  for (int64_t d : numbers.getLhsContractingDimensions()) {
    contracted *= row.getDimSize(d);
    contracting.push_back(d + 1);
  }
  int64_t count = contracting.size();
  for (int64_t number = 0; number < count; ++number)
    if (contracting[number] != rank - count + number + 1) return;
  auto result = TypeOf(dot.getResult());
  if (dim != 0 || rows > trip_count || row.getNumElements() > kMaxRows * contracted ||
      rows * result.getNumElements() > kMaxElements)
    return;

  llvm::SmallVector<int64_t> shape(result.getShape()), sizes(shape);
  shape.insert(shape.begin(), rows);
  sizes.insert(sizes.begin(), 1);
  mlir::OpBuilder before(loop), b(slice);
  auto all = stablehlo::DotGeneralOp::create(
      before, dot.getLoc(), result.clone(shape), slice.getOperand(), dot.getRhs(),
      stablehlo::DotDimensionNumbersAttr::get(dot.getContext(), {}, {}, contracting,
                                              numbers.getRhsContractingDimensions()),
      dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
  auto index = llvm::cast<mlir::RankedTensorType>(slice.getStartIndices()[0].getType());
  Value zero = stablehlo::ConstantOp::create(
      b, dot.getLoc(),
      mlir::DenseElementsAttr::get(index, b.getZeroAttr(index.getElementType())));
  llvm::SmallVector<Value> starts(shape.size(), zero);
  starts[0] = slice.getStartIndices()[0];
  Value one = stablehlo::DynamicSliceOp::create(b, dot.getLoc(), result.clone(sizes), all,
                                                starts, sizes);
  dot.replaceAllUsesWith(
      stablehlo::ReshapeOp::create(b, dot.getLoc(), result, one).getResult());
  dot.erase();
}

}  // namespace

void HoistScannedProducts(mlir::func::FuncOp function) {
  function.walk([](stablehlo::WhileOp loop) {
    auto counter = stablehlo::CounterOf(loop);
    if (!counter) return;
    for (auto dot : llvm::make_early_inc_range(
             loop.getBody().front().getOps<stablehlo::DotGeneralOp>()))
      HoistProduct(loop, counter->trip_count, dot);
  });
}

}  // namespace tenon::compiler
