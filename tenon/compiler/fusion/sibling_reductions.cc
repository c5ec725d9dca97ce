#include "tenon/compiler/fusion/sibling_reductions.h"

#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMinElements = 1 << 15;  // smaller arrays stay in the cache
constexpr int64_t kMaxResults = 4;         // have accumulators in registers

auto ReductionsOf(const Cluster& cluster) {
  llvm::SmallVector<stablehlo::ReduceOp, 4> reductions;
  for (mlir::Operation* op : cluster.members)
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      reductions.push_back(reduce);
  return reductions;
}

llvm::SmallVector<int64_t> SortedDimensions(stablehlo::ReduceOp reduce) {
  llvm::SmallVector<int64_t> dims(reduce.getDimensions());
  llvm::sort(dims);
  return dims;
}

bool HaveSameDimensions(stablehlo::ReduceOp first, stablehlo::ReduceOp second) {
  return ShapeOf(first.getInputs()[0]) == ShapeOf(second.getInputs()[0]) &&
         SortedDimensions(first) == SortedDimensions(second);
}

// Whether two column reductions over the same dimensions may share their loop
// (kernels/column_reduce.cc): all accumulators have one type, and sums are summed in
// blocks only if all are sums.
bool ShareColumns(stablehlo::ReduceOp first, stablehlo::ReduceOp second) {
  const mlir::Type element = TypeOf(first.getResult(0)).getElementType();
  auto has_type = [&](mlir::Value result) {
    return TypeOf(result).getElementType() == element;
  };
  return llvm::all_of(first.getResults(), has_type) &&
         llvm::all_of(second.getResults(), has_type) &&
         AreRoundedSums(first.getBody().front()) ==
             AreRoundedSums(second.getBody().front());
}

// The bytes that a row of the cluster's reductions of `value` reads of it.
int64_t RowBytes(stablehlo::ReduceOp reduce, mlir::Value value) {
  int64_t bytes = ElementBytes(ir::ElementTypeOf(TypeOf(value).getElementType()));
  for (int64_t dim : reduce.getDimensions()) bytes *= ShapeOf(value)[dim];
  return bytes;
}

}  // namespace

bool ReducesLargeArray(const Cluster& cluster, mlir::Value value,
                       const TargetTraits& target) {
  if (cluster.kind != ir::FusionKind::kLoop || cluster.has_window || cluster.moves_rows ||
      cluster.continuation || !cluster.row_starts.empty())
    return false;
  if (!cluster.row_rank && !cluster.has_column_reduce) return false;
  if (ElementCountOf(value) < kMinElements) return false;
  auto reductions = ReductionsOf(cluster);
  if (reductions.empty() || ShapeOf(reductions[0].getInputs()[0]) != ShapeOf(value) ||
      !llvm::all_of(reductions, [&](stablehlo::ReduceOp reduce) {
        return HaveSameDimensions(reduce, reductions[0]);
      }))
    return false;
  // Each reduction of a row has a loop of its own, so the row must stay in the cache.
  return cluster.has_column_reduce ||
         RowBytes(reductions.front(), value) <= target.l2_bytes / 2;
}

bool FitsColumns(const Cluster& cluster, stablehlo::ReduceOp reduce) {
  constexpr int64_t kFewElements = 1 << 10;
  const int64_t count = ElementCountOf(reduce.getInputs()[0]);
  return llvm::all_of(ReductionsOf(cluster), [&](stablehlo::ReduceOp other) {
    return (count < kFewElements || HaveSameDimensions(reduce, other)) &&
           (count < kMinElements || ShareColumns(reduce, other));
  });
}

bool GainsFromCommonArrays(const Cluster& cluster, llvm::ArrayRef<mlir::Value> common) {
  // Each reduction of a row computes costly values again, unless the row fits the memory
  // that keeps them (kernels/row_values.cc).
  constexpr int64_t kMaxCachedRow = 32 << 10;
  stablehlo::ReduceOp reduce = ReductionsOf(cluster).front();
  const bool keeps_values = cluster.has_column_reduce ||
                            RowBytes(reduce, reduce.getInputs()[0]) <= kMaxCachedRow;
  return !common.empty() && (keeps_values || llvm::none_of(common, [](mlir::Value array) {
                               mlir::Operation* def = array.getDefiningOp();
                               return def && IsElementwise(def);
                             }));
}

bool HaveSameReductionLoops(const Cluster& first, const Cluster& second) {
  if (first.shape != second.shape || first.row_rank != second.row_rank ||
      first.has_column_reduce != second.has_column_reduce)
    return false;
  auto reductions = ReductionsOf(first), others = ReductionsOf(second);
  if (!HaveSameDimensions(reductions.front(), others.front())) return false;
  if (first.row_rank) return true;
  llvm::append_range(reductions, others);
  int64_t results = 0;
  for (stablehlo::ReduceOp reduce : reductions) {
    if (!ShareColumns(reductions.front(), reduce)) return false;
    results += reduce.getNumResults();
  }
  return results <= kMaxResults;
}

}  // namespace tenon::compiler
