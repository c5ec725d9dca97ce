// Plans how a tensor moves from one sharding to another: which collectives, in which
// order.
#ifndef TENON_COMPILER_PARTITION_MOVE_PLAN_H_
#define TENON_COMPILER_PARTITION_MOVE_PLAN_H_

#include <cstdint>
#include <map>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/partition/axes.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// The axes of a tensor. In a plan they are cut so finely that two axes are equal or have
// nothing in common.
struct Placement {
  llvm::SmallVector<Axes, 4> dims;  // that split each dimension, major first
  Axes partial;                     // along which devices have partial results

  bool operator==(const Placement&) const = default;
};

enum class MoveKind : uint8_t {
  kSlice,          // the device's part along axes that nothing uses
  kReduceScatter,  // of partial results, along `dim`
  kAllReduce,      // of partial results
  kAllToAll,       // the minor axes of `dim` become the minor axes of `to_dim`
  kPermute,        // whole parts; every dimension keeps its number of shards
  kAllGather,      // the minor axes of `dim`
};

struct MoveStep {
  MoveKind kind;
  int64_t dim = -1, to_dim = -1;
  Axes axes;            // that move; none for kPermute
  Placement after;      // the step
  double received = 0;  // bytes per device, on average
};

struct MovePlan {
  std::vector<MoveStep> steps;
  double received = 0;  // bytes per device, on average
};

// The number of steps that communicate.
int64_t NumCollectives(const MovePlan& plan);

// Plans moves over one mesh, and keeps the plans. One thread at a time.
class MovePlanner {
 public:
  explicit MovePlanner(const Mesh& mesh) : mesh_(mesh) {}

  const Mesh& mesh() const { return mesh_; }

  // How a tensor of `shape` (of the whole tensor; both shardings divide it) moves.
  // `element_bytes` are those of an element. Partial results stay partial along the axes
  // that are unreduced in `to`; axes that only `to` has unreduced are the caller's.
  //
  // First the steps that are evident: a slice of what the device has, reduce_scatter or
  // all_reduce of partial results, all_to_all where axes move between dimensions,
  // collective_permute where parts keep their size, and all_gather. If these are several
  // collectives and there are few axes, a shortest path over all placements (by bytes
  // received, then by number of steps), with axes cut into their prime factors.
  const MovePlan& Plan(const Sharding& from, const Sharding& to,
                       llvm::ArrayRef<int64_t> shape, int64_t element_bytes);

  // The share of devices that want another part than they have.
  double MovedShare(const Placement& has, const Placement& wants) const;

 private:
  const Mesh& mesh_;
  std::map<std::vector<int64_t>, MovePlan> plans_;
};

// `sharding` with its axes cut where those of `others` begin or end.
Placement PlacementOf(const Sharding& sharding, AxesRef others);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_MOVE_PLAN_H_
