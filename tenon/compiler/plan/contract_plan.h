// Matrix products of any strides: what is multiplied, and the plan of its loops. Plain
// values; any thread.
#ifndef TENON_COMPILER_PLAN_CONTRACT_PLAN_H_
#define TENON_COMPILER_PLAN_CONTRACT_PLAN_H_

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

// Distances in elements between neighbours in each dimension; any sign, zero allowed for
// operands.
struct ContractStrides {
  int64_t batch = 0;
  int64_t row = 0;
  int64_t col = 0;
};

struct ContractSpec {
  int64_t batch = 1, m = 1, n = 1, k = 1;  // any may be 0
  ElementType lhs_type = ElementType::kF32;
  ElementType rhs_type = ElementType::kF32;
  ElementType out_type = ElementType::kF32;
  // Type of products and sums; kInvalid takes AccumulateType(out_type).
  ElementType accumulate = ElementType::kInvalid;
  ContractStrides lhs;        // row: m, col: k
  ContractStrides rhs;        // row: k, col: n
  ContractStrides out;        // row: m, col: n
  bool has_store = false;     // ContractHooks::store will be given
  bool has_load_lhs = false;  // likewise
  bool has_load_rhs = false;
  bool one_thread = false;  // all chunks are done by one: it is not worth cutting
};

// f32 for floats narrower than that, 8 bits for integers narrower than that, otherwise
// `out`.
ElementType AccumulateType(ElementType out);

KernelPlan PlanContract(const ContractSpec& spec, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_CONTRACT_PLAN_H_
