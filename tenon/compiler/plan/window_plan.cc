// Windows that reach past the ends of a convolution's input: which plans can clip them,
// and for which types products with padding count.
#include <algorithm>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {

int64_t StepsToCover(int64_t distance, int64_t step) {
  return CeilDiv(std::max<int64_t>(distance, 0), step);
}

const KDim* RowWindow(const Contraction& problem) {
  for (const KDim& dim : problem.k_dims)
    if (dim.window && dim.window->outer < 0) return &dim;
  return nullptr;
}

bool EndTilesHoldBorderRows(const TilePlan& plan) {
  const KDim* dim = RowWindow(plan.problem);
  if (!dim || plan.row_tiles == 1) return true;
  const Window* window = &*dim->window;
  int64_t size = plan.problem.row.size, taps = dim->size;
  int last_rows = plan.full_row_tiles == plan.row_tiles ? plan.rows : plan.short_rows;
  int64_t reach = (taps - 1) * window->step - window->low;
  // Rows of the first and of the last row tile whose windows reach outside.
  int64_t before = StepsToCover(window->low, window->stride);
  int64_t inside = StepsToCover(window->limit - reach, window->stride);
  // Between the taps that some rows at the start do not have and those that some rows at
  // the end do not have, all rows have all taps.
  int64_t low_taps = std::min(StepsToCover(window->low, window->step), taps);
  int64_t high_taps = StepsToCover(
      window->limit + window->low - (size - 1) * window->stride, window->step);
  return before <= plan.rows && inside >= size - last_rows && low_taps <= high_taps;
}

bool HasZeroProducts(ElementType accumulate) {
  return IsFloat(accumulate) || IsComplex(accumulate);
}

int64_t ResidueCount(const Contraction& problem) {
  int64_t count = 1;
  for (const Polyphase& phases : problem.polyphases) count *= phases.residues();
  return count;
}

}  // namespace tenon::compiler
