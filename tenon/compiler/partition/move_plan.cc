#include "tenon/compiler/partition/move_plan.h"

#include <algorithm>

#include "tenon/compiler/partition/move_search.h"

namespace tenon::compiler::partition {
namespace {

// The steps that are evident, one at a time.
class EvidentMoves {
 public:
  EvidentMoves(Placement has, const Placement& wants, const MoveCosts& costs)
      : has_(std::move(has)), wants_(wants), costs_(costs) {}

  MovePlan Run() {
    Slice();
    ReducePartial();
    // Every step brings a dimension nearer to its axes.
    while (has_.dims != wants_.dims) {
      Slice();
      if (has_.dims == wants_.dims) break;
      if (AllToAll() || Permute()) continue;
      Gather();
    }
    return std::move(plan_);
  }

 private:
  size_t CommonPrefix(size_t dim) const {
    const Axes &has = has_.dims[dim], &wants = wants_.dims[dim];
    size_t common = 0;
    while (common < has.size() && common < wants.size() && has[common] == wants[common]) {
      ++common;
    }
    return common;
  }
  AxesRef NextOf(size_t dim) const {
    return AxesRef(wants_.dims[dim]).drop_front(has_.dims[dim].size());
  }
  bool IsUsed(Axis axis) const {
    return OverlapsAny(axis, has_.partial) ||
           llvm::any_of(has_.dims,
                        [&](const Axes& axes) { return OverlapsAny(axis, axes); });
  }

  void Add(MoveStep step) {
    step.received = costs_.Received(has_, step);
    plan_.received += step.received;
    has_ = step.after;
    plan_.steps.push_back(std::move(step));
  }

  // Takes the device's part along free axes that dimensions want next.
  void Slice() {
    for (size_t dim = 0; dim < has_.dims.size(); ++dim) {
      if (CommonPrefix(dim) < has_.dims[dim].size()) continue;
      Axes taken;
      for (Axis axis : NextOf(dim)) {
        if (IsUsed(axis)) break;
        taken.push_back(axis);
      }
      if (!taken.empty()) Add(SliceStep(has_, static_cast<int64_t>(dim), taken));
    }
  }

  // Combines partial results, and scatters the result where a dimension wants the axes.
  void ReducePartial() {
    Axes reduced;
    for (Axis axis : has_.partial) {
      if (!llvm::is_contained(wants_.partial, axis)) reduced.push_back(axis);
    }
    for (size_t dim = 0; dim < has_.dims.size(); ++dim) {
      if (CommonPrefix(dim) < has_.dims[dim].size()) continue;
      Axes scattered;
      for (Axis axis : NextOf(dim)) {
        if (!llvm::is_contained(reduced, axis)) break;
        scattered.push_back(axis);
      }
      if (scattered.empty()) continue;
      Add(ReduceScatterStep(has_, static_cast<int64_t>(dim), scattered));
      llvm::erase_if(reduced,
                     [&](Axis axis) { return llvm::is_contained(scattered, axis); });
    }
    if (!reduced.empty()) Add(AllReduceStep(has_, reduced));
  }

  // Moves the minor axes of one dimension to another dimension that wants them next.
  bool AllToAll() {
    for (size_t from = 0; from < has_.dims.size(); ++from) {
      for (size_t first = CommonPrefix(from); first < has_.dims[from].size(); ++first) {
        const AxesRef moved = AxesRef(has_.dims[from]).drop_front(first);
        for (size_t to = 0; to < has_.dims.size(); ++to) {
          if (to == from || CommonPrefix(to) < has_.dims[to].size()) continue;
          if (NextOf(to).take_front(moved.size()) != moved) continue;
          Add(AllToAllStep(has_, static_cast<int64_t>(from), static_cast<int64_t>(to),
                           moved.size()));
          return true;
        }
      }
    }
    return false;
  }

  // Exchanges whole parts, if the parts of both shardings have one size.
  bool Permute() {
    for (auto [has, wants] : llvm::zip_equal(has_.dims, wants_.dims)) {
      if (SizeOf(has) != SizeOf(wants)) return false;
    }
    Add(PermuteStep(has_, wants_.dims));
    return true;
  }

  // Gathers the axes of a dimension after those that it keeps.
  void Gather() {
    for (size_t dim = 0; dim < has_.dims.size(); ++dim) {
      const size_t common = CommonPrefix(dim);
      if (common == has_.dims[dim].size()) continue;
      Add(AllGatherStep(has_, static_cast<int64_t>(dim), has_.dims[dim].size() - common));
      return;
    }
  }

  Placement has_;
  const Placement& wants_;
  const MoveCosts& costs_;
  MovePlan plan_;
};

Axes AllAxes(const Sharding& from, const Sharding& to) {
  Axes all = from.UsedAxes();
  all.append(to.UsedAxes());
  all.append(from.unreduced);
  all.append(to.unreduced);
  return all;
}

// Slices followed by at most one collective: what must be moved is moved once.
bool IsOneCollective(const MovePlan& plan) {
  return NumCollectives(plan) == 0 ||
         (NumCollectives(plan) == 1 && plan.steps.back().kind != MoveKind::kSlice);
}

void AppendKey(std::vector<int64_t>& key, const Sharding& sharding) {
  const auto append = [&](AxesRef axes) {
    for (Axis axis : axes) key.insert(key.end(), {axis.index, axis.pre, axis.size});
    key.push_back(-1);
  };
  for (const DimSharding& dim : sharding.dims) append(dim.axes);
  append(sharding.unreduced);
}

}  // namespace

int64_t NumCollectives(const MovePlan& plan) {
  return llvm::count_if(
      plan.steps, [](const MoveStep& step) { return step.kind != MoveKind::kSlice; });
}

Placement PlacementOf(const Sharding& sharding, AxesRef others) {
  Placement placement;
  for (const DimSharding& dim : sharding.dims) {
    placement.dims.push_back(SplitAt(dim.axes, others));
  }
  placement.partial = SplitAt(sharding.unreduced, others);
  return placement;
}

const MovePlan& MovePlanner::Plan(const Sharding& from, const Sharding& to,
                                  llvm::ArrayRef<int64_t> shape, int64_t element_bytes) {
  std::vector<int64_t> key(shape.begin(), shape.end());
  key.push_back(element_bytes);
  AppendKey(key, from);
  AppendKey(key, to);
  auto [entry, is_new] = plans_.try_emplace(std::move(key));
  MovePlan& plan = entry->second;
  if (!is_new) return plan;
  Axes all = AllAxes(from, to);
  const MoveCosts costs(*this, shape, element_bytes);
  const Placement wants = PlacementOf(to, all);
  plan = EvidentMoves(PlacementOf(from, all), wants, costs).Run();
  if (!IsOneCollective(plan)) SearchMoves(from, to, all, costs, plan);
  return plan;
}

double MovePlanner::MovedShare(const Placement& has, const Placement& wants) const {
  const int64_t devices = mesh_.num_devices();
  // Counting takes longer than it helps; nearly all parts of many devices move.
  constexpr int64_t kMaxCounted = 256;
  if (devices > kMaxCounted) return 1;
  const auto shard = [&](AxesRef axes, int64_t position) {
    int64_t number = 0;
    for (Axis axis : axes) number = number * axis.size + mesh_.Coordinate(position, axis);
    return number;
  };
  int64_t moved = 0;
  for (int64_t position = 0; position < devices; ++position) {
    for (auto [a, b] : llvm::zip_equal(has.dims, wants.dims)) {
      if (shard(a, position) == shard(b, position)) continue;
      ++moved;
      break;
    }
  }
  return static_cast<double>(moved) / static_cast<double>(devices);
}

}  // namespace tenon::compiler::partition
