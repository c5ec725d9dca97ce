// Axes of a mesh, parts of axes ("sub-axes"), and ordered lists of them.
//
// An axis of size n is seen as [pre, size, n / (pre * size)]; a sub-axis is the middle
// part. A list splits a dimension, major axis first. The rules are Shardy's
// (AxisRefAttr).
#ifndef TENON_COMPILER_PARTITION_AXES_H_
#define TENON_COMPILER_PARTITION_AXES_H_

#include <compare>
#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::compiler::partition {

// A whole axis has pre = 1 and the size of the axis.
struct Axis {
  int32_t index = 0;  // in the mesh
  int32_t pre = 1;    // product of the sizes of the parts that are more major
  int32_t size = 1;

  // The `pre` of a part that would follow this one.
  int64_t next() const { return int64_t{pre} * size; }
  // By position in the mesh, then `pre`, then size.
  auto operator<=>(const Axis&) const = default;
};

using Axes = llvm::SmallVector<Axis, 2>;
using AxesRef = llvm::ArrayRef<Axis>;

// Whether `a` contains every part of the axis that `b` contains.
bool Contains(Axis a, Axis b);
bool Overlaps(Axis a, Axis b);
bool OverlapsAny(Axis a, AxesRef axes);
// Whether both can occur in one program: an axis can be split into parts of which `a` and
// `b` are concatenations.
bool CanCoexist(Axis a, Axis b);
// Whether `a` is the major part of `b`, or all of it.
bool IsPrefix(Axis a, Axis b);
// The part that both contain; nullopt if there is none.
std::optional<Axis> Overlap(Axis a, Axis b);
// The largest major part of `a` that does not overlap; nullopt if there is none.
std::optional<Axis> PrefixWithoutOverlap(Axis a, Axis b);
std::optional<Axis> PrefixWithoutOverlap(Axis a, AxesRef axes);

// The number of shards; 1 for no axes.
int64_t SizeOf(AxesRef axes);
// Appends `axis`, or merges it into the last axis if it is the next part of the same
// axis.
void AppendAxis(Axes& axes, Axis axis);
void AppendAxes(Axes& axes, AxesRef more);
// Sorts by position in the mesh and merges neighbors. The axes must not overlap.
void SortAndMerge(Axes& axes);
// Splits `axes` by the parts that other lists use: every axis that overlaps an axis of
// `others` partly is cut at its bounds.
Axes SplitAt(AxesRef axes, AxesRef others);

enum class PrefixStatus { kEqual, kStrictPrefix, kNotAPrefix };
// Whether `a` followed by more axes (or by more of its last axis) gives `b`.
PrefixStatus PrefixOf(AxesRef a, AxesRef b);
inline bool IsStrictPrefix(AxesRef a, AxesRef b) {
  return PrefixOf(a, b) == PrefixStatus::kStrictPrefix;
}

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_AXES_H_
