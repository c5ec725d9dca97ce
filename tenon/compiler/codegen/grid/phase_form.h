// How the points of a phase are divided among the items of a device. Pure functions; any
// thread.
#ifndef TENON_COMPILER_CODEGEN_GRID_PHASE_FORM_H_
#define TENON_COMPILER_CODEGEN_GRID_PHASE_FORM_H_

#include "tenon/compiler/codegen/grid/view_aliases.h"
#include "tenon/compiler/targets/device_target.h"

namespace tenon::codegen {

struct PhaseForm {
  // How many items share a point: a power of two. With one, a point is sequential code.
  int point_items = 1;
  // The items of a point wait for each other, so they are a group. Otherwise items of
  // several points may be in one group.
  bool waits = false;
  int group_items = 1;
  // With more than one, a point is computed by a subgroup, whose items wait for each
  // other alone, and a group has so many points at the same time.
  int subgroups = 1;
  // How many consecutive points a group computes, one after another. More than one only
  // for the points of a chunk that share scratch memory.
  int64_t group_points = 1;
  int64_t groups = 0;
};

PhaseForm ChooseForm(ir::ParallelOp parallel, const ViewAliases& aliases,
                     const compiler::DeviceTarget& device);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_PHASE_FORM_H_
