// Meshes: devices arranged along axes. A device is its partition number, 0 to N-1, which
// is the row-major index over the axes of a mesh. Values; any thread may use them.
#ifndef TENON_COMPILER_PARTITION_MESH_H_
#define TENON_COMPILER_PARTITION_MESH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/axes.h"
#include "tenon/dialects/sdy/sdy.h"

namespace tenon::compiler::partition {

// Devices of a mesh at most, so that sizes of axes and their products fit 32 bits.
inline constexpr int64_t kMaxMeshDevices = int64_t{1} << 30;

// The device at each row-major position of a mesh; empty if it is the position itself.
using DeviceOrder = llvm::SmallVector<int64_t, 4>;

// Axes of size 1 are dropped when a mesh is read, because they split nothing.
struct Mesh {
  std::string symbol;  // of the sdy.mesh; empty for a mesh that is an attribute
  std::vector<std::string> names;  // of the axes, major first
  llvm::SmallVector<int32_t, 4> sizes;
  DeviceOrder device_ids;
  int64_t maximal = -1;  // the only device of a mesh without axes, or -1

  int64_t num_devices() const;
  // Without axes and device: shardings on such a mesh are replicated on every mesh.
  bool IsEmpty() const { return sizes.empty() && maximal < 0; }
  bool IsMaximal() const { return maximal >= 0; }
  // The number of devices between neighbors along an axis.
  int64_t Stride(int32_t axis) const;
  Axis WholeAxis(int32_t axis) const { return {axis, 1, sizes[axis]}; }
  bool IsWhole(Axis axis) const {
    return axis.pre == 1 && axis.size == sizes[axis.index];
  }
  std::optional<int32_t> FindAxis(llvm::StringRef name) const;
  // The coordinate of the device at row-major `position` along `axis`.
  int64_t Coordinate(int64_t position, Axis axis) const;
  // The row-major position of a device; nullopt if the device is not in the mesh.
  std::optional<int64_t> PositionOf(int64_t device) const;
  // The same devices along the same axes; the symbol may differ.
  bool SameAs(const Mesh& other) const;
};

StatusOr<Mesh> ReadMesh(sdy::MeshAttr attribute);

// The meshes of a program, without duplicates. Shardings refer to them by number.
class MeshTable {
 public:
  // Reads the sdy.mesh ops of `module`.
  static StatusOr<MeshTable> Read(mlir::ModuleOp module);

  // The number of a mesh that is given by name or as an attribute.
  StatusOr<int32_t> Find(mlir::Attribute mesh_or_ref);
  int32_t Add(Mesh mesh);
  // The attribute of a mesh that Find accepts, with its axes of size 1.
  sdy::MeshAttr AttributeOf(mlir::Attribute mesh_or_ref) const;
  const Mesh& operator[](int32_t number) const { return meshes_[number]; }
  int32_t size() const { return static_cast<int32_t>(meshes_.size()); }

 private:
  std::vector<Mesh> meshes_;
  llvm::DenseMap<mlir::Attribute, int32_t> numbers_;             // by name or attribute
  llvm::DenseMap<mlir::Attribute, sdy::MeshAttr> named_meshes_;  // by name
};

// One mesh whose axes are so small that every axis of several meshes is a list of them.
struct CommonMesh {
  Mesh mesh;
  // The different orders of devices among the meshes. The first is that of `mesh`.
  std::vector<DeviceOrder> orders;
  std::vector<int32_t> order_of;  // of each mesh of the table: the number of its order
  // Of each mesh of the table and each of its axes: the axes of `mesh`, major first.
  // Empty and maximal meshes have none.
  std::vector<std::vector<Axes>> axes;

  // The same devices as `axis` of mesh `number`.
  Axes Translate(int32_t number, Axis axis) const;
};

// Fails if meshes have different devices (their order may differ), or axes that no common
// mesh has, such as 2 x 3 and 3 x 2. A table without axes gives a mesh of one device.
StatusOr<CommonMesh> FindCommonMesh(const MeshTable& meshes);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_MESH_H_
