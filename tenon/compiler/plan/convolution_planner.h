// The planner of convolutions: convolution_plan.cc chooses lanes and the copy of the
// input, convolution_dims.cc turns the convolution into a contraction. One thread.
#ifndef TENON_COMPILER_PLAN_CONVOLUTION_PLANNER_H_
#define TENON_COMPILER_PLAN_CONVOLUTION_PLANNER_H_

#include <algorithm>
#include <memory>

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/convolution_plan.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {

// The dimension of the output along which vectors run.
enum class ConvLanes {
  kFeatures,     // of one group: the general case
  kGroups,       // groups of one feature each: depthwise
  kGroupBlocks,  // features of several small groups
  kSpatial,      // the innermost spatial dimension: few features, channels first
};

class ConvPlanner {
 public:
  ConvPlanner(const ConvSpec& spec, const TargetTraits& target)
      : spec_(spec), target_(target), rank_(static_cast<int>(spec.spatial.size())) {
    problem_.out_type = spec.out_type;
    problem_.accumulate = spec.accumulate == ElementType::kInvalid
                              ? AccumulateType(spec.out_type)
                              : spec.accumulate;
    groups_ = spec.feature_groups * spec.batch_groups;
    group_batch_ = spec.batch / spec.batch_groups;
    group_input_ = spec.input_features / spec.feature_groups;
    group_output_ = spec.output_features / groups_;
    lanes_ =
        std::clamp<int>(target.vector_bits / (8 * PartBytes(problem_.accumulate)), 2, 32);
  }

  // Plans the convolution. The input is copied if its windows reach past its ends. With
  // `in_place` it is copied only for other reasons, and the plan may be one that
  // EndTilesHoldBorderRows rejects.
  KernelPlan Plan(bool in_place);

 private:
  ConvLanes ChooseLanes() const;
  bool InKGroups() const;
  bool NeedsCopy() const;
  bool ReadsInPlace() const;
  void MakeCopy();

  // The dimensions of the output, with lhs = a and rhs = b. `phases` are those that count
  // the phases of dilated spatial dimensions.
  struct Dims {
    OutDim group, batch, feature;
    llvm::SmallVector<OutDim, 4> spatial, phases;
  };
  void MakeProblem();
  void SetOperands();
  Dims MakeDims(llvm::SmallVectorImpl<KDim>& k_dims);
  void AddSpatialDim(int i, Dims& dims, llvm::SmallVectorImpl<KDim>& k_dims);
  void OrderKDims(llvm::SmallVectorImpl<KDim>& k_dims);
  void PlaceSpatialLanes(Dims dims);
  void PlaceFeatureLanes(const Dims& dims);
  void MergeRows(llvm::SmallVectorImpl<OutDim>& outer, size_t row);
  llvm::SmallVector<bool, 4> PlaceWindows(llvm::ArrayRef<OutDim> dims, size_t row);
  int64_t LhsGroupStride() const {
    return spec_.batch_groups > 1 ? group_batch_ * lhs_batch_
                                  : group_input_ * lhs_feature_;
  }
  // The number of positions of a window's elements in dimension `dim` of the padded
  // input.
  static int64_t PaddedSize(const ConvSpatialDim& dim) {
    return (dim.output - 1) * dim.stride + (dim.window - 1) * dim.rhs_dilation + 1;
  }
  // Whether zeros are inserted between elements.
  static bool IsDilated(const ConvSpatialDim& dim) {
    return dim.lhs_dilation > 1 && dim.input > 1;
  }
  bool IsPadded(int i) const {
    const ConvSpatialDim& dim = spec_.spatial[i];
    if (polyphase_[i] >= 0) {
      const Polyphase& phases = problem_.polyphases[polyphase_[i]];
      return phases.origin > 0 || phases.size > dim.input;
    }
    return dim.padding_low > 0 || PaddedSize(dim) - dim.padding_low > dim.input;
  }
  void FindPolyphases();
  bool HasNoInput() const {
    bool none = group_input_ == 0;
    for (const ConvSpatialDim& dim : spec_.spatial) none |= !dim.input || !dim.window;
    return none;
  }

  const ConvSpec& spec_;
  const TargetTraits& target_;
  int rank_;
  bool in_place_ = false;
  int lanes_ = 1;
  int64_t groups_, group_batch_, group_input_, group_output_;
  ConvLanes kind_ = ConvLanes::kFeatures;
  Contraction problem_;
  std::shared_ptr<InputCopy> copy_;
  // Strides of the lhs that the kernel reads, and the offset of its first window.
  int64_t lhs_batch_ = 0, lhs_feature_ = 0, lhs_base_ = 0;
  llvm::SmallVector<int64_t, 3> lhs_spatial_;
  llvm::SmallVector<int, 3> polyphase_;  // of spatial dimensions; -1: not dilated
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_CONVOLUTION_PLANNER_H_
