#include "tenon/compiler/partition/projection.h"

#include <numeric>

namespace tenon::compiler::partition {
namespace {

// The axes of a dimension that no factor has taken yet.
class RemainingAxes {
 public:
  explicit RemainingAxes(AxesRef axes) : axes_(axes) {
    if (!axes_.empty()) first_ = axes_.front();
  }

  bool empty() const { return axes_.empty(); }
  int64_t first_size() const { return first_.size; }

  // Takes the major part of `size` of the first axis.
  Axis Take(int64_t size) {
    Axis part = first_;
    part.size = static_cast<int32_t>(size);
    if (size < first_.size) {
      first_.pre = static_cast<int32_t>(first_.pre * size);
      first_.size = static_cast<int32_t>(first_.size / size);
    } else {
      axes_ = axes_.drop_front();
      if (!axes_.empty()) first_ = axes_.front();
    }
    return part;
  }

  void TakeAll(Axes& to) {
    while (!empty()) AppendAxis(to, Take(first_.size));
  }

 private:
  AxesRef axes_;
  Axis first_;
};

void ProjectDim(const DimFactors& dim, llvm::ArrayRef<Factor> sizes, AxesRef axes,
                bool closed, TensorFactors& result) {
  RemainingAxes rest(axes);
  bool overflown = false;
  for (int32_t number : dim) {
    FactorSharding& factor = result.factors[number];
    factor.present = true;
    factor.minor_most = number == dim.back();
    if (overflown) {
      factor.closed = true;
      return;
    }
    factor.closed = closed;
    // The last factor may be split unevenly.
    if (factor.minor_most) return rest.TakeAll(factor.axes);
    int64_t size = sizes[number].size;
    while (!rest.empty()) {
      int64_t common = std::gcd(size, rest.first_size());
      if (common == 1) break;
      factor.axes.push_back(rest.Take(common));
      size /= common;
    }
    if (size > 1 && !rest.empty()) {
      overflown = true;
      rest.TakeAll(factor.overflow);
    }
  }
}

}  // namespace

bool TensorFactors::Expand(int32_t factor, AxesRef axes) {
  FactorSharding& sharding = factors[factor];
  if (!sharding.present || !IsStrictPrefix(sharding.axes, axes)) return false;
  sharding.axes.assign(axes.begin(), axes.end());
  return true;
}

TensorFactors ProjectToFactors(const Mapping& mapping, llvm::ArrayRef<Factor> factors,
                               const Sharding* sharding) {
  TensorFactors result;
  result.factors.resize(factors.size());
  for (size_t dim = 0; dim < mapping.size(); ++dim) {
    if (sharding) {
      ProjectDim(mapping[dim], factors, sharding->dims[dim].axes,
                 !sharding->dims[dim].open, result);
    } else {
      ProjectDim(mapping[dim], factors, {}, /*closed=*/false, result);
    }
  }
  if (sharding) {
    result.replicated = sharding->replicated;
    result.unreduced = sharding->unreduced;
  }
  return result;
}

Sharding ProjectToDims(const TensorFactors& tensor, const Mapping& mapping,
                       llvm::ArrayRef<Factor> factors, const Sharding* old,
                       int32_t mesh) {
  Sharding result;
  result.mesh = mesh;
  for (const DimFactors& dim : mapping) {
    DimSharding& sharding = result.dims.emplace_back();
    sharding.open = true;
    for (int32_t number : dim) {
      const FactorSharding& factor = tensor.factors[number];
      if (factor.closed) sharding.open = false;
      AppendAxes(sharding.axes, factor.axes);
      if (!factor.overflow.empty()) {
        AppendAxes(sharding.axes, factor.overflow);
        break;
      }
      if (SizeOf(factor.axes) < factors[number].size) break;
    }
  }
  if (old) {
    result.replicated = old->replicated;
    result.unreduced = old->unreduced;
    result.reduction = old->reduction;
  }
  return result;
}

}  // namespace tenon::compiler::partition
