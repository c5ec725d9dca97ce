#include "tenon/compiler/plan/convolution_plan.h"

#include <algorithm>
#include <cstdlib>

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/plan/convolution_planner.h"

namespace tenon::compiler {

ConvLanes ConvPlanner::ChooseLanes() const {
  // Neighbouring groups must be neighbours in the input, and hooks need lanes one output
  // feature apart.
  bool neighbours = group_input_ == 1 && (spec_.batch_groups == 1 || group_batch_ == 1) &&
                    (group_output_ == 1 || !(spec_.has_store || spec_.has_load_rhs));
  // `pixels` is the number of outputs of the innermost dimension. `step` and `store_step`
  // are the strides of their windows and results. With channels first, vectors along
  // pixels are better.
  int64_t pixels = 1, step = 1, store_step = 1;
  if (rank_ > 0) {
    const ConvSpatialDim& last = spec_.spatial.back();
    pixels = last.output, step = last.stride, store_step = last.out_stride;
    if (polyphase_.back() >= 0) {
      const Polyphase& phases = problem_.polyphases[polyphase_.back()];
      pixels = phases.outputs(), step = phases.output_step();
      store_step *= phases.count;
    }
  }
  bool pixels_only = rank_ > 0 && spec_.spatial.back().lhs_stride == 1 &&
                     spec_.lhs_feature_stride != 1 && step == 1;
  if (groups_ > 1 && neighbours && group_output_ * 4 <= lanes_ && groups_ >= lanes_ / 4 &&
      !pixels_only)
    return ConvLanes::kGroups;
  if (spec_.feature_groups > 1 && group_input_ == group_output_ && group_input_ > 1 &&
      2 * group_input_ <= lanes_ && lanes_ % group_input_ == 0 &&
      spec_.lhs_feature_stride == 1 && spec_.rhs_output_stride == 1 &&
      spec_.out_feature_stride == 1 && !spec_.has_load_rhs &&
      !IsComplex(problem_.accumulate) && problem_.accumulate != ElementType::kPred)
    return ConvLanes::kGroupBlocks;
  auto used = [&](int64_t size) {
    return double(size) / ((size + lanes_ - 1) / lanes_ * lanes_);
  };
  if (rank_ == 0) return ConvLanes::kFeatures;
  double features = used(group_output_);
  // Stores across features, and packing the filter if few pixels use it, cost a little;
  // loads of strided input cost a lot. Measured with channels first, 14 to 60 pixels.
  int64_t k_count = group_input_, all = group_batch_;
  for (const ConvSpatialDim& dim : spec_.spatial)
    k_count *= dim.window, all *= dim.output;
  if (spec_.out_feature_stride != 1 && group_output_ > 1)
    features *= k_count >= 128 && all >= 512 ? 0.9 : 0.8;
  double spatial = used(pixels);
  if (store_step != 1) spatial *= store_step < lanes_ ? 0.8 : 0.5;
  if (step != 1) spatial *= 0.2;
  return spatial > features ? ConvLanes::kSpatial : ConvLanes::kFeatures;
}

// Whether the features of a pixel are k-groups, multiplied without conversion. The input
// is then read, or copied, without conversion.
bool ConvPlanner::InKGroups() const {
  int elements = KGroupSize(spec_.lhs_type, spec_.rhs_type, problem_.accumulate, target_);
  return elements > 1 && kind_ == ConvLanes::kFeatures && group_input_ >= 4 &&
         group_input_ % elements == 0 && group_output_ >= lanes_ / 2;
}

bool ConvPlanner::NeedsCopy() const {
  if (spec_.has_load_lhs) return true;
  if (InKGroups()) {
    // A k-group consists of neighbouring features.
    auto whole = [&](int64_t stride) { return stride % 4 == 0; };
    if (spec_.lhs_feature_stride != 1 || !whole(spec_.lhs_batch_stride)) return true;
    for (const ConvSpatialDim& dim : spec_.spatial)
      if (!whole(dim.lhs_stride)) return true;
  } else if (spec_.lhs_type != problem_.accumulate) {
    return true;
  }
  for (int i = 0; i < rank_; ++i)
    if (IsPadded(i) && !in_place_) return true;
  switch (kind_) {
    case ConvLanes::kFeatures:
      // Each input element is broadcast: features far apart cost cache lines.
      return group_input_ >= 8 && spec_.lhs_feature_stride != 1 &&
             group_output_ >= lanes_ && spec_.lhs_batch_stride != 1;
    case ConvLanes::kGroups:
      return LhsGroupStride() != 1;
    case ConvLanes::kGroupBlocks:
      return false;
    case ConvLanes::kSpatial:
      return lhs_spatial_.back() != 1;
  }
  return false;
}

// Whether windows that reach past the ends of the input can be clipped instead of copying
// the input. Windows along lanes cannot, and k-groups are corrected for all rows of a
// tile together.
bool ConvPlanner::ReadsInPlace() const {
  if (kind_ == ConvLanes::kSpatial ||
      KGroupSize(spec_.lhs_type, spec_.rhs_type, problem_.accumulate, target_) > 1)
    return false;
  for (const ConvSpatialDim& dim : spec_.spatial) {
    if (IsDilated(dim)) return false;
    // Every result has a tap, so that no loop over taps is empty in a dimension where a
    // tile has one index.
    int64_t reach = (dim.window - 1) * dim.rhs_dilation;
    int64_t last = (dim.output - 1) * dim.stride - dim.padding_low;
    if (dim.padding_low > reach || last >= dim.input) return false;
  }
  return true;
}

// Lays out the copy. It keeps the order of the source, but the dimension that the kernel
// reads in vectors, or the features, is innermost.
void ConvPlanner::MakeCopy() {
  copy_ = std::make_shared<InputCopy>();
  copy_->from = spec_.lhs_type;
  copy_->to = InKGroups() ? spec_.lhs_type : problem_.accumulate;
  copy_->hook = spec_.has_load_lhs;
  auto add = [&](int64_t size, int64_t stride, int source_dim) {
    InputCopy::Dim dim;
    dim.size = dim.limit = size;
    dim.source = stride;
    dim.source_dim = source_dim;
    copy_->dims.push_back(dim);
  };
  add(spec_.batch, spec_.lhs_batch_stride, 0);
  for (int i = 0; i < rank_; ++i) {
    const ConvSpatialDim& spatial = spec_.spatial[i];
    add(PaddedSize(spatial), spatial.lhs_stride, 1 + i);
    InputCopy::Dim& dim = copy_->dims.back();
    dim.limit = spatial.input;
    dim.padding_low = spatial.padding_low;
    if (polyphase_[i] >= 0) {
      const Polyphase& phases = problem_.polyphases[polyphase_[i]];
      dim.size = phases.size;
      dim.padding_low = phases.origin;
    }
  }
  add(spec_.input_features, spec_.lhs_feature_stride, rank_ + 1);
  std::stable_sort(copy_->dims.begin(), copy_->dims.end(),
                   [](const InputCopy::Dim& x, const InputCopy::Dim& y) {
                     return std::abs(x.source) > std::abs(y.source);
                   });
  int innermost = -1;
  if (kind_ == ConvLanes::kSpatial) innermost = rank_;
  if (kind_ == ConvLanes::kGroupBlocks) innermost = rank_ + 1;
  if (kind_ == ConvLanes::kGroups) innermost = spec_.batch_groups > 1 ? 0 : rank_ + 1;
  if (kind_ == ConvLanes::kFeatures && group_input_ >= 4 &&
      (spec_.lhs_batch_stride != 1 || InKGroups()))
    innermost = rank_ + 1;
  auto is_innermost = [&](const InputCopy::Dim& dim) {
    return dim.source_dim == innermost;
  };
  auto found = std::find_if(copy_->dims.begin(), copy_->dims.end(), is_innermost);
  if (found != copy_->dims.end()) std::rotate(found, found + 1, copy_->dims.end());

  int64_t stride = 1;
  lhs_spatial_.assign(rank_, 0);
  for (size_t i = copy_->dims.size(); i-- > 0;) {
    InputCopy::Dim& dim = copy_->dims[i];
    dim.dest = stride;
    stride *= dim.size;
    if (dim.source_dim == 0)
      lhs_batch_ = dim.dest;
    else if (dim.source_dim == rank_ + 1)
      lhs_feature_ = dim.dest;
    else
      lhs_spatial_[dim.source_dim - 1] = dim.dest;
  }
  copy_->elements = stride;
  lhs_base_ = 0;
}

// Finds the dimensions of a dilated input that are computed by phases.
void ConvPlanner::FindPolyphases() {
  for (auto [i, dim] : llvm::enumerate(spec_.spatial)) {
    polyphase_.push_back(-1);
    if (!IsDilated(dim) || dim.window == 0) continue;
    polyphase_.back() = static_cast<int>(problem_.polyphases.size());
    problem_.polyphases.push_back(MakePolyphase(dim.stride, dim.rhs_dilation,
                                                dim.padding_low, dim.lhs_dilation,
                                                dim.window, dim.output));
    problem_.polyphases.back().output_dim = 1 + static_cast<int>(i);
  }
}

KernelPlan ConvPlanner::Plan(bool in_place) {
  lhs_batch_ = spec_.lhs_batch_stride;
  lhs_feature_ = spec_.lhs_feature_stride;
  FindPolyphases();
  for (auto [i, dim] : llvm::enumerate(spec_.spatial)) {
    lhs_spatial_.push_back(dim.lhs_stride);
    if (polyphase_[i] < 0) lhs_base_ -= dim.padding_low * dim.lhs_stride;
  }
  kind_ = ChooseLanes();
  in_place_ = in_place && ReadsInPlace();
  if (!HasNoInput() && NeedsCopy()) MakeCopy();
  MakeProblem();
  return PlanTiles(problem_, target_, copy_);
}

KernelPlan PlanConv(const ConvSpec& spec, const TargetTraits& target) {
  bool nothing = spec.batch == 0 || spec.output_features == 0;
  for (const ConvSpatialDim& dim : spec.spatial) nothing |= dim.output == 0;
  if (nothing) {
    KernelPlan plan;
    plan.phase_chunks = {0};
    return plan;
  }
  KernelPlan plan = ConvPlanner(spec, target).Plan(/*in_place=*/true);
  if (EndTilesHoldBorderRows(*plan.tiles)) return plan;
  return ConvPlanner(spec, target).Plan(/*in_place=*/false);
}

}  // namespace tenon::compiler
