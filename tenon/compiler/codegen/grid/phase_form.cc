#include "tenon/compiler/codegen/grid/phase_form.h"

#include <algorithm>

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/grid/group_map.h"
#include "tenon/compiler/codegen/grid/product_ops.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"

namespace tenon::codegen {
namespace {

// A trip count that is not known to be small.
constexpr int64_t kLongTrip = 1 << 10;
// Points that need barriers are sequential code if they are this short, and if there are
// enough of them to occupy a device.
constexpr int64_t kShortPoint = 32, kManyPoints = 2048;
// Each item of a group takes about this many iterations, so that the work of the group
// outweighs its barriers; more if there are enough groups to occupy a device.
constexpr int64_t kIterationsPerItem = 4, kIterationsOfMany = 8;
constexpr int kMinGroup = 32;

int64_t TripOf(ir::MapOp map) {
  return std::max<int64_t>(0, FullBlockTripCount(map).value_or(kLongTrip));
}

// What the ops of a point need, outside of maps.
struct PointNeeds {
  int64_t trip = 0;         // of the longest loop that items can divide
  int64_t vectors = 0;      // the same, where items compute several iterations at a time
  bool has_tiles = false;   // blocks that are transposed in local memory
  bool waits = false;       // items must wait for each other
  bool sequential = false;  // one item must compute the point
  bool is_chunked = false;  // the points of a chunk share scratch memory
  int64_t local_bytes = 0;
};

void AddNeeds(mlir::Block& block, PointNeeds& needs) {
  for (mlir::Operation& op : block) {
    if (auto map = llvm::dyn_cast<ir::MapOp>(op)) {
      needs.trip = std::max(needs.trip, TripOf(map));
      const int64_t lanes = PointLanes(map.getBody().front());
      needs.vectors = std::max(needs.vectors, (TripOf(map) + lanes - 1) / lanes);
    } else if (auto tile = llvm::dyn_cast<ir::TileOp>(op)) {
      const auto side = static_cast<int64_t>(tile.getBlock());
      needs.vectors = needs.trip = std::max(needs.trip, side * side);
      needs.waits |= NeedsLocalMemory(tile);
      needs.has_tiles = true;
    } else if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) {
      int64_t points = 1;
      for (int64_t size : reduce.getSizes()) points *= size;
      needs.trip = std::max(needs.trip, points);
      needs.waits |= !reduce.getSizes().empty();
    } else if (llvm::isa<ir::ScanOp>(op)) {
      needs.trip = kLongTrip;
      needs.waits = true;
    } else if (auto local = llvm::dyn_cast<ir::LocalOp>(op)) {
      needs.local_bytes += LocalBytes(local);
      needs.waits = true;
    } else if (llvm::isa<ir::ForOp, ir::IfOp>(op)) {
      needs.waits = true;
      for (mlir::Region& region : op.getRegions()) AddNeeds(region.front(), needs);
    } else if (llvm::isa<ir::StoreOp>(op)) {
      needs.waits = true;
    } else if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
      needs.is_chunked = needs.waits = true;
      if (std::optional<TiledProduct> product = ProductOf(op))
        needs.trip = std::max(needs.trip, product->rows * product->columns);
      else
        needs.sequential = true;
    } else {
      needs.sequential |= AccessesOf(op).unknown;
    }
  }
}

// Whether an op of the block accesses what another one writes.
bool OpsConflict(mlir::Block& block, const ViewAliases& aliases) {
  ViewAccesses earlier;
  for (mlir::Operation& op : block) {
    const ViewAccesses accesses = AccessesOf(op);
    if (aliases.MayShare(accesses.reads, earlier.writes) ||
        aliases.MayShare(accesses.writes, earlier.reads) ||
        aliases.MayShare(accesses.writes, earlier.writes))
      return true;
    earlier.reads.insert(accesses.reads.begin(), accesses.reads.end());
    earlier.writes.insert(accesses.writes.begin(), accesses.writes.end());
  }
  return false;
}

// How many items share a point without waiting. Each has a few iterations, if there are
// enough other items to occupy a device, and about as many as the others.
int64_t ItemsOf(const PointNeeds& needs, int64_t points) {
  constexpr int64_t kMinItems = 32, kManyItems = 1 << 18;
  const auto vectors = static_cast<uint64_t>(needs.vectors);
  if (needs.vectors <= kMinItems) return needs.vectors;
  int64_t iterations = 1;
  while (iterations < kIterationsPerItem &&
         points * needs.vectors / (2 * iterations) >= kManyItems)
    iterations *= 2;
  return std::max(kMinItems, static_cast<int64_t>(llvm::bit_floor(vectors)) / iterations);
}

// How many subgroups of a group have a point each: several, if points are many and so
// short that an item of a subgroup has few elements.
int SubgroupsOf(const PointNeeds& needs, int64_t points,
                const compiler::DeviceTarget& device) {
  constexpr int64_t kMaxElements = 32, kShortElements = 8;  // of an item
  if (!device.subgroup_barrier || needs.is_chunked || needs.has_tiles) return 1;
  const int64_t elements = needs.trip / device.subgroup_items;
  if (elements > kMaxElements ||
      points < (elements > kShortElements ? 4 * kManyPoints : kManyPoints))
    return 1;
  int subgroups = 4;
  while (subgroups > 1 && subgroups * needs.local_bytes > device.local_bytes / 2)
    subgroups /= 2;
  return subgroups;
}

int CeilPowerOfTwo(int64_t value, int64_t least, int64_t most) {
  return static_cast<int>(std::clamp<int64_t>(
      static_cast<int64_t>(
          llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1)))),
      least, most));
}

}  // namespace

PhaseForm ChooseForm(ir::ParallelOp parallel, const ViewAliases& aliases,
                     const compiler::DeviceTarget& device) {
  mlir::Block& block = parallel.getBody().front();
  int64_t points = 1;
  for (int64_t size : parallel.getSizes()) points *= size;
  PointNeeds needs;
  AddNeeds(block, needs);
  const int most = device.max_group_items;
  PhaseForm form;
  // Such ops have scratch memory, of which each chunk has its own.
  if (needs.is_chunked || needs.sequential)
    form.group_points =
        std::clamp<int64_t>(parallel.getGrain(), 1, std::max<int64_t>(points, 1));
  const int64_t groups = (points + form.group_points - 1) / form.group_points;
  if (needs.sequential) {
    form.groups = groups;
    return form;
  }
  needs.waits |= OpsConflict(block, aliases);
  const bool is_short = needs.trip <= 1 || (needs.waits && needs.trip <= kShortPoint &&
                                            points >= kManyPoints);
  const bool sequential = (is_short && !needs.is_chunked) ||
                          (needs.waits && needs.local_bytes > device.local_bytes);
  if (needs.waits && !sequential) {
    form.waits = true;
    const int64_t iterations =
        groups >= kManyPoints ? kIterationsOfMany : kIterationsPerItem;
    form.point_items =
        CeilPowerOfTwo(needs.trip / iterations, std::min(kMinGroup, most), most);
    form.subgroups = SubgroupsOf(needs, points, device);
    if (form.subgroups > 1) form.point_items = device.subgroup_items;
    form.group_items = form.point_items * form.subgroups;
    form.groups = (groups + form.subgroups - 1) / form.subgroups;
    return form;
  }
  if (needs.is_chunked) {
    form.groups = groups;
    return form;
  }
  // Items that do not wait may be in several groups.
  constexpr int64_t kMaxPointItems = 1 << 20;
  form.point_items =
      sequential ? 1 : CeilPowerOfTwo(ItemsOf(needs, points), 1, kMaxPointItems);
  const int64_t items = points * form.point_items;
  form.group_items = CeilPowerOfTwo(items, 1, most);
  form.groups = (items + form.group_items - 1) / form.group_items;
  return form;
}

}  // namespace tenon::codegen
