#include "tenon/compiler/analysis/dimension_maps.h"

#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

std::optional<int64_t> ReshapedDim(llvm::ArrayRef<int64_t> to,
                                   llvm::ArrayRef<int64_t> from, int64_t dim) {
  if (dim == kNoDim) return kNoDim;
  int64_t before = 1, other = 1;
  for (int64_t size : to.take_front(dim)) before *= size;
  for (size_t d = 0; d < from.size(); other *= from[d++])
    if (other == before && from[d] == to[dim]) return d;
  return std::nullopt;
}

int64_t KeptDim(stablehlo::ReduceOp reduce, int64_t dim) {
  if (dim == kNoDim) return kNoDim;
  int64_t rank = TypeOf(reduce.getInputs()[0]).getRank();
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(reduce.getDimensions(), d) && dim-- == 0) return d;
  return kNoDim;
}

std::pair<int64_t, int64_t> FactorDims(stablehlo::DotGeneralOp dot, int64_t dim) {
  if (dim == kNoDim) return {kNoDim, kNoDim};
  auto numbers = dot.getDotDimensionNumbers();
  auto batch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  if (dim < batch)
    return {numbers.getLhsBatchingDimensions()[dim],
            numbers.getRhsBatchingDimensions()[dim]};
  dim -= batch;
  auto free = [&](mlir::Value factor, llvm::ArrayRef<int64_t> batching,
                  llvm::ArrayRef<int64_t> contracting) {
    for (int64_t d = 0; d < TypeOf(factor).getRank(); ++d) {
      if (llvm::is_contained(batching, d) || llvm::is_contained(contracting, d)) continue;
      if (dim-- == 0) return d;
    }
    return kNoDim;
  };
  int64_t lhs = free(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions());
  if (lhs != kNoDim) return {lhs, kNoDim};
  return {kNoDim, free(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                       numbers.getRhsContractingDimensions())};
}

}  // namespace tenon::compiler
