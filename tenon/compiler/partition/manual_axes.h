// Shardings at the border of a manual computation. Outside, they include its manual axes,
// which come first in each dimension. Inside, shapes are local in these axes, and
// shardings have only the other axes.
#ifndef TENON_COMPILER_PARTITION_MANUAL_AXES_H_
#define TENON_COMPILER_PARTITION_MANUAL_AXES_H_

#include "llvm/ADT/ArrayRef.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// Numbers of mesh axes.
using ManualAxes = llvm::ArrayRef<int32_t>;

// Adds the manual axes that an operand's or result's sharding does not use to its
// replicated axes. Moves shardings on a mesh without axes to `mesh`. Fails if a manual
// axis follows another axis in a dimension.
Status CompleteManualSharding(Sharding& sharding, int32_t mesh, const MeshTable& meshes,
                              ManualAxes manual);

// The sharding inside.
Sharding WithoutManualAxes(const Sharding& outer, ManualAxes manual);
// The sharding outside: the manual axes of `outer`, then the axes of `inner`.
Sharding WithManualAxes(const Sharding& outer, const Sharding& inner, ManualAxes manual);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_MANUAL_AXES_H_
