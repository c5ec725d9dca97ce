// StableHLO's convolution in full generality, with dimension numbers expressed as
// strides, and the plan of its loops. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_CONVOLUTION_PLAN_H_
#define TENON_COMPILER_PLAN_CONVOLUTION_PLAN_H_

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// One spatial dimension, as in StableHLO.
struct ConvSpatialDim {
  int64_t input = 1;   // size of lhs
  int64_t window = 1;  // size of rhs
  int64_t output = 1;  // size of the result
  int64_t stride = 1;
  int64_t padding_low = 0;  // may be negative; the high padding follows from `output`
  int64_t lhs_dilation = 1;
  int64_t rhs_dilation = 1;
  bool reversal = false;
  // Distances in elements.
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t out_stride = 0;
};

struct ConvSpec {
  int64_t batch = 1;            // of lhs; the result has batch / batch_groups
  int64_t input_features = 1;   // of lhs; rhs has input_features / feature_groups
  int64_t output_features = 1;  // of rhs and of the result
  int64_t feature_groups = 1;   // one of the two is 1
  int64_t batch_groups = 1;
  llvm::SmallVector<ConvSpatialDim, 3> spatial;  // any number, 0 included

  ElementType lhs_type = ElementType::kF32;
  ElementType rhs_type = ElementType::kF32;
  ElementType out_type = ElementType::kF32;
  // Type of products and sums; kInvalid means AccumulateType(out_type).
  ElementType accumulate = ElementType::kInvalid;
  // Distances in elements.
  int64_t lhs_batch_stride = 0, lhs_feature_stride = 0;
  int64_t rhs_input_stride = 0, rhs_output_stride = 0;
  int64_t out_batch_stride = 0, out_feature_stride = 0;
  bool has_store = false;     // ContractHooks::store is given
  bool has_load_lhs = false;  // likewise
  bool has_load_rhs = false;
};

KernelPlan PlanConv(const ConvSpec& spec, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_CONVOLUTION_PLAN_H_
