#include "tenon/compiler/plan/convolution_plan.h"

#include <algorithm>
#include <cstdlib>

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::codegen {
namespace {

// The dimension of the output along which vectors run.
enum class Lanes {
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
  // BordersFit rejects.
  KernelPlan Plan(bool in_place);

 private:
  Lanes ChooseLanes() const;
  bool InKGroups() const;
  bool NeedsCopy() const;
  bool ReadsInPlace() const;
  void MakeCopy();
  void MakeDims();
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
  // Whether there are holes between elements.
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
  Lanes kind_ = Lanes::kFeatures;
  Contraction problem_;
  std::shared_ptr<InputCopy> copy_;
  // Strides of the lhs that the kernel reads, and the offset of its first window.
  int64_t lhs_batch_ = 0, lhs_feature_ = 0, lhs_base_ = 0;
  llvm::SmallVector<int64_t, 3> lhs_spatial_;
  llvm::SmallVector<int, 3> polyphase_;  // of spatial dimensions; -1: no holes
};

Lanes ConvPlanner::ChooseLanes() const {
  // Neighbouring groups must be neighbours in the input, and hooks need lanes one output
  // feature apart.
  bool neighbours = group_input_ == 1 && (spec_.batch_groups == 1 || group_batch_ == 1) &&
                    (group_output_ == 1 || !(spec_.has_store || spec_.has_load_rhs));
  // Of the innermost dimension: the outputs of a tile, and the distances of their windows
  // and results. With channels first, vectors of pixels are better.
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
    return Lanes::kGroups;
  if (spec_.feature_groups > 1 && group_input_ == group_output_ && group_input_ > 1 &&
      2 * group_input_ <= lanes_ && lanes_ % group_input_ == 0 &&
      spec_.lhs_feature_stride == 1 && spec_.rhs_output_stride == 1 &&
      spec_.out_feature_stride == 1 && !spec_.has_load_rhs &&
      !compiler::IsComplex(problem_.accumulate) &&
      problem_.accumulate != ElementType::kPred)
    return Lanes::kGroupBlocks;
  auto used = [&](int64_t size) {
    return double(size) / ((size + lanes_ - 1) / lanes_ * lanes_);
  };
  if (rank_ == 0) return Lanes::kFeatures;
  double features = used(group_output_);
  // Stores across features, and packing the filter if few pixels use it, cost a little;
  // loads of strided input cost a lot. Measured with channels first, 14 to 60 pixels.
  int64_t sums = group_input_, all = group_batch_;
  for (const ConvSpatialDim& dim : spec_.spatial) sums *= dim.window, all *= dim.output;
  if (spec_.out_feature_stride != 1 && group_output_ > 1)
    features *= sums >= 128 && all >= 512 ? 0.9 : 0.8;
  double spatial = used(pixels);
  if (store_step != 1) spatial *= store_step < lanes_ ? 0.8 : 0.5;
  if (step != 1) spatial *= 0.2;
  return spatial > features ? Lanes::kSpatial : Lanes::kFeatures;
}

// Whether the features of a pixel are k-groups, multiplied without conversion. The input
// is then read, or copied, without conversion.
bool ConvPlanner::InKGroups() const {
  int elements = KGroupSize(spec_.lhs_type, spec_.rhs_type, problem_.accumulate, target_);
  return elements > 1 && kind_ == Lanes::kFeatures && group_input_ >= 4 &&
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
    case Lanes::kFeatures:
      // Each input element is broadcast: features far apart cost cache lines.
      return group_input_ >= 8 && spec_.lhs_feature_stride != 1 &&
             group_output_ >= lanes_ && spec_.lhs_batch_stride != 1;
    case Lanes::kGroups:
      return LhsGroupStride() != 1;
    case Lanes::kGroupBlocks:
      return false;
    case Lanes::kSpatial:
      return lhs_spatial_.back() != 1;
  }
  return false;
}

// Whether windows that reach past the ends of the input can be clipped instead of copying
// the input. Windows along lanes cannot, and k-groups are corrected for all rows of a
// tile together.
bool ConvPlanner::ReadsInPlace() const {
  if (kind_ == Lanes::kSpatial ||
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
  auto add = [&](int64_t size, int64_t stride, int site) {
    InputCopy::Dim dim;
    dim.size = dim.limit = size;
    dim.source = stride;
    dim.site = site;
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
  if (kind_ == Lanes::kSpatial) innermost = rank_;
  if (kind_ == Lanes::kGroupBlocks) innermost = rank_ + 1;
  if (kind_ == Lanes::kGroups) innermost = spec_.batch_groups > 1 ? 0 : rank_ + 1;
  if (kind_ == Lanes::kFeatures && group_input_ >= 4 &&
      (spec_.lhs_batch_stride != 1 || InKGroups()))
    innermost = rank_ + 1;
  auto is_innermost = [&](const InputCopy::Dim& dim) { return dim.site == innermost; };
  auto found = std::find_if(copy_->dims.begin(), copy_->dims.end(), is_innermost);
  if (found != copy_->dims.end()) std::rotate(found, found + 1, copy_->dims.end());

  int64_t stride = 1;
  lhs_spatial_.assign(rank_, 0);
  for (size_t i = copy_->dims.size(); i-- > 0;) {
    InputCopy::Dim& dim = copy_->dims[i];
    dim.dest = stride;
    stride *= dim.size;
    if (dim.site == 0)
      lhs_batch_ = dim.dest;
    else if (dim.site == rank_ + 1)
      lhs_feature_ = dim.dest;
    else
      lhs_spatial_[dim.site - 1] = dim.dest;
  }
  copy_->elements = stride;
  lhs_base_ = 0;
}

// Fills the contraction over the input, or its copy, in terms of lhs = a, rhs = b. If
// lanes run along a spatial dimension, the roles are exchanged at the end.
void ConvPlanner::MakeDims() {
  problem_.a_type = copy_ ? copy_->to : spec_.lhs_type;
  problem_.b_type = spec_.rhs_type;
  problem_.b_hook = spec_.has_load_rhs;
  problem_.store_hook = spec_.has_store;
  problem_.a_rank = problem_.b_rank = problem_.c_rank = rank_ + 2;
  problem_.a_in_place = true;
  problem_.a_base = lhs_base_;
  problem_.a_elements = spec_.batch * spec_.input_features;
  for (const ConvSpatialDim& dim : spec_.spatial) problem_.a_elements *= dim.input;

  OutDim group, batch, feature;
  group.size = groups_;
  group.a = LhsGroupStride();
  group.b = group_output_ * spec_.rhs_output_stride;
  group.c = group_output_ * spec_.out_feature_stride;
  group.b_site = {rank_ + 1, group_output_, 0};
  group.c_site = {rank_ + 1, group_output_, 0};
  batch.size = group_batch_;
  batch.a = lhs_batch_;
  batch.c = spec_.out_batch_stride;
  batch.c_site.dim = 0;
  feature.size = group_output_;
  feature.b = spec_.rhs_output_stride;
  feature.c = spec_.out_feature_stride;
  feature.b_site.dim = feature.c_site.dim = rank_ + 1;
  group.zero = group_output_;
  feature.zero = 1;
  llvm::SmallVector<OutDim, 4> spatial, phase_dims;
  llvm::SmallVector<SumDim, 4> sums;
  for (int i = 0; i < rank_; ++i) {
    const ConvSpatialDim& dim = spec_.spatial[i];
    OutDim out;
    out.size = dim.output;
    out.a = dim.stride * lhs_spatial_[i];
    out.c = dim.out_stride;
    out.c_site.dim = 1 + i;
    SumDim sum;
    sum.size = dim.window;
    sum.a = dim.rhs_dilation * lhs_spatial_[i];
    sum.polyphase = polyphase_[i];
    if (sum.polyphase >= 0) {
      Polyphase& phases = problem_.polyphases[sum.polyphase];
      phases.lhs = lhs_spatial_[i];
      OutDim phase = out;
      phase.size = phases.count;
      phase.a = 0;
      phase.polyphase = sum.polyphase;
      phase_dims.push_back(phase);
      out.size = phases.outputs();
      out.a = phases.output_step() * phases.lhs;
      out.c *= phases.count;
      out.c_site.scale = phases.count;
      sum.a = 0;
    }
    spatial.push_back(out);
    sum.b = dim.rhs_stride;
    sum.b_site = {i, 1, 0};
    if (dim.reversal) {
      problem_.b_base += (dim.window - 1) * dim.rhs_stride;
      sum.b = -sum.b;
      sum.b_site = {i, -1, dim.window - 1};
    }
    if (!copy_ && IsPadded(i))
      sum.window = {dim.stride, dim.rhs_dilation, dim.padding_low, dim.input, i};
    sums.push_back(sum);
  }
  SumDim input;
  input.size = group_input_;
  input.a = lhs_feature_;
  input.b = spec_.rhs_input_stride;
  input.b_site.dim = rank_;
  if (kind_ == Lanes::kGroupBlocks) {
    problem_.group = static_cast<int>(group_input_);
    problem_.group_b = input.b;
    input.size = 1;
  }
  sums.push_back(input);

  if (HasNoInput()) {
    sums.resize(1);
    sums[0].size = 0;
    sums[0].window.reset();
  }

  // Dimensions with large strides in the input are outermost, so that the inner loops
  // stay in the cache.
  auto step = [&](const SumDim& dim) {
    if (dim.polyphase >= 0) return std::abs(problem_.polyphases[dim.polyphase].lhs);
    return dim.size == 1 ? 0 : std::abs(dim.a);
  };
  std::stable_sort(sums.begin(), sums.end(),
                   [&](const SumDim& x, const SumDim& y) { return step(x) > step(y); });
  // The outermost dimension is cut into slices: one of many indices is better than few
  // features.
  if (sums.size() > 2 && sums[0].a == lhs_feature_ && sums[0].size < 16 &&
      sums[1].size >= 16)
    std::swap(sums[0], sums[1]);
  problem_.sum.assign(sums.begin(), sums.end());

  auto add = [](llvm::SmallVector<OutDim, 4>& dims, const OutDim& dim) {
    if (dim.size != 1) dims.push_back(dim);
  };
  if (kind_ == Lanes::kSpatial) {
    // a and b exchange their roles: filter elements are broadcast, pixels are vectors.
    problem_.a_is_lhs = false;
    problem_.a_elements = 0;
    std::swap(problem_.a_type, problem_.b_type);
    std::swap(problem_.a_hook, problem_.b_hook);
    std::swap(problem_.a_base, problem_.b_base);
    problem_.a_in_place = false;
    problem_.b_in_place = true;
    auto exchange = [](auto& dim) {
      std::swap(dim.a, dim.b);
      std::swap(dim.a_site, dim.b_site);
    };
    for (OutDim& dim : spatial) exchange(dim);
    for (SumDim& dim : problem_.sum) exchange(dim);
    exchange(group);
    exchange(batch);
    exchange(feature);
    problem_.lane = spatial.pop_back_val();
    problem_.row = feature;
    add(problem_.batch, group);
    add(problem_.batch, batch);
    for (const OutDim& dim : spatial) add(problem_.batch, dim);
    problem_.batch.append(phase_dims.begin(), phase_dims.end());
    return;
  }
  llvm::SmallVector<OutDim, 4> outer;
  if (kind_ == Lanes::kGroupBlocks) {
    problem_.lane = feature;
    problem_.lane.size = spec_.output_features;
    problem_.lane.a = lhs_feature_;
  } else if (kind_ == Lanes::kGroups) {
    problem_.lane = group;
    add(problem_.batch, feature);
  } else {
    problem_.lane = feature;
    add(problem_.batch, group);
  }
  outer.push_back(batch);
  outer.append(spatial.begin(), spatial.end());
  // Rows run along the last dimension, unless it is small and another one is not.
  size_t row = outer.size() - 1;
  for (size_t i = outer.size(); i-- > 0;)
    if (outer[row].size < 8 && outer[i].size > 2 * outer[row].size) row = i;
  problem_.row = outer[row];
  llvm::SmallVector<bool, 4> is_window = PlaceWindows(outer, row);
  outer.erase(outer.begin() + row);
  is_window.erase(is_window.begin() + row);
  // Neighbouring dimensions that are one dimension in input and output are merged for
  // longer rows.
  llvm::SmallVector<OutDim, 4> digits = {problem_.row};
  bool along_rows = problem_.lane.c != 1;
  bool windows = !problem_.polyphases.empty();
  for (const SumDim& dim : problem_.sum) windows |= dim.window.has_value();
  while (!windows && !along_rows && !outer.empty() && row == outer.size() &&
         outer.back().a == problem_.row.a * problem_.row.size &&
         outer.back().c == problem_.row.c * problem_.row.size) {
    digits.insert(digits.begin(), outer.pop_back_val());
    problem_.row.size *= digits.front().size;
    row = outer.size();
  }
  if (digits.size() > 1) {
    problem_.row.c_site = {};
    problem_.row_digits.assign(digits.begin(), digits.end());
    for (OutDim& dim : problem_.row_digits) dim.a = dim.b = dim.c = 0;
  }
  for (size_t i = 0; i < outer.size(); ++i)
    if (outer[i].size > 1 || is_window[i]) problem_.outer.push_back(outer[i]);
  // Each phase has its own taps. If all taps together do not fit the cache, a phase is
  // computed for all pixels before the next phase.
  int64_t taps_bytes = group_input_ * 2 * lanes_ * PartBytes(problem_.accumulate);
  for (const ConvSpatialDim& dim : spec_.spatial) taps_bytes *= dim.window;
  bool first = taps_bytes > target_.l2_bytes / 4;
  problem_.outer.insert(first ? problem_.outer.begin() : problem_.outer.end(),
                        phase_dims.begin(), phase_dims.end());
}

// Converts the windows' spatial dimensions to dimensions of the output: `dims` (batch and
// spatial), of which `row` is the row. Returns which dimensions have a window. Those are
// kept even if they have one index.
llvm::SmallVector<bool, 4> ConvPlanner::PlaceWindows(llvm::ArrayRef<OutDim> dims,
                                                     size_t row) {
  llvm::SmallVector<bool, 4> has_window(dims.size(), false);
  for (const SumDim& sum : problem_.sum)
    if (sum.window) has_window[1 + sum.window->outer] = true;
  for (SumDim& sum : problem_.sum) {
    if (!sum.window) continue;
    size_t at = 1 + sum.window->outer;
    sum.window->outer = -1;
    if (at == row) continue;
    sum.window->outer = 0;
    for (size_t i = 0; i < at; ++i)
      sum.window->outer += i != row && (dims[i].size > 1 || has_window[i]);
  }
  return has_window;
}

// Finds the dimensions whose phases are convolutions without holes.
void ConvPlanner::FindPolyphases() {
  for (auto [i, dim] : llvm::enumerate(spec_.spatial)) {
    polyphase_.push_back(-1);
    if (!IsDilated(dim) || dim.window == 0) continue;
    polyphase_.back() = static_cast<int>(problem_.polyphases.size());
    problem_.polyphases.push_back(MakePolyphase(dim.stride, dim.rhs_dilation,
                                                dim.padding_low, dim.lhs_dilation,
                                                dim.window, dim.output));
    problem_.polyphases.back().site = 1 + static_cast<int>(i);
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
  MakeDims();
  return PlanTiles(problem_, target_, copy_);
}

}  // namespace

KernelPlan PlanConv(const ConvSpec& spec, const TargetTraits& target) {
  bool nothing = spec.batch == 0 || spec.output_features == 0;
  for (const ConvSpatialDim& dim : spec.spatial) nothing |= dim.output == 0;
  if (nothing) {
    KernelPlan plan;
    plan.phase_chunks = {0};
    return plan;
  }
  KernelPlan plan = ConvPlanner(spec, target).Plan(/*in_place=*/true);
  if (BordersFit(*plan.tiles)) return plan;
  return ConvPlanner(spec, target).Plan(/*in_place=*/false);
}

}  // namespace tenon::codegen
