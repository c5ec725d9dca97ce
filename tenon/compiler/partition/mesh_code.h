// Code that depends on the device's place in the mesh, for the program of one device.
#ifndef TENON_COMPILER_PARTITION_MESH_CODE_H_
#define TENON_COMPILER_PARTITION_MESH_CODE_H_

#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/move_plan.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler::partition {

// Emits scalars at the start of a function, so that all of its regions can use them. One
// function and one thread per object.
class MeshCode {
 public:
  // `entry` is the function's first block; it must outlive the object. The mesh has the
  // partitions of the grid, or one device.
  MeshCode(const Mesh& mesh, const stablehlo::ProcessGrid& grid, mlir::Block& entry,
           mlir::Location location)
      : mesh_(mesh), grid_(grid), entry_(entry), location_(location), planner_(mesh) {}

  const Mesh& mesh() const { return mesh_; }
  // Lets Explain say why; otherwise it returns its location.
  void set_explains() { explains_ = true; }
  // The location of an op that is emitted because of `reason` (explain.h).
  mlir::Location Explain(mlir::Location location,
                         llvm::function_ref<std::string()> reason) const;
  MovePlanner& planner() { return planner_; }

  // The number of the device's shard (tensor<i64>) of a dimension that `axes` split.
  mlir::Value ShardNumber(AxesRef axes);
  // `number` times `factor`, both i64. For offsets of shards.
  mlir::Value ShardOffset(AxesRef axes, int64_t shard_size);
  // A scalar constant of type i64.
  mlir::Value Constant(int64_t value);

  // Groups of the devices that differ only in their coordinates along `axes`, as a
  // [number of groups, SizeOf(axes)] matrix. The order in a group is that of shards of a
  // dimension that `axes` split. Of partition numbers, for collectives within each
  // replica, or of process numbers of all replicas (global device ids).
  mlir::DenseIntElementsAttr PartitionGroups(AxesRef axes);
  mlir::DenseIntElementsAttr GlobalGroups(AxesRef axes);
  // The number of the shard at row-major `position` in the mesh.
  int64_t ShardAt(AxesRef axes, int64_t position) const;
  // The position that differs from `position` only in having shard `shard`.
  int64_t PositionWithShard(AxesRef axes, int64_t position, int64_t shard) const;
  // The partition number at `position`.
  int64_t DeviceAt(int64_t position) const;

 private:
  mlir::OpBuilder Builder();
  mlir::Value Keep(mlir::Value value);
  mlir::Value Position();
  mlir::DenseIntElementsAttr Groups(AxesRef axes, int64_t replicas);

  const Mesh& mesh_;
  const stablehlo::ProcessGrid grid_;
  mlir::Block& entry_;
  mlir::Location location_;
  MovePlanner planner_;
  bool explains_ = false;
  mlir::Operation* last_ = nullptr;  // of the emitted operations
  mlir::Value position_;             // of the device in the mesh
  std::map<int64_t, mlir::Value> constants_;
  std::map<std::vector<Axis>, mlir::Value> numbers_;
  std::map<std::pair<std::vector<Axis>, int64_t>, mlir::Value> offsets_;
  // By axes and number of replicas.
  std::map<std::pair<std::vector<Axis>, int64_t>, mlir::DenseIntElementsAttr> groups_;
};

// Moves the insertion point out of loops up to `region`, where values do not change in
// the loops. Stays in branches, which may not run.
void LeaveLoops(mlir::OpBuilder& b, mlir::Region* region);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_MESH_CODE_H_
