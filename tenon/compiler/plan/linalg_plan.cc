#include "tenon/compiler/plan/linalg_plan.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/analysis/element_kinds.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMaxChunks = 64;

// Multiply-adds of the whole batch.
double Work(const LinalgSpec& spec) {
  double n = static_cast<double>(spec.a.columns), m = static_cast<double>(spec.a.rows);
  double batch = static_cast<double>(spec.batch);
  if (spec.algorithm == LinalgAlgorithm::kCholesky) return batch * n * n * n / 6;
  if (spec.algorithm == LinalgAlgorithm::kTriangularSolve)
    return batch * n * n / 2 * static_cast<double>(spec.b.columns);
  double count = std::min(m, n);
  return batch *
         (m * n * count - (m + n) * count * count / 2 + count * count * count / 3);
}

// The number of vectors that matrices with one lane each need.
int64_t BatchedVectors(const LinalgSpec& spec) {
  int64_t m = spec.a.rows, n = spec.a.columns, shortest = std::min(m, n);
  int64_t longest = std::max(m, n), read = m * n;
  if (spec.algorithm == LinalgAlgorithm::kEigh)
    return read + n + (spec.vectors ? n * n : 0);
  if (spec.algorithm != LinalgAlgorithm::kSvd) return read + spec.reflections;
  int64_t factors = shortest * shortest + longest * (spec.full ? longest : shortest);
  return read + 2 * shortest + (spec.vectors ? factors : 0);
}

// One matrix per lane: a "panel" is one vector wide and has all memory of a unit.
LinalgPlan PlanBatched(const LinalgSpec& spec, const TargetTraits& target) {
  LinalgPlan plan;
  int64_t bytes = ElementBytes(spec.type);
  plan.lanes = std::max<int>(2, target.vector_bits / 8 / static_cast<int>(bytes));
  plan.across_batch = true;
  plan.rows = BatchedVectors(spec);
  plan.panels = 1;
  plan.units = llvm::divideCeil(spec.batch, plan.lanes);
  plan.panel_bytes = llvm::alignTo(plan.rows * plan.lanes * bytes, 128) + 64;
  double n = static_cast<double>(std::min(spec.a.rows, spec.a.columns));
  double size = static_cast<double>(spec.a.rows * spec.a.columns);
  // Jacobi methods sweep over pairs of columns or rows.
  bool sweeps =
      spec.algorithm == LinalgAlgorithm::kEigh || spec.algorithm == LinalgAlgorithm::kSvd;
  const CostModel& cost = target.cost;
  plan.estimated_ns = static_cast<double>(plan.units) * size *
                      (sweeps ? cost.jacobi_ns * n + cost.jacobi_overhead_ns
                              : cost.reflection_ns * n + cost.reflection_overhead_ns);
  int64_t chunks = plan.estimated_ns < target.cost.min_parallel_phase_ns
                       ? 1
                       : std::min(plan.units, kMaxChunks);
  plan.phase_chunks = {chunks};
  plan.function_of = {0};
  plan.scratch_bytes = chunks * plan.panel_bytes;
  return plan;
}

}  // namespace

LinalgPlan PlanLinalg(const LinalgSpec& spec, const TargetTraits& target) {
  if (spec.algorithm >= LinalgAlgorithm::kQr) return PlanBatched(spec, target);
  LinalgPlan plan;
  bool is_complex = IsComplex(spec.type);
  int64_t bytes = ElementBytes(spec.type);
  int64_t real_bytes = is_complex ? bytes / 2 : bytes;
  plan.lanes = std::max<int>(2, target.vector_bits / 8 / static_cast<int>(real_bytes));
  bool solves = spec.algorithm == LinalgAlgorithm::kTriangularSolve;
  const MatrixShape& panels_of = solves ? spec.b : spec.a;
  if (solves)
    plan.lanes = std::min<int>(
        plan.lanes, std::max<int64_t>(4, llvm::PowerOf2Ceil(panels_of.columns)));
  plan.vectors = is_complex || (solves && panels_of.columns <= plan.lanes) ? 1 : 2;
  plan.group = target.vector_registers >= 32 ? 8 : 4;
  // A factorization also reads a group of rows as a group of columns.
  if (!solves) plan.group = std::min(plan.group, plan.lanes);
  plan.across_batch = spec.algorithm == LinalgAlgorithm::kCholesky &&
                      spec.batch >= plan.lanes && spec.a.rows <= kMaxAcrossBatch;
  double elements = static_cast<double>(spec.batch * panels_of.rows * panels_of.columns);
  double ns = Work(spec) * (is_complex ? 4 : 1) / plan.lanes *
                  target.cost.factorization_product_ns +
              elements * target.cost.panel_element_ns;
  plan.estimated_ns = ns;
  if (plan.across_batch) {
    plan.vectors = 1;
    plan.rows = spec.a.rows * spec.a.rows;
    plan.panels = 1;
    plan.units = llvm::divideCeil(spec.batch, plan.lanes);
  } else {
    plan.rows = llvm::alignTo(panels_of.rows, plan.group);
    plan.panels = llvm::divideCeil(panels_of.columns, plan.width());
    plan.units = solves ? spec.batch * plan.panels : spec.batch;
  }
  // Panels lie an odd number of cache lines apart, so that they do not share cache sets.
  plan.panel_bytes = llvm::alignTo(plan.rows * plan.width() * bytes, 128) + 64;
  plan.whole_matrices = plan.across_batch || spec.batch > 1 ||
                        ns < target.cost.min_parallel_phase_ns || plan.panels == 1 ||
                        solves;
  if (plan.whole_matrices) {
    int64_t chunks =
        ns < target.cost.min_parallel_phase_ns ? 1 : std::min(plan.units, kMaxChunks);
    plan.phase_chunks = {chunks};
    plan.function_of = {0};
    plan.scratch_bytes = chunks * (solves ? 1 : plan.panels) * plan.panel_bytes;
    return plan;
  }
  // The phases: read all panels; for each panel, finish it while the panels after it are
  // updated from the panel before it; write all panels.
  plan.units = plan.panels;
  plan.phase_chunks = {plan.panels, 1};
  plan.function_of = {0, 1};
  int64_t pivots = std::min(spec.a.rows, spec.a.columns);
  int64_t last = plan.panels - 1 - llvm::divideCeil(pivots, plan.width());
  for (int64_t left = plan.panels - 1; left > std::max<int64_t>(last, 0); --left) {
    plan.phase_chunks.push_back(left);
    plan.function_of.push_back(1);
  }
  plan.function_of.push_back(static_cast<int>(plan.phase_chunks.size()));
  plan.phase_chunks.push_back(plan.panels);
  plan.scratch_bytes = plan.panels * plan.panel_bytes;
  return plan;
}

}  // namespace tenon::compiler
