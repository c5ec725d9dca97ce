// Replica groups that a program gives by axes of a mesh, as JAX does from 0.11 on.
#ifndef TENON_COMPILER_IMPORT_MESH_GROUPS_H_
#define TENON_COMPILER_IMPORT_MESH_GROUPS_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Replaces groups by axes of a mesh by matrices of device numbers, so that later passes
// see only these. A group has the devices that differ only in their coordinates along its
// axes; the first of the axes is the major one. Groups of a mesh that `module` does not
// have, or of axes that the mesh does not have, are left. INVALID_ARGUMENT if an
// operation is not valid with its matrix.
Status ResolveMeshGroups(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_MESH_GROUPS_H_
