// Matrix products with arbitrary strides: their description and the plan of their loops.
// Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_CONTRACT_PLAN_H_
#define TENON_COMPILER_PLAN_CONTRACT_PLAN_H_

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// Strides in elements, of any sign. Operands may have stride 0.
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
  // Type of products and sums; kInvalid means AccumulateType(out_type).
  ElementType accumulate = ElementType::kInvalid;
  ContractStrides lhs;        // row: m, col: k
  ContractStrides rhs;        // row: k, col: n
  ContractStrides out;        // row: m, col: n
  bool has_store = false;     // ContractHooks::store is given
  bool has_load_lhs = false;  // likewise
  bool has_load_rhs = false;
  bool one_thread = false;  // one thread runs all chunks: do not split for parallelism
};

// f32 for floats narrower than f32, 8 bits for integers narrower than 8 bits, otherwise
// `out`.
ElementType AccumulateType(ElementType out);

KernelPlan PlanContract(const ContractSpec& spec, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_CONTRACT_PLAN_H_
