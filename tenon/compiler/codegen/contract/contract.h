// Matrix products, generated: out[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n]. Plans
// are plain values; emission is by the thread that owns the builder's LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_

#include "tenon/compiler/codegen/contract/kernel_plan.h"
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

// Emits the work of one chunk (an i64 Value) of phase `phase` at the builder's insertion
// point, which ends up in a later open block. UNIMPLEMENTED where a conversion is.
Status EmitContractPhase(llvm::IRBuilder<>& b, const ContractSpec& spec,
                         const KernelPlan& plan, int phase,
                         const ContractPointers& pointers, llvm::Value* chunk,
                         const ContractHooks& hooks = {});

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_
