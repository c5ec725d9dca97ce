// How a tensor is split over a mesh. Values; any thread may use them.
#ifndef TENON_COMPILER_PARTITION_SHARDING_H_
#define TENON_COMPILER_PARTITION_SHARDING_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/axes.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/dialects/sdy/sdy.h"

namespace tenon::compiler::partition {

// How one dimension is split.
struct DimSharding {
  Axes axes;          // major first
  bool open = false;  // propagation may append axes
  int32_t priority = 0;

  int64_t num_shards() const { return SizeOf(axes); }
  bool operator==(const DimSharding&) const = default;
};

struct Sharding {
  int32_t mesh = 0;  // number in the MeshTable
  llvm::SmallVector<DimSharding, 4> dims;
  Axes replicated;  // axes that propagation must not use for this tensor
  Axes unreduced;   // axes along which each device has a partial result
  sdy::ReductionOp reduction = sdy::ReductionOp::SUM;  // of the partial results
  int64_t maximal = -1;  // the only device that has the tensor, or -1

  // Replicated along every axis; propagation may change each dimension if it is open.
  static Sharding Replicated(int32_t mesh, int64_t rank, bool open);

  // No axis splits or restricts the tensor.
  bool HasNoAxes() const;
  // No dimension is split and no axis is unreduced: every device has the whole tensor.
  bool IsReplicated() const;
  bool IsFullyClosed() const;
  bool IsFullyOpen() const;
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // All axes that split a dimension, in the order of dimensions.
  Axes UsedAxes() const;
  // The sharding with every dimension closed, without priorities and replicated axes,
  // which only propagation needs.
  Sharding Closed() const;
  bool operator==(const Sharding&) const = default;
};

// Whether both place the same elements on the same devices. Both must be on one mesh;
// open dimensions, priorities and replicated axes do not matter.
bool SamePlacement(const Sharding& a, const Sharding& b);

// Reads an attribute of a tensor of `rank` dimensions; may add an inline mesh to
// `meshes`.
StatusOr<Sharding> ReadSharding(sdy::TensorShardingAttr attribute, int64_t rank,
                                MeshTable& meshes);
sdy::TensorShardingAttr WriteSharding(const Sharding& sharding, const MeshTable& meshes,
                                      mlir::MLIRContext* context);
// The sharding over the mesh `common.mesh`, whose number becomes 0.
Sharding Translate(const Sharding& sharding, const CommonMesh& common);

// `"x", "y":(1)2`.
std::string ToString(AxesRef axes, const Mesh& mesh);
// The text of the attribute without its mesh, such as `[{"x"}, {?}], unreduced={"y"}`.
std::string ToString(const Sharding& sharding, const Mesh& mesh);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_SHARDING_H_
