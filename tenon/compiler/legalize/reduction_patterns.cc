// Reductions over much into little, cut so that there is work for several threads.
#include "mlir/IR/Matchers.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

// Reductions of fewer elements than this a result are left whole.
constexpr int64_t kMinSplit = 1 << 16;
constexpr int64_t kMaxParts = 32;

// Cutting makes the initial value enter several times: it must not matter.
bool InitMayRepeat(stablehlo::ReduceOp op) {
  if (op.getInputs().size() != 1)
    return true;  // selections, as of the largest: idempotent
  auto& block = op.getBody().front();
  auto* combiner = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner) return false;
  if (llvm::isa<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::AndOp, stablehlo::OrOp>(
          combiner))
    return true;
  mlir::DenseElementsAttr init;
  if (!mlir::matchPattern(op.getInitValues()[0], mlir::m_Constant(&init)) ||
      !init.isSplat())
    return false;
  bool sum = llvm::isa<stablehlo::AddOp>(combiner);
  if (!sum && !llvm::isa<stablehlo::MulOp>(combiner)) return false;
  if (llvm::isa<mlir::FloatType>(init.getElementType()))
    return init.getSplatValue<llvm::APFloat>().convertToDouble() == (sum ? 0.0 : 1.0);
  if (llvm::isa<mlir::IntegerType>(init.getElementType()))
    return init.getSplatValue<llvm::APInt>() == (sum ? 0 : 1);
  return false;
}

// reduce(x[n, ...]) = reduce(reduce(x[parts, n / parts, ...])). The outermost reduced
// dimension is cut; how depends on the shape alone, so results do not depend on the
// number of threads.
LogicalResult SplitReduce(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  auto type = llvm::cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!type.hasStaticShape() || !InitMayRepeat(op)) return mlir::failure();
  auto result = llvm::cast<RankedTensorType>(op.getResult(0).getType());
  int64_t results = std::max<int64_t>(1, result.getNumElements());
  if (type.getNumElements() / results < kMinSplit) return mlir::failure();
  // Column reductions have their results in lanes: a row of results is one unit of work.
  bool columns = !llvm::is_contained(op.getDimensions(), type.getRank() - 1);
  int64_t units = columns ? (results + 63) / 64 : results;
  if (units >= kMaxParts) return mlir::failure();
  int64_t dim = *llvm::min_element(op.getDimensions());
  for (int64_t candidate : llvm::ArrayRef<int64_t>(op.getDimensions()))
    if (type.getDimSize(candidate) > type.getDimSize(dim)) dim = candidate;
  int64_t parts = std::min<int64_t>(kMaxParts / units, type.getDimSize(dim));
  while (parts > 1 && type.getDimSize(dim) % parts != 0) --parts;
  if (parts < 2) return mlir::failure();

  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= parts;
  shape.insert(shape.begin() + dim, parts);
  llvm::SmallVector<int64_t> inner_dims, partial_shape;
  int64_t outer_dim = 0;
  for (int64_t d : op.getDimensions()) inner_dims.push_back(d >= dim ? d + 1 : d);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (llvm::is_contained(inner_dims, d)) continue;
    if (d == dim) outer_dim = partial_shape.size();
    partial_shape.push_back(shape[d]);
  }
  auto element = [](Value value) {
    return llvm::cast<RankedTensorType>(value.getType()).getElementType();
  };
  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<mlir::Type> partial_types;
  for (Value input : op.getInputs()) {
    inputs.push_back(stablehlo::ReshapeOp::create(
        rewriter, op.getLoc(), RankedTensorType::get(shape, element(input)), input));
    partial_types.push_back(RankedTensorType::get(partial_shape, element(input)));
  }
  auto inner = stablehlo::ReduceOp::create(rewriter, op.getLoc(), partial_types, inputs,
                                           op.getInitValues(), inner_dims);
  rewriter.cloneRegionBefore(op.getBody(), inner.getBody(), inner.getBody().end());
  auto outer = stablehlo::ReduceOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                           inner.getResults(), op.getInitValues(),
                                           llvm::ArrayRef<int64_t>{outer_dim});
  rewriter.cloneRegionBefore(op.getBody(), outer.getBody(), outer.getBody().end());
  rewriter.replaceOp(op, outer.getResults());
  return mlir::success();
}

}  // namespace

void PopulateReductionPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(SplitReduce);
}

}  // namespace tenon::compiler
