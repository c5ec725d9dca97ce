#include "tenon/compiler/partition/manual_axes.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler::partition {
namespace {

bool IsManual(Axis axis, ManualAxes manual) {
  return llvm::is_contained(manual, axis.index);
}

size_t CountManual(AxesRef axes, ManualAxes manual) {
  size_t count = 0;
  while (count < axes.size() && IsManual(axes[count], manual)) ++count;
  return count;
}

Axes FreeAxes(AxesRef axes, ManualAxes manual) {
  Axes free;
  for (Axis axis : axes) {
    if (!IsManual(axis, manual)) free.push_back(axis);
  }
  return free;
}

}  // namespace

Status CompleteManualSharding(Sharding& sharding, int32_t mesh, const MeshTable& meshes,
                              ManualAxes manual) {
  if (sharding.mesh != mesh) {
    if (!meshes[sharding.mesh].IsEmpty()) {
      return InvalidArgument(
          "the shardings of an sdy.manual_computation must be on one mesh");
    }
    sharding.mesh = mesh;
  }
  for (const DimSharding& dim : sharding.dims) {
    AxesRef rest = AxesRef(dim.axes).drop_front(CountManual(dim.axes, manual));
    if (llvm::any_of(rest, [&](Axis axis) { return IsManual(axis, manual); })) {
      return InvalidArgument(
          "manual axes must come before other axes in the shardings of an "
          "sdy.manual_computation, but this one is " +
          ToString(sharding, meshes[mesh]));
    }
  }
  Axes used = sharding.UsedAxes();
  used.append(sharding.replicated);
  used.append(sharding.unreduced);
  Axes whole;
  for (int32_t axis : manual) whole.push_back(meshes[mesh].WholeAxis(axis));
  for (Axis part : SplitAt(whole, used)) {
    if (!OverlapsAny(part, used)) sharding.replicated.push_back(part);
  }
  SortAndMerge(sharding.replicated);
  return OkStatus();
}

Sharding WithoutManualAxes(const Sharding& outer, ManualAxes manual) {
  if (manual.empty()) return outer;
  Sharding inner = outer;
  for (DimSharding& dim : inner.dims) {
    dim.axes.erase(dim.axes.begin(), dim.axes.begin() + CountManual(dim.axes, manual));
  }
  inner.replicated = FreeAxes(outer.replicated, manual);
  inner.unreduced = FreeAxes(outer.unreduced, manual);
  return inner;
}

Sharding WithManualAxes(const Sharding& outer, const Sharding& inner, ManualAxes manual) {
  Sharding result = inner;
  for (auto [dim, outer_dim] : llvm::zip_equal(result.dims, outer.dims)) {
    AxesRef kept =
        AxesRef(outer_dim.axes).take_front(CountManual(outer_dim.axes, manual));
    dim.axes.insert(dim.axes.begin(), kept.begin(), kept.end());
  }
  result.replicated = outer.replicated;
  result.unreduced = outer.unreduced;
  result.reduction = outer.reduction;
  return result;
}

}  // namespace tenon::compiler::partition
