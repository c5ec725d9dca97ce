#include "tenon/compiler/fusion/split_reductions.h"

#include "mlir/IR/Builders.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Limits by measurement (docs/design/0004, "Short inner rows").
constexpr int64_t kMinElements = 1 << 15, kMinOuter = 16, kMaxInner = 64;

// Where the innermost dimensions begin that `reduce` reduces together, if it is split
// there; else nullopt.
std::optional<int64_t> SplitDim(stablehlo::ReduceOp reduce) {
  if (reduce.getInputs().size() != 1) return std::nullopt;
  const auto type = TypeOf(reduce.getInputs()[0]);
  if (!type.hasStaticShape() || type.getNumElements() < kMinElements) return std::nullopt;
  const llvm::ArrayRef<int64_t> dims = reduce.getDimensions();
  int64_t split = type.getRank(), inner = 1, outer = 1;
  while (split > 0 && llvm::is_contained(dims, split - 1))
    inner *= type.getDimSize(--split);
  int64_t first = split;
  for (int64_t dim : dims) {
    if (dim >= split) continue;
    outer *= type.getDimSize(dim);
    first = std::min(first, dim);
  }
  if (inner < 2 || inner > kMaxInner || outer < kMinOuter) return std::nullopt;
  int64_t between = 1;
  for (int64_t dim = first; dim < split; ++dim)
    if (!llvm::is_contained(dims, dim)) between *= type.getDimSize(dim);
  if (between * inner < kMaxInner) return std::nullopt;
  // Partial results of narrow floats would be rounded.
  const bool is_narrow_float = llvm::isa<mlir::FloatType>(type.getElementType()) &&
                               type.getElementTypeBitWidth() < 32;
  mlir::Block& combiner = reduce.getBody().front();
  if (is_narrow_float || !stablehlo::IsReorderable(combiner) ||
      !stablehlo::InitMayRepeat(combiner, reduce.getInitValues()))
    return std::nullopt;
  return split;
}

void Split(stablehlo::ReduceOp reduce, int64_t split) {
  llvm::SmallVector<int64_t> outer, inner, kept;
  const auto type = TypeOf(reduce.getInputs()[0]);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    const bool is_reduced = llvm::is_contained(reduce.getDimensions(), dim);
    if (dim >= split)
      inner.push_back(static_cast<int64_t>(kept.size()));
    else if (is_reduced)
      outer.push_back(dim);
    if (dim >= split || !is_reduced) kept.push_back(type.getDimSize(dim));
  }
  mlir::OpBuilder b(reduce);
  auto first = llvm::cast<stablehlo::ReduceOp>(b.clone(*reduce));
  first.setDimensions(outer);
  first.getResult(0).setType(mlir::RankedTensorType::get(kept, type.getElementType()));
  reduce.setDimensions(inner);
  reduce.getInputsMutable().assign(first.getResult(0));
}

}  // namespace

void SplitReductions(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(block))
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      if (auto split = SplitDim(reduce)) Split(reduce, *split);
}

}  // namespace tenon::compiler
