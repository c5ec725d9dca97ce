#include "tenon/compiler/partition/move_search.h"

#include <queue>
#include <set>

namespace tenon::compiler::partition {
namespace {

// The search visits arrangements of axes, whose number grows as a factorial. A step of a
// program on eight devices has three axes of prime size.
constexpr size_t kMaxAxes = 5;
constexpr size_t kMaxVisited = 4096;

// Cuts an axis into axes of prime size.
void AppendPrimes(Axes& primes, Axis axis) {
  int32_t pre = axis.pre;
  for (int32_t rest = axis.size, prime = 2; rest > 1;) {
    if (prime * prime > rest) prime = rest;
    if (rest % prime == 0) {
      primes.push_back({axis.index, pre, prime});
      pre *= prime;
      rest /= prime;
    } else {
      ++prime;
    }
  }
}

Axes Primes(AxesRef axes) {
  Axes primes;
  for (Axis axis : axes) AppendPrimes(primes, axis);
  return primes;
}

// Every axis once.
Axes Unique(AxesRef axes) {
  std::set<Axis> unique(axes.begin(), axes.end());
  return Axes(unique.begin(), unique.end());
}

using Key = std::vector<Axis>;

// Axes of size 0 end the dimensions.
Key KeyOf(const Placement& placement) {
  Key key;
  for (const Axes& axes : placement.dims) {
    key.insert(key.end(), axes.begin(), axes.end());
    key.push_back({0, 0, 0});
  }
  key.insert(key.end(), placement.partial.begin(), placement.partial.end());
  return key;
}

// A shortest path from one placement to another (Dijkstra).
class Search {
 public:
  Search(Placement from, Placement to, Axes axes, const MoveCosts& costs)
      : from_(std::move(from)),
        to_(std::move(to)),
        axes_(std::move(axes)),
        costs_(costs) {
    kept_ = to_.partial;
    to_.partial.clear();
    for (Axis axis : from_.partial) {
      if (llvm::is_contained(kept_, axis)) to_.partial.push_back(axis);
    }
  }

  // Replaces `plan` if a path costs less.
  void Run(MovePlan& plan) {
    // A small price per step decides between paths of equal bytes.
    constexpr double kStep = 1e-3;
    limit_ = plan.received + kStep * static_cast<double>(plan.steps.size()) - kStep / 2;
    Reach(from_, {}, 0, kNone);
    while (!queue_.empty()) {
      const auto [cost, number] = queue_.top();
      queue_.pop();
      if (nodes_[number].done) continue;
      nodes_[number].done = true;
      if (nodes_[number].placement == to_) return Save(number, plan);
      if (nodes_.size() > kMaxVisited) return;
      current_ = number;
      current_cost_ = cost + kStep;
      Expand(Placement(nodes_[number].placement));
    }
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  struct Node {
    Placement placement;
    MoveStep step;  // that led here
    size_t before;
    double cost;
    bool done = false;
  };

  void Reach(const Placement& placement, MoveStep step, double cost, size_t before) {
    if (cost >= limit_ || !costs_.Divides(placement)) return;
    auto [known, is_new] = numbers_.try_emplace(KeyOf(placement), nodes_.size());
    if (is_new) {
      nodes_.push_back({placement, std::move(step), before, cost});
    } else {
      Node& node = nodes_[known->second];
      if (node.done || node.cost <= cost) return;
      node.step = std::move(step);
      node.before = before;
      node.cost = cost;
    }
    queue_.emplace(cost, known->second);
  }

  void Try(const Placement& before, MoveStep step) {
    step.received = costs_.Received(before, step);
    const Placement after = step.after;
    const double cost = current_cost_ + step.received;
    Reach(after, std::move(step), cost, current_);
  }

  void Expand(const Placement& has) {
    const auto rank = static_cast<int64_t>(has.dims.size());
    Axes free;
    for (Axis axis : axes_) {
      const auto uses = [&](const Axes& axes) { return llvm::is_contained(axes, axis); };
      if (!uses(has.partial) && llvm::none_of(has.dims, uses)) free.push_back(axis);
    }
    Axes reduced;
    for (Axis axis : has.partial) {
      if (!llvm::is_contained(kept_, axis)) reduced.push_back(axis);
    }
    if (!reduced.empty()) Try(has, AllReduceStep(has, reduced));
    for (int64_t dim = 0; dim < rank; ++dim) {
      for (Axis axis : free) Try(has, SliceStep(has, dim, axis));
      Axes scattered;
      ExpandScatters(has, dim, reduced, scattered);
      for (size_t count = 1; count <= has.dims[dim].size(); ++count) {
        Try(has, AllGatherStep(has, dim, count));
        for (int64_t to = 0; to < rank; ++to) {
          if (to != dim) Try(has, AllToAllStep(has, dim, to, count));
        }
      }
    }
    llvm::SmallVector<Axes, 4> dims(rank);
    Axes movable = free;
    for (const Axes& axes : has.dims) movable.append(axes);
    ExpandPermutes(has, movable, 0, dims);
  }

  // Scatters along every sequence of partial axes.
  void ExpandScatters(const Placement& has, int64_t dim, const Axes& reduced,
                      Axes& scattered) {
    for (Axis axis : reduced) {
      if (llvm::is_contained(scattered, axis)) continue;
      scattered.push_back(axis);
      Try(has, ReduceScatterStep(has, dim, scattered));
      ExpandScatters(has, dim, reduced, scattered);
      scattered.pop_back();
    }
  }

  // Every arrangement in which dimensions keep their numbers of shards.
  void ExpandPermutes(const Placement& has, const Axes& movable, size_t dim,
                      llvm::SmallVector<Axes, 4>& dims) {
    if (dim == dims.size()) {
      if (dims != has.dims) Try(has, PermuteStep(has, dims));
      return;
    }
    if (SizeOf(dims[dim]) == SizeOf(has.dims[dim])) {
      return ExpandPermutes(has, movable, dim + 1, dims);
    }
    for (Axis axis : movable) {
      const auto uses = [&](const Axes& axes) { return llvm::is_contained(axes, axis); };
      if (llvm::any_of(dims, uses)) continue;
      if (SizeOf(has.dims[dim]) % (SizeOf(dims[dim]) * axis.size) != 0) continue;
      dims[dim].push_back(axis);
      ExpandPermutes(has, movable, dim, dims);
      dims[dim].pop_back();
    }
  }

  void Save(size_t number, MovePlan& plan) {
    plan = {};
    for (size_t at = number; nodes_[at].before != kNone; at = nodes_[at].before) {
      plan.received += nodes_[at].step.received;
      plan.steps.push_back(nodes_[at].step);
    }
    std::reverse(plan.steps.begin(), plan.steps.end());
  }

  Placement from_, to_;
  Axes axes_, kept_;
  const MoveCosts& costs_;
  double limit_ = 0, current_cost_ = 0;
  size_t current_ = 0;
  std::vector<Node> nodes_;
  std::map<Key, size_t> numbers_;
  using Entry = std::pair<double, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

double MoveCosts::Received(const Placement& before, const MoveStep& step) const {
  double part = bytes_;
  for (const Axes& axes : before.dims) part /= static_cast<double>(SizeOf(axes));
  const auto count = static_cast<double>(SizeOf(step.axes));
  switch (step.kind) {
    case MoveKind::kSlice:
      return 0;
    case MoveKind::kAllReduce:
      return 2 * part * (count - 1) / count;
    case MoveKind::kReduceScatter:
    case MoveKind::kAllToAll:
      return part * (count - 1) / count;
    case MoveKind::kPermute:
      return part * planner_.MovedShare(before, step.after);
    case MoveKind::kAllGather:
      return part * (count - 1);
  }
  return 0;
}

bool MoveCosts::Divides(const Placement& placement) const {
  for (auto [axes, size] : llvm::zip_equal(placement.dims, shape_)) {
    if (size % SizeOf(axes) != 0) return false;
  }
  return true;
}

MoveStep SliceStep(const Placement& has, int64_t dim, AxesRef axes) {
  MoveStep step{MoveKind::kSlice, dim, -1, Axes(axes), has};
  step.after.dims[dim].append(axes.begin(), axes.end());
  return step;
}

MoveStep ReduceScatterStep(const Placement& has, int64_t dim, AxesRef axes) {
  MoveStep step = SliceStep(has, dim, axes);
  step.kind = MoveKind::kReduceScatter;
  llvm::erase_if(step.after.partial,
                 [&](Axis axis) { return llvm::is_contained(axes, axis); });
  return step;
}

MoveStep AllReduceStep(const Placement& has, AxesRef axes) {
  MoveStep step{MoveKind::kAllReduce, -1, -1, Axes(axes), has};
  llvm::erase_if(step.after.partial,
                 [&](Axis axis) { return llvm::is_contained(axes, axis); });
  return step;
}

MoveStep AllToAllStep(const Placement& has, int64_t from, int64_t to, size_t count) {
  MoveStep step = AllGatherStep(has, from, count);
  step.kind = MoveKind::kAllToAll;
  step.to_dim = to;
  step.after.dims[to].append(step.axes);
  return step;
}

MoveStep PermuteStep(const Placement& has, llvm::ArrayRef<Axes> dims) {
  MoveStep step{MoveKind::kPermute, -1, -1, {}, has};
  step.after.dims.assign(dims.begin(), dims.end());
  return step;
}

MoveStep AllGatherStep(const Placement& has, int64_t dim, size_t count) {
  const Axes& axes = has.dims[dim];
  MoveStep step{MoveKind::kAllGather, dim, -1, Axes(AxesRef(axes).take_back(count)), has};
  step.after.dims[dim].truncate(axes.size() - count);
  return step;
}

void SearchMoves(const Sharding& from, const Sharding& to, AxesRef all,
                 const MoveCosts& costs, MovePlan& plan) {
  Placement start = PlacementOf(from, all), end = PlacementOf(to, all);
  Axes axes = Unique(SplitAt(all, all));
  // Axes that overlap partly have no common parts.
  for (Axis a : axes) {
    for (Axis b : axes) {
      if (a != b && Overlaps(a, b)) return;
    }
  }
  if (Axes primes = Primes(axes); primes.size() <= kMaxAxes) {
    axes = primes;
    for (Placement* placement : {&start, &end}) {
      for (Axes& dim : placement->dims) dim = Primes(dim);
      placement->partial = Primes(placement->partial);
    }
  }
  if (axes.size() <= kMaxAxes) Search(start, end, axes, costs).Run(plan);
}

}  // namespace tenon::compiler::partition
