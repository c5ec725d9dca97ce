#include "tenon/compiler/partition/factor_propagation.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler::partition {
namespace {

// The axes that shardings of one factor have in common. As long as no two contradict each
// other, the longest list wins.
class CommonAxes {
 public:
  // With `may_extend` false, `axes` can only end the list where it contradicts them.
  void Add(AxesRef axes, bool may_extend) {
    bool extend = may_extend && !contradicted_;
    for (size_t i = 0; i < axes_.size() && i < axes.size(); ++i) {
      Axis old = axes_[i], added = axes[i];
      if (old == added) continue;
      bool old_ends = i + 1 == axes_.size(), added_ends = i + 1 == axes.size();
      if (IsPrefix(added, old)) {
        if (!added_ends) return Cut(i, added);
      } else if (IsPrefix(old, added)) {
        if (!extend || !old_ends) return Cut(i, old);
        axes_[i] = added;
      } else {
        axes_.truncate(i);
        contradicted_ = true;
        return;
      }
    }
    if (!extend) {
      contradicted_ = true;
    } else if (axes.size() > axes_.size()) {
      axes_.append(axes.begin() + static_cast<int64_t>(axes_.size()), axes.end());
    }
  }

  Axes Take() { return std::move(axes_); }

 private:
  // Ends the list with `last` at position `i`.
  void Cut(size_t i, Axis last) {
    axes_[i] = last;
    axes_.truncate(i + 1);
    contradicted_ = true;
  }

  Axes axes_;
  bool contradicted_ = false;
};

Axes FindCommonAxes(OpShardings& op, int32_t factor, Direction direction) {
  if (direction == Direction::kNone) return {};
  CommonAxes common;
  auto add = [&](llvm::ArrayRef<TensorFactors> tensors, bool may_extend) {
    for (const TensorFactors& tensor : tensors) {
      const FactorSharding& sharding = tensor.factors[factor];
      if (sharding.present) common.Add(sharding.axes, may_extend);
    }
  };
  if (direction == Direction::kBackward) {
    add(op.results(), true);
    add(op.operands(), false);
  } else {
    add(op.operands(), true);
    add(op.results(), direction == Direction::kBoth);
  }
  return common.Take();
}

// The major part of `axis` that does not overlap axes of other factors of the tensor.
std::optional<Axis> WithoutOtherFactors(Axis axis, const TensorFactors& tensor,
                                        int32_t factor) {
  std::optional<Axis> result = axis;
  for (auto [number, sharding] : llvm::enumerate(tensor.factors)) {
    if (static_cast<int32_t>(number) == factor || !sharding.present) continue;
    result = PrefixWithoutOverlap(*result, sharding.overflow);
    if (result) result = PrefixWithoutOverlap(*result, sharding.axes);
    if (!result) return std::nullopt;
  }
  return result;
}

// The major part of `axis` by which the factor can be split, if more major axes make
// `shards` parts of it.
std::optional<Axis> WithinFactor(Axis axis, const TensorFactors& tensor, int32_t factor,
                                 int64_t shards, int64_t factor_size) {
  const FactorSharding& sharding = tensor.factors[factor];
  std::optional<Axis> result = PrefixWithoutOverlap(axis, tensor.replicated);
  if (result) result = PrefixWithoutOverlap(*result, tensor.unreduced);
  if (!result) return std::nullopt;
  if (llvm::any_of(sharding.axes, [&](Axis own) { return Contains(own, *result); })) {
    return result;
  }
  if (!sharding.closed && sharding.overflow.empty()) {
    if (sharding.minor_most) return result;
    if (factor_size % shards == 0) {
      auto common =
          static_cast<int32_t>(std::gcd(factor_size / shards, int64_t{result->size}));
      if (common > 1) return Axis{result->index, result->pre, common};
    }
  }
  // The factor cannot be split further, but what it has may be a part of the axis.
  if (!sharding.axes.empty() && IsPrefix(sharding.axes.back(), *result)) {
    return sharding.axes.back();
  }
  return std::nullopt;
}

// Cuts the list after the first axis of which `allowed` gives less than all.
void Truncate(Axes& axes,
              llvm::function_ref<std::optional<Axis>(Axis, int64_t)> allowed) {
  int64_t shards = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<Axis> axis = allowed(axes[i], shards);
    if (!axis) return axes.truncate(i);
    if (*axis != axes[i]) {
      axes[i] = *axis;
      return axes.truncate(i + 1);
    }
    shards *= axis->size;
  }
}

// The axes that the factor of this tensor can have; empty if it has them already.
Axes AxesForTensor(const TensorFactors& tensor, int32_t factor, AxesRef common,
                   int64_t factor_size) {
  const FactorSharding& sharding = tensor.factors[factor];
  if (!sharding.present || common.empty()) return {};
  Axes axes(common.begin(), common.end());
  Truncate(axes, [&](Axis axis, int64_t shards) {
    return WithinFactor(axis, tensor, factor, shards, factor_size);
  });
  if (!IsStrictPrefix(sharding.axes, axes)) return {};
  Truncate(axes,
           [&](Axis axis, int64_t) { return WithoutOtherFactors(axis, tensor, factor); });
  return axes;
}

// The largest tensor from which a factor's axes come.
struct Source {
  int64_t index = -1;
  int64_t size = -1;
};

llvm::SmallVector<Source, 4> FindSources(const OpShardings& op,
                                         llvm::ArrayRef<Factor> factors,
                                         llvm::ArrayRef<Axes> axes) {
  llvm::SmallVector<Source, 4> sources(factors.size());
  for (auto [index, tensor] : llvm::enumerate(op.tensors)) {
    int64_t size = 1;
    for (auto [factor, sharding] : llvm::zip_equal(factors, tensor.factors)) {
      if (sharding.present) size *= factor.size;
    }
    for (size_t i = 0; i < factors.size(); ++i) {
      if (tensor.factors[i].present && !axes[i].empty() && size > sources[i].size &&
          PrefixOf(axes[i], tensor.factors[i].axes) != PrefixStatus::kNotAPrefix) {
        sources[i] = {static_cast<int64_t>(index), size};
      }
    }
  }
  return sources;
}

// Factors in the order in which they may take axes.
llvm::SmallVector<int32_t, 4> FactorOrder(const OpShardings& op,
                                          llvm::ArrayRef<Factor> factors,
                                          llvm::ArrayRef<Axes> axes,
                                          bool is_elementwise) {
  llvm::SmallVector<Source, 4> sources = FindSources(op, factors, axes);
  auto order = llvm::to_vector<4>(llvm::seq<int32_t>(0, factors.size()));
  auto key = [&](int32_t i) {
    int64_t shards = is_elementwise ? SizeOf(axes[i]) : 0;
    return std::tuple(-sources[i].size, -shards, sources[i].index, i);
  };
  llvm::sort(order, [&](int32_t i, int32_t j) { return key(i) < key(j); });
  return order;
}

}  // namespace

llvm::SmallVector<bool, 4> PropagateFactors(
    OpShardings& op, llvm::ArrayRef<Factor> factors,
    llvm::function_ref<Direction(int32_t)> direction, bool is_elementwise) {
  llvm::SmallVector<bool, 4> changed(op.tensors.size(), false);
  llvm::SmallVector<Axes, 4> common;
  for (auto [number, factor] : llvm::enumerate(factors)) {
    auto i = static_cast<int32_t>(number);
    common.push_back(
        FindCommonAxes(op, i, factor.blocked ? Direction::kNone : direction(i)));
  }
  if (llvm::all_of(common, [](const Axes& axes) { return axes.empty(); })) return changed;
  auto order = FactorOrder(op, factors, common, is_elementwise);
  auto update = [&](size_t index) {
    TensorFactors& tensor = op.tensors[index];
    bool is_operand = index < op.num_operands;
    for (int32_t factor : order) {
      Axes axes = AxesForTensor(tensor, factor, common[factor], factors[factor].size);
      if (axes.empty()) continue;
      // An operand gets no more than the result got, which may be closed.
      if (is_operand && is_elementwise) {
        for (const TensorFactors& result : op.results()) {
          const FactorSharding& sharding = result.factors[factor];
          if (sharding.present && IsStrictPrefix(sharding.axes, axes)) {
            axes = sharding.axes;
          }
        }
      }
      changed[index] |= tensor.Expand(factor, axes);
    }
  };
  for (size_t i = op.num_operands; i < op.tensors.size(); ++i) update(i);
  for (size_t i = 0; i < op.num_operands; ++i) update(i);
  return changed;
}

}  // namespace tenon::compiler::partition
