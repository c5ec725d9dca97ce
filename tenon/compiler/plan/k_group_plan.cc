// Chooses which products are computed with k-groups: 32-bit units of consecutive narrow
// elements along k, the operands of dot product instructions and matrix units.
#include <algorithm>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

constexpr int kKGroupBytes = 4;

// The matrix unit's instruction for k-groups of this type, or null.
MatrixUnit::Multiply MultiplyOf(ElementType type, ElementType accumulate,
                                const MatrixUnit& unit) {
  bool s32 = accumulate == ElementType::kS32;
  if (type == ElementType::kBF16 && accumulate == ElementType::kF32)
    return unit.bf16_pairs;
  if (type == ElementType::kS8 && s32) return unit.s8_quads;
  if (type == ElementType::kU8 && (s32 || accumulate == ElementType::kU32))
    return unit.u8_quads;
  return nullptr;
}

KGroupProduct KGroupProductOf(const TargetTraits& target, bool on_matrix_unit,
                              int elements) {
  if (!on_matrix_unit) return elements == 2 ? target.bf16_pairs : target.s8_quads;
  KGroupProduct product;
  product.lanes = target.matrix_unit.columns;
  product.rate = target.matrix_unit.rate;
  return product;
}

// Whether the operand consists of whole k-groups, consecutive elements of the innermost
// k dimension.
bool IsInKGroups(const Contraction& problem, bool is_a, int elements) {
  const KDim& inner = problem.k_dims.back();
  if (is_a ? problem.a_hook : problem.b_hook) return false;
  if ((is_a ? inner.a : inner.b) != 1 || inner.size % elements != 0) return false;
  auto whole = [&](const auto& dim) { return (is_a ? dim.a : dim.b) % elements == 0; };
  return (is_a ? problem.a_base : problem.b_base) % elements == 0 &&
         (is_a != problem.a_is_lhs ||
          std::ranges::all_of(
              problem.polyphases,
              [&](const Polyphase& phases) { return phases.lhs % elements == 0; })) &&
         std::ranges::all_of(problem.batch, whole) &&
         std::ranges::all_of(problem.outer, whole) && whole(problem.row) &&
         whole(problem.lane) &&
         std::all_of(problem.k_dims.begin(), problem.k_dims.end() - 1, whole);
}

// Expresses the operand's strides in k-groups.
void ViewAsKGroups(Contraction& problem, bool is_a, int elements) {
  auto view = [&](auto& dim) { (is_a ? dim.a : dim.b) /= elements; };
  for (OutDim& dim : problem.batch) view(dim);
  for (OutDim& dim : problem.outer) view(dim);
  view(problem.row);
  view(problem.lane);
  for (KDim& dim : problem.k_dims)
    if (&dim != &problem.k_dims.back()) view(dim);
  if (is_a == problem.a_is_lhs)
    for (Polyphase& phases : problem.polyphases) phases.lhs /= elements;
  (is_a ? problem.a_base : problem.b_base) /= elements;
  (is_a ? problem.a_type : problem.b_type) = ElementType::kU32;
}

}  // namespace

int KGroupSize(ElementType a, ElementType b, ElementType accumulate,
               const TargetTraits& target) {
  if (a != b) return 1;
  bool vectors =
      (a == ElementType::kBF16 && accumulate == ElementType::kF32 &&
       target.bf16_pairs.emit) ||
      (a == ElementType::kS8 && accumulate == ElementType::kS32 && target.s8_quads.emit);
  if (!vectors && !MultiplyOf(a, accumulate, target.matrix_unit)) return 1;
  return kKGroupBytes / static_cast<int>(ElementBytes(a));
}

void BindKGroupInstructions(TilePlan& plan) {
  if (plan.k_group_size == 1) return;
  plan.k_group_product =
      KGroupProductOf(plan.target, plan.on_matrix_unit, plan.k_group_size);
  if (plan.on_matrix_unit)
    plan.multiply_matrices = MultiplyOf(plan.elements.a_type, plan.elements.accumulate,
                                        plan.target.matrix_unit);
}

bool ChooseKGroups(TilePlan& plan, int lanes) {
  // Break-even: packing b takes as long as this many rows of the product do.
  constexpr int64_t kMinRows = 24, kMinMatrixRows = 8;
  Contraction problem = plan.source;
  int elements =
      KGroupSize(problem.a_type, problem.b_type, problem.accumulate, plan.target);
  if (elements == 1 || problem.lane.a != 0 || problem.b_in_place) return false;
  const MatrixUnit& unit = plan.target.matrix_unit;
  MatrixUnit::Multiply multiply = MultiplyOf(problem.a_type, problem.accumulate, unit);
  KGroupProduct product = KGroupProductOf(plan.target, multiply != nullptr, elements);
  int64_t rows = OuterCount(problem) * problem.row.size;
  if (product.lanes != lanes || rows < (multiply ? kMinMatrixRows : kMinRows))
    return false;
  std::ranges::stable_partition(problem.k_dims,
                                [](const KDim& dim) { return dim.size == 1; });
  KDim& inner = problem.k_dims.back();
  if (inner.polyphase >= 0 || inner.size < elements ||
      double(rows) * problem.lane.size * inner.size < 4096)
    return false;
  // If no efficient step of the matrix unit divides k, k is padded with zeros.
  int64_t k_groups = CeilDiv(inner.size, elements);
  bool padded = multiply && k_groups > unit.columns &&
                MatrixStep(k_groups, unit.columns) < unit.columns / 2;
  if (padded) k_groups = AlignUp(k_groups, unit.columns);
  plan.pack_k_groups_a = padded || !IsInKGroups(problem, true, elements);
  plan.pack_k_groups_b = padded || !IsInKGroups(problem, false, elements);
  if (plan.pack_k_groups_a && problem.a_in_place) {
    plan.pack_k_groups_a = plan.pack_k_groups_b = false;
    return false;
  }
  plan.elements = problem;
  if (!plan.pack_k_groups_a) ViewAsKGroups(problem, true, elements);
  if (!plan.pack_k_groups_b) ViewAsKGroups(problem, false, elements);
  inner.size = k_groups;
  plan.on_matrix_unit = multiply != nullptr;
  plan.source = problem;
  plan.operand_type = ElementType::kU32;
  plan.k_group_size = elements;
  BindKGroupInstructions(plan);
  return true;
}

int MatrixStep(int64_t k_groups, int max_step) {
  int step = static_cast<int>(std::min<int64_t>(k_groups, max_step));
  while (k_groups % step != 0) --step;
  return step;
}

}  // namespace tenon::compiler
