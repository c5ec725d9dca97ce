#include "tenon/compiler/partition/axes.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler::partition {

bool Contains(Axis a, Axis b) {
  return a.index == b.index && a.pre <= b.pre && a.next() >= b.next();
}

bool Overlaps(Axis a, Axis b) {
  return a.index == b.index && a.pre < b.next() && b.pre < a.next();
}

bool OverlapsAny(Axis a, AxesRef axes) {
  return llvm::any_of(axes, [&](Axis b) { return Overlaps(a, b); });
}

bool CanCoexist(Axis a, Axis b) {
  if (a.index != b.index) return true;
  auto [min_pre, max_pre] = std::minmax<int64_t>(a.pre, b.pre);
  auto [min_next, max_next] = std::minmax<int64_t>(a.next(), b.next());
  if (min_next > max_pre) {
    return min_next % max_pre == 0 && max_pre % min_pre == 0 && max_next % min_next == 0;
  }
  return max_pre % min_next == 0;
}

bool IsPrefix(Axis a, Axis b) { return Contains(b, a) && a.pre == b.pre; }

std::optional<Axis> Overlap(Axis a, Axis b) {
  if (!Overlaps(a, b) || !CanCoexist(a, b)) return std::nullopt;
  int32_t pre = std::max(a.pre, b.pre);
  return Axis{a.index, pre, static_cast<int32_t>(std::min(a.next(), b.next()) / pre)};
}

std::optional<Axis> PrefixWithoutOverlap(Axis a, Axis b) {
  if (!CanCoexist(a, b)) return std::nullopt;
  if (!Overlaps(a, b)) return a;
  if (a.pre >= b.pre) return std::nullopt;
  return Axis{a.index, a.pre, b.pre / a.pre};
}

std::optional<Axis> PrefixWithoutOverlap(Axis a, AxesRef axes) {
  for (Axis other : axes) {
    std::optional<Axis> prefix = PrefixWithoutOverlap(a, other);
    if (!prefix) return std::nullopt;
    a = *prefix;
  }
  return a;
}

int64_t SizeOf(AxesRef axes) {
  int64_t size = 1;
  for (Axis axis : axes) size *= axis.size;
  return size;
}

void AppendAxis(Axes& axes, Axis axis) {
  if (!axes.empty() && axes.back().index == axis.index &&
      axes.back().next() == axis.pre) {
    axes.back().size *= axis.size;
  } else {
    axes.push_back(axis);
  }
}

void AppendAxes(Axes& axes, AxesRef more) {
  for (Axis axis : more) AppendAxis(axes, axis);
}

void SortAndMerge(Axes& axes) {
  llvm::sort(axes);
  Axes merged;
  AppendAxes(merged, axes);
  axes = std::move(merged);
}

Axes SplitAt(AxesRef axes, AxesRef others) {
  Axes result;
  for (Axis axis : axes) {
    llvm::SmallVector<int64_t, 4> cuts{axis.pre, axis.next()};
    for (Axis other : others) {
      if (!Overlaps(axis, other) || !CanCoexist(axis, other)) continue;
      for (int64_t cut : {int64_t{other.pre}, other.next()}) {
        if (cut > axis.pre && cut < axis.next()) cuts.push_back(cut);
      }
    }
    llvm::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      result.push_back({axis.index, static_cast<int32_t>(cuts[i]),
                        static_cast<int32_t>(cuts[i + 1] / cuts[i])});
    }
  }
  return result;
}

PrefixStatus PrefixOf(AxesRef a, AxesRef b) {
  if (a == b) return PrefixStatus::kEqual;
  if (a.empty()) return PrefixStatus::kStrictPrefix;
  if (a.size() > b.size()) return PrefixStatus::kNotAPrefix;
  if (a.drop_back() != b.take_front(a.size() - 1)) return PrefixStatus::kNotAPrefix;
  return IsPrefix(a.back(), b[a.size() - 1]) ? PrefixStatus::kStrictPrefix
                                             : PrefixStatus::kNotAPrefix;
}

}  // namespace tenon::compiler::partition
