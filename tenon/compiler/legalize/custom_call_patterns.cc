// Custom calls that need no library: annotations that mean nothing on one device with one
// memory, and top-k selections. All other calls stay for the code that knows their
// target. Calls of LAPACK's gesdd get an operand without infinite elements, on which it
// may not terminate.
#include <complex>
#include <limits>

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

constexpr llvm::StringLiteral kAnnotations[] = {"Sharding",
                                                "SPMDFullToShardShape",
                                                "SPMDShardToFullShape",
                                                "MoveToHost",
                                                "MoveToDevice",
                                                "annotate_device_placement",
                                                "PinToDevice",
                                                "PinToDeviceSram",
                                                "LayoutConstraint",
                                                "X64Placement",
                                                "xla.sdy.FuncResultSharding"};

LogicalResult RewriteAnnotation(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (!llvm::is_contained(kAnnotations, op.getCallTargetName())) return mlir::failure();
  if (op->getOperandTypes() != op->getResultTypes()) return mlir::failure();
  rewriter.replaceOp(op, op->getOperands());
  return mlir::success();
}

LogicalResult RewriteControlDependency(stablehlo::CustomCallOp op,
                                       PatternRewriter& rewriter) {
  if (!IsControlDependency(op)) return mlir::failure();
  rewriter.eraseOp(op);
  return mlir::success();
}

// Storage with unspecified contents; zeros make runs reproducible.
LogicalResult RewriteAllocate(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (op.getCallTargetName() != "AllocateBuffer" || op->getNumResults() != 1 ||
      op->getNumOperands() != 0 ||
      !llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType()))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, g.Like(op->getResult(0), 0));
  return mlir::success();
}

// Older frameworks return several results as one tuple.
LogicalResult RewriteTupleResult(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (op->getNumResults() != 1) return mlir::failure();
  auto tuple = llvm::dyn_cast<mlir::TupleType>(op->getResult(0).getType());
  if (!tuple) return mlir::failure();
  mlir::OperationState state(op.getLoc(), op->getName(), op->getOperands(),
                             tuple.getTypes(), op->getAttrs());
  mlir::Operation* flat = rewriter.create(state);
  rewriter.replaceOpWithNewOp<stablehlo::TupleOp>(op, tuple, flat->getResults());
  return mlir::success();
}

std::optional<int64_t> ConfiguredInteger(stablehlo::CustomCallOp op,
                                         llvm::StringRef name) {
  auto config = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op.getBackendConfigAttr());
  if (!config) config = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  if (!config) return std::nullopt;
  auto value = config.getAs<mlir::IntegerAttr>(name);
  if (!value) return std::nullopt;
  return value.getInt();
}

// Sorts `inputs` along `dim` and slices the results to the shapes of the op's results.
LogicalResult ReplaceWithSort(stablehlo::CustomCallOp op, mlir::ValueRange inputs,
                              int64_t dim, PatternRewriter& rewriter,
                              llvm::function_ref<void(mlir::Region&)> build_comparator) {
  llvm::SmallVector<mlir::Type> types(inputs.getTypes());
  if (types.size() != op->getNumResults()) return mlir::failure();
  for (auto [type, result] : llvm::zip_equal(types, op->getResultTypes())) {
    auto from = llvm::dyn_cast<mlir::RankedTensorType>(type);
    auto to = llvm::dyn_cast<mlir::RankedTensorType>(result);
    if (!from || !to || from.getRank() != to.getRank() || dim < 0 ||
        dim >= from.getRank() || from.getElementType() != to.getElementType())
      return mlir::failure();
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (d == dim ? to.getDimSize(d) > from.getDimSize(d)
                   : to.getDimSize(d) != from.getDimSize(d))
        return mlir::failure();
  }
  GraphBuilder g(rewriter, op.getLoc());
  auto sort = stablehlo::SortOp::create(rewriter, op.getLoc(), types, inputs, dim,
                                        /*is_stable=*/true);
  build_comparator(sort.getComparator());
  rewriter.setInsertionPointAfter(sort);
  Values results;
  for (auto [sorted, type] : llvm::zip_equal(sort.getResults(), op->getResultTypes()))
    results.push_back(g.SliceDim(
        sorted, dim, 0, llvm::cast<mlir::RankedTensorType>(type).getDimSize(dim)));
  rewriter.replaceOp(op, results);
  return mlir::success();
}

// ApproxTopK(data, positions, init values): the exact result is a valid approximation.
// The called computation is the comparator.
LogicalResult RewriteApproxTopK(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (op.getCallTargetName() != "ApproxTopK" || op->getNumOperands() % 2 != 0 ||
      op.getCalledComputations().size() != 1)
    return mlir::failure();
  auto dim = ConfiguredInteger(op, "reduction_dim");
  auto comparator = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      op, llvm::cast<mlir::FlatSymbolRefAttr>(op.getCalledComputations()[0]));
  size_t count = op->getNumOperands() / 2;
  if (!dim || !comparator || comparator.isExternal() ||
      comparator.getNumArguments() != 2 * count)
    return mlir::failure();
  return ReplaceWithSort(
      op, op->getOperands().take_front(count), *dim, rewriter, [&](mlir::Region& region) {
        mlir::IRMapping mapping;
        rewriter.cloneRegionBefore(comparator.getBody(), region, region.end(), mapping);
        mlir::Operation* terminator = region.front().getTerminator();
        rewriter.setInsertionPoint(terminator);
        rewriter.replaceOpWithNewOp<stablehlo::ReturnOp>(terminator,
                                                         terminator->getOperands());
      });
}

// TopK(data) -> (values, positions), along the innermost dimension. `largest` in
// mhlo.attributes selects the largest or the smallest elements; the default is the
// largest.
LogicalResult RewriteTopK(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  llvm::StringRef target = op.getCallTargetName();
  if ((target != "TopK" && target != "mhlo.topk") || op->getNumOperands() != 1 ||
      op->getNumResults() != 2)
    return mlir::failure();
  Value operand = op->getOperand(0);
  auto indices = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(1).getType());
  if (!indices || !llvm::isa<mlir::RankedTensorType>(operand.getType()))
    return mlir::failure();
  bool largest = true;
  if (auto attributes = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.attributes"))
    if (auto flag = attributes.getAs<mlir::BoolAttr>("largest"))
      largest = flag.getValue();
  int64_t dim = TypeOf(operand).getRank() - 1;
  GraphBuilder g(rewriter, op.getLoc());
  Value positions = g.Iota(indices.getElementType(), ShapeOf(operand), dim);
  return ReplaceWithSort(
      op, {operand, positions}, dim, rewriter, [&](mlir::Region& region) {
        mlir::Block* block = rewriter.createBlock(&region);
        auto add = [&](mlir::Type element) {
          return block->addArgument(mlir::RankedTensorType::get({}, element),
                                    op.getLoc());
        };
        Value x = add(ElementOf(operand)), y = add(ElementOf(operand));
        add(indices.getElementType());
        add(indices.getElementType());
        auto how = largest ? stablehlo::ComparisonDirection::GT
                           : stablehlo::ComparisonDirection::LT;
        auto type = llvm::isa<mlir::FloatType>(ElementOf(operand))
                        ? stablehlo::ComparisonType::TOTALORDER
                        : stablehlo::ComparisonType::NOTYPE;
        Value before =
            stablehlo::CompareOp::create(rewriter, op.getLoc(), x, y, how, type);
        stablehlo::ReturnOp::create(rewriter, op.getLoc(), before);
      });
}

// Returns whether all elements of `value` (floats or complex numbers) are the same NaN.
bool IsNaN(Value value) {
  mlir::DenseElementsAttr constant;
  if (!mlir::matchPattern(value, mlir::m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (auto complex = constant.tryGetValues<std::complex<llvm::APFloat>>();
      mlir::succeeded(complex))
    return (*complex->begin()).real().isNaN();
  auto real = constant.tryGetValues<llvm::APFloat>();
  return mlir::succeeded(real) && (*real->begin()).isNaN();
}

// Replaces infinite elements by NaN before LAPACK's singular value decomposition. Its
// iteration may not terminate on an infinite element, but it reports a NaN at once.
LogicalResult RewriteSvd(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  constexpr llvm::StringLiteral kTargets[] = {"lapack_sgesdd_ffi", "lapack_dgesdd_ffi",
                                              "lapack_cgesdd_ffi", "lapack_zgesdd_ffi"};
  if (!llvm::is_contained(kTargets, op.getCallTargetName()) || op->getNumOperands() != 1)
    return mlir::failure();
  Value matrix = op->getOperand(0);
  if (auto select = matrix.getDefiningOp<stablehlo::SelectOp>();
      select && IsNaN(select.getOnFalse()))
    return mlir::failure();  // already rewritten
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(matrix.getType());
  if (!type || !type.hasStaticShape() || type.getElementType().isInteger())
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  mlir::Type pred = type.clone(rewriter.getI1Type());
  auto is_finite = [&](Value part) -> Value {
    return stablehlo::IsFiniteOp::create(rewriter, op.getLoc(), pred, part);
  };
  Value finite = is_finite(g.Real(matrix));
  if (llvm::isa<mlir::ComplexType>(type.getElementType()))
    finite = g.And(finite, is_finite(g.Imag(matrix)));
  Value nan = g.Like(matrix, std::numeric_limits<double>::quiet_NaN());
  Value selected = g.Select(finite, matrix, nan);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, selected); });
  return mlir::success();
}

}  // namespace

bool IsControlDependency(mlir::Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == "control_dep" && call->getNumResults() == 0;
}

void PopulateCustomCallPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteAnnotation);
  patterns.add(RewriteControlDependency);
  patterns.add(RewriteAllocate);
  patterns.add(RewriteTupleResult);
  patterns.add(RewriteApproxTopK);
  patterns.add(RewriteTopK);
  patterns.add(RewriteSvd);
}

}  // namespace tenon::compiler
