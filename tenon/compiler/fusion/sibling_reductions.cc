#include "tenon/compiler/fusion/sibling_reductions.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/combiner.h"
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
  if (reductions.empty()) return false;
  const auto dims = SortedDimensions(reductions.front());
  for (stablehlo::ReduceOp reduce : reductions) {
    if (SortedDimensions(reduce) != dims) return false;
    for (mlir::Value input : reduce.getInputs())
      if (ShapeOf(input) != ShapeOf(value)) return false;
  }
  // Each reduction of a row has a loop of its own, so the row must stay in the cache.
  return cluster.has_column_reduce ||
         RowBytes(reductions.front(), value) <= target.l2_bytes / 2;
}

bool FitsColumns(const Cluster& cluster, stablehlo::ReduceOp reduce) {
  mlir::Value input = reduce.getInputs()[0];
  constexpr int64_t kFewElements = 1 << 10;
  if (ElementCountOf(input) < kFewElements) return true;
  return llvm::all_of(ReductionsOf(cluster), [&](stablehlo::ReduceOp other) {
    return ShapeOf(other.getInputs()[0]) == ShapeOf(input) &&
           SortedDimensions(other) == SortedDimensions(reduce);
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
  if (SortedDimensions(reductions.front()) != SortedDimensions(others.front()))
    return false;
  if (first.row_rank) return true;
  // Columns of sums are summed in blocks unless other reductions share the loop, and all
  // accumulators have one type.
  auto adds = [](stablehlo::ReduceOp reduce) {
    return stablehlo::AddsFloats(reduce.getBody().front());
  };
  const bool are_sums = adds(reductions.front());
  const mlir::Type element = TypeOf(reductions.front().getResult(0)).getElementType();
  llvm::append_range(reductions, others);
  int64_t results = 0;
  for (stablehlo::ReduceOp reduce : reductions) {
    if (adds(reduce) != are_sums) return false;
    for (mlir::Value result : reduce.getResults()) {
      if (TypeOf(result).getElementType() != element) return false;
      ++results;
    }
  }
  return results <= kMaxResults;
}

}  // namespace tenon::compiler
