#include "tenon/compiler/plan/contract_plan.h"

#include <utility>

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

// Dimension numbers of lhs (batch, row, k), of rhs (batch, k, column) and of out (batch,
// row, column).
enum {
  kBatch = 0,
  kLhsRow = 1,
  kLhsK = 2,
  kRhsK = 1,
  kRhsColumn = 2,
  kRow = 1,
  kColumn = 2
};

// Whether vectors run along the rows of the output instead of its columns.
bool LanesAlongRows(const ContractSpec& spec) {
  if (spec.n == 1) return spec.m > 1;
  return spec.m > 1 && spec.out.row == 1 && spec.out.col != 1;
}

Contraction ToContraction(const ContractSpec& spec) {
  Contraction problem;
  problem.out_type = spec.out_type;
  problem.accumulate = spec.accumulate == ElementType::kInvalid
                           ? AccumulateType(spec.out_type)
                           : spec.accumulate;
  bool swapped = LanesAlongRows(spec);
  problem.a_is_lhs = !swapped;
  problem.a_type = swapped ? spec.rhs_type : spec.lhs_type;
  problem.b_type = swapped ? spec.lhs_type : spec.rhs_type;
  problem.a_hook = swapped ? spec.has_load_rhs : spec.has_load_lhs;
  problem.b_hook = swapped ? spec.has_load_lhs : spec.has_load_rhs;
  problem.store_hook = spec.has_store;
  problem.one_thread = spec.one_thread;

  OutDim batch, row, lane;
  KDim k_dim;
  batch.size = spec.batch;
  batch.a = spec.lhs.batch;
  batch.b = spec.rhs.batch;
  batch.c = spec.out.batch;
  batch.a_index.dim = batch.b_index.dim = batch.c_index.dim = kBatch;
  row.size = spec.m;
  row.a = spec.lhs.row;
  row.c = spec.out.row;
  row.a_index.dim = kLhsRow;
  row.c_index.dim = kRow;
  lane.size = spec.n;
  lane.b = spec.rhs.col;
  lane.c = spec.out.col;
  lane.b_index.dim = kRhsColumn;
  lane.c_index.dim = kColumn;
  k_dim.size = spec.k;
  k_dim.a = spec.lhs.col;
  k_dim.b = spec.rhs.row;
  k_dim.a_index.dim = kLhsK;
  k_dim.b_index.dim = kRhsK;
  if (swapped) {
    std::swap(batch.a, batch.b);
    std::swap(row, lane);
    std::swap(row.a, row.b);
    std::swap(row.a_index, row.b_index);
    std::swap(lane.a, lane.b);
    std::swap(lane.a_index, lane.b_index);
    std::swap(k_dim.a, k_dim.b);
    std::swap(k_dim.a_index, k_dim.b_index);
  }
  // If b is the same for the whole batch, the batch is only more rows.
  bool b_moves = batch.b != 0 || problem.b_hook;
  if (batch.size > 1 && !b_moves && !problem.a_hook && !problem.store_hook &&
      batch.a == row.a * row.size && batch.c == row.c * row.size) {
    row.size *= batch.size;
  } else if (batch.size > 1) {
    (b_moves ? problem.batch : problem.outer).push_back(batch);
  }
  problem.row = row;
  problem.lane = lane;
  problem.k_dims.push_back(k_dim);
  return problem;
}

}  // namespace

ElementType AccumulateType(ElementType out) {
  bool narrow =
      IsSmallFloat(out) || out == ElementType::kF16 || out == ElementType::kBF16;
  if (narrow) return ElementType::kF32;
  // Integers wrap around, so the low bits of a wider sum are the low bits of the narrow
  // sum.
  if (out == ElementType::kS2 || out == ElementType::kS4) return ElementType::kS8;
  if (out == ElementType::kU2 || out == ElementType::kU4) return ElementType::kU8;
  return out;
}

KernelPlan PlanContract(const ContractSpec& spec, const TargetTraits& target) {
  if (spec.batch == 0 || spec.m == 0 || spec.n == 0) {
    KernelPlan nothing;
    nothing.phase_chunks = {0};
    return nothing;
  }
  return PlanTiles(ToContraction(spec), target);
}

}  // namespace tenon::compiler
