// Turns a convolution into a contraction: its dimensions, and which of them are lanes,
// rows and k.
#include <cstdlib>

#include "tenon/compiler/plan/convolution_planner.h"

namespace tenon::compiler {
namespace {

void AddDim(llvm::SmallVectorImpl<OutDim>& dims, const OutDim& dim) {
  if (dim.size != 1) dims.push_back(dim);
}

// Exchanges the roles of a and b.
template <typename Dim>
void ExchangeOperands(Dim& dim) {
  std::swap(dim.a, dim.b);
  std::swap(dim.a_index, dim.b_index);
}

}  // namespace

// The operands in terms of lhs = a, rhs = b.
void ConvPlanner::SetOperands() {
  problem_.a_type = copy_ ? copy_->to : spec_.lhs_type;
  problem_.b_type = spec_.rhs_type;
  problem_.b_hook = spec_.has_load_rhs;
  problem_.store_hook = spec_.has_store;
  problem_.a_rank = problem_.b_rank = problem_.c_rank = rank_ + 2;
  problem_.a_in_place = true;
  problem_.a_base = lhs_base_;
  problem_.a_elements = spec_.batch * spec_.input_features;
  for (const ConvSpatialDim& dim : spec_.spatial) problem_.a_elements *= dim.input;
}

// Adds spatial dimension `i` of the output and its taps.
void ConvPlanner::AddSpatialDim(int i, Dims& dims, llvm::SmallVectorImpl<KDim>& k_dims) {
  const ConvSpatialDim& dim = spec_.spatial[i];
  OutDim out;
  out.size = dim.output;
  out.a = dim.stride * lhs_spatial_[i];
  out.c = dim.out_stride;
  out.c_index.dim = 1 + i;
  KDim k_dim;
  k_dim.size = dim.window;
  k_dim.a = dim.rhs_dilation * lhs_spatial_[i];
  k_dim.polyphase = polyphase_[i];
  if (k_dim.polyphase >= 0) {
    Polyphase& phases = problem_.polyphases[k_dim.polyphase];
    phases.lhs = lhs_spatial_[i];
    OutDim phase = out;
    phase.size = phases.count;
    phase.a = 0;
    phase.polyphase = k_dim.polyphase;
    dims.phases.push_back(phase);
    out.size = phases.outputs();
    out.a = phases.output_step() * phases.lhs;
    out.c *= phases.count;
    out.c_index.scale = phases.count;
    k_dim.a = 0;
  }
  dims.spatial.push_back(out);
  k_dim.b = dim.rhs_stride;
  k_dim.b_index = {i, 1, 0};
  if (dim.reversal) {
    problem_.b_base += (dim.window - 1) * dim.rhs_stride;
    k_dim.b = -k_dim.b;
    k_dim.b_index = {i, -1, dim.window - 1};
  }
  if (!copy_ && IsPadded(i))
    k_dim.window = {dim.stride, dim.rhs_dilation, dim.padding_low, dim.input, i};
  k_dims.push_back(k_dim);
}

// The dimensions of the output, and of k: the taps, then the input features.
ConvPlanner::Dims ConvPlanner::MakeDims(llvm::SmallVectorImpl<KDim>& k_dims) {
  Dims dims;
  dims.group.size = groups_;
  dims.group.a = LhsGroupStride();
  dims.group.b = group_output_ * spec_.rhs_output_stride;
  dims.group.c = group_output_ * spec_.out_feature_stride;
  dims.group.b_index = {rank_ + 1, group_output_, 0};
  dims.group.c_index = {rank_ + 1, group_output_, 0};
  dims.batch.size = group_batch_;
  dims.batch.a = lhs_batch_;
  dims.batch.c = spec_.out_batch_stride;
  dims.batch.c_index.dim = 0;
  dims.feature.size = group_output_;
  dims.feature.b = spec_.rhs_output_stride;
  dims.feature.c = spec_.out_feature_stride;
  dims.feature.b_index.dim = dims.feature.c_index.dim = rank_ + 1;
  dims.group.zero = group_output_;
  dims.feature.zero = 1;
  for (int i = 0; i < rank_; ++i) AddSpatialDim(i, dims, k_dims);
  KDim input;
  input.size = group_input_;
  input.a = lhs_feature_;
  input.b = spec_.rhs_input_stride;
  input.b_index.dim = rank_;
  if (kind_ == ConvLanes::kGroupBlocks) {
    problem_.group = static_cast<int>(group_input_);
    problem_.group_b = input.b;
    input.size = 1;
  }
  k_dims.push_back(input);
  if (HasNoInput()) {
    k_dims.resize(1);
    k_dims[0].size = 0;
    k_dims[0].window.reset();
  }
  return dims;
}

void ConvPlanner::OrderKDims(llvm::SmallVectorImpl<KDim>& k_dims) {
  // Dimensions with large strides in the input are outermost, so that the inner loops
  // stay in the cache.
  auto step = [&](const KDim& dim) {
    if (dim.polyphase >= 0) return std::abs(problem_.polyphases[dim.polyphase].lhs);
    return dim.size == 1 ? 0 : std::abs(dim.a);
  };
  std::stable_sort(k_dims.begin(), k_dims.end(),
                   [&](const KDim& x, const KDim& y) { return step(x) > step(y); });
  // The outermost dimension is cut into slices: one of many indices is better than few
  // features.
  if (k_dims.size() > 2 && k_dims[0].a == lhs_feature_ && k_dims[0].size < 16 &&
      k_dims[1].size >= 16)
    std::swap(k_dims[0], k_dims[1]);
}

// Lanes run along the innermost spatial dimension. a and b exchange their roles: filter
// elements are broadcast, pixels are vectors.
void ConvPlanner::PlaceSpatialLanes(Dims dims) {
  problem_.a_is_lhs = false;
  problem_.a_elements = 0;
  std::swap(problem_.a_type, problem_.b_type);
  std::swap(problem_.a_hook, problem_.b_hook);
  std::swap(problem_.a_base, problem_.b_base);
  problem_.a_in_place = false;
  problem_.b_in_place = true;
  for (OutDim& dim : dims.spatial) ExchangeOperands(dim);
  for (KDim& dim : problem_.k_dims) ExchangeOperands(dim);
  ExchangeOperands(dims.group);
  ExchangeOperands(dims.batch);
  ExchangeOperands(dims.feature);
  problem_.lane = dims.spatial.pop_back_val();
  problem_.row = dims.feature;
  AddDim(problem_.batch, dims.group);
  AddDim(problem_.batch, dims.batch);
  for (const OutDim& dim : dims.spatial) AddDim(problem_.batch, dim);
  problem_.batch.append(dims.phases.begin(), dims.phases.end());
}

// Makes rows longer: merges the dimensions just outside of them, if they are one
// dimension in input and output. `row` is the index that the row
// dimension had before it was removed from `outer`.
void ConvPlanner::MergeRows(llvm::SmallVectorImpl<OutDim>& outer, size_t row) {
  llvm::SmallVector<OutDim, 4> digits = {problem_.row};
  bool along_rows = problem_.lane.c != 1;
  bool windows = !problem_.polyphases.empty();
  for (const KDim& dim : problem_.k_dims) windows |= dim.window.has_value();
  while (!windows && !along_rows && !outer.empty() && row == outer.size() &&
         outer.back().a == problem_.row.a * problem_.row.size &&
         outer.back().c == problem_.row.c * problem_.row.size) {
    digits.insert(digits.begin(), outer.pop_back_val());
    problem_.row.size *= digits.front().size;
    row = outer.size();
  }
  if (digits.size() > 1) {
    problem_.row.c_index = {};
    problem_.row_digits.assign(digits.begin(), digits.end());
    for (OutDim& dim : problem_.row_digits) dim.a = dim.b = dim.c = 0;
  }
}

// Lanes run along features or groups, rows along the batch or a spatial dimension.
void ConvPlanner::PlaceFeatureLanes(const Dims& dims) {
  if (kind_ == ConvLanes::kGroupBlocks) {
    problem_.lane = dims.feature;
    problem_.lane.size = spec_.output_features;
    problem_.lane.a = lhs_feature_;
  } else if (kind_ == ConvLanes::kGroups) {
    problem_.lane = dims.group;
    AddDim(problem_.batch, dims.feature);
  } else {
    problem_.lane = dims.feature;
    AddDim(problem_.batch, dims.group);
  }
  llvm::SmallVector<OutDim, 4> outer = {dims.batch};
  outer.append(dims.spatial.begin(), dims.spatial.end());
  // Rows run along the last dimension, unless it is small and another one is not.
  size_t row = outer.size() - 1;
  for (size_t i = outer.size(); i-- > 0;)
    if (outer[row].size < 8 && outer[i].size > 2 * outer[row].size) row = i;
  problem_.row = outer[row];
  llvm::SmallVector<bool, 4> is_window = PlaceWindows(outer, row);
  outer.erase(outer.begin() + row);
  is_window.erase(is_window.begin() + row);
  MergeRows(outer, row);
  for (size_t i = 0; i < outer.size(); ++i)
    if (outer[i].size > 1 || is_window[i]) problem_.outer.push_back(outer[i]);
  // Each phase has its own taps. If all taps together do not fit the cache, a phase is
  // computed for all pixels before the next phase.
  int64_t taps_bytes = group_input_ * 2 * lanes_ * PartBytes(problem_.accumulate);
  for (const ConvSpatialDim& dim : spec_.spatial) taps_bytes *= dim.window;
  bool first = taps_bytes > target_.l2_bytes / 4;
  problem_.outer.insert(first ? problem_.outer.begin() : problem_.outer.end(),
                        dims.phases.begin(), dims.phases.end());
}

// Converts the windows' spatial dimensions to dimensions of the output: `dims` (batch and
// spatial), of which `row` is the row. Returns which dimensions have a window. Those are
// kept even if they have one index.
llvm::SmallVector<bool, 4> ConvPlanner::PlaceWindows(llvm::ArrayRef<OutDim> dims,
                                                     size_t row) {
  llvm::SmallVector<bool, 4> has_window(dims.size(), false);
  for (const KDim& k_dim : problem_.k_dims)
    if (k_dim.window) has_window[1 + k_dim.window->outer] = true;
  for (KDim& k_dim : problem_.k_dims) {
    if (!k_dim.window) continue;
    size_t dim = 1 + k_dim.window->outer;
    k_dim.window->outer = -1;
    if (dim == row) continue;
    k_dim.window->outer = 0;
    for (size_t i = 0; i < dim; ++i)
      k_dim.window->outer += i != row && (dims[i].size > 1 || has_window[i]);
  }
  return has_window;
}

// Fills the contraction over the input, or its copy.
void ConvPlanner::MakeProblem() {
  SetOperands();
  llvm::SmallVector<KDim, 4> k_dims;
  Dims dims = MakeDims(k_dims);
  OrderKDims(k_dims);
  problem_.k_dims.assign(k_dims.begin(), k_dims.end());
  if (kind_ == ConvLanes::kSpatial)
    PlaceSpatialLanes(std::move(dims));
  else
    PlaceFeatureLanes(dims);
}

}  // namespace tenon::compiler
