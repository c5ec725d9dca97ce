#include "tenon/compiler/partition/propagate.h"

#include <map>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/prepare.h"
#include "tenon/compiler/partition/propagator.h"

namespace tenon::compiler::partition {
namespace {

// A sharding that the program gives, with dimensions of later priorities.
struct GivenSharding {
  Place place;
  Sharding sharding;
};
using Priorities = std::map<int32_t, std::vector<GivenSharding>>;

// Empties and closes the dimensions of later priorities. Until their turn comes, no
// dimension of the tensor may use their axes.
Priorities PostponePriorities(ShardingTable& table) {
  Priorities priorities;
  for (Place place = 0; place < table.size(); ++place) {
    if (!table[place]) continue;
    Sharding sharding = *table[place];
    llvm::SmallDenseSet<int32_t> own;
    for (DimSharding& dim : sharding.dims) {
      if (dim.priority == 0) continue;
      own.insert(dim.priority);
      sharding.replicated.append(dim.axes);
      dim = DimSharding();
    }
    if (own.empty()) continue;
    llvm::sort(sharding.replicated);
    for (int32_t priority : own) priorities[priority].push_back({place, *table[place]});
    table.Replace(place, std::move(sharding));
  }
  return priorities;
}

void RestorePriority(ShardingTable& table, int32_t priority,
                     llvm::ArrayRef<GivenSharding> list) {
  for (const GivenSharding& given : list) {
    Sharding sharding = *table[given.place];
    Axes restored;
    for (auto [dim, original] : llvm::zip_equal(sharding.dims, given.sharding.dims)) {
      if (original.priority != priority) continue;
      dim = original;
      dim.priority = 0;
      restored.append(original.axes);
    }
    llvm::erase_if(sharding.replicated,
                   [&](Axis axis) { return llvm::is_contained(restored, axis); });
    table.Replace(given.place, std::move(sharding));
  }
}

}  // namespace

Status PropagateShardings(mlir::ModuleOp module) {
  Status status;
  module.walk([&](sdy::DataFlowEdgeOp op) {
    status =
        InvalidArgument("'sdy.data_flow_edge' op at " + DescribeLocation(op.getLoc()) +
                        " is reserved for the compiler; remove it");
  });
  TENON_RETURN_IF_ERROR(status);
  // The order of uses decides in which order shardings propagate, and each of these steps
  // changes it. So they have Shardy's order: edges of control flow before those of calls.
  SplitConstants(module);
  AddDataFlowEdges(module);
  TENON_RETURN_IF_ERROR(ImportCalls(module));
  TENON_ASSIGN_OR_RETURN(ShardingTable table, ShardingTable::Read(module));
  ApplyConstraints(module, table);
  TENON_ASSIGN_OR_RETURN(ShardingGroups groups, ImportGroups(module, table));
  Propagator propagator(module, table, std::move(groups));
  TENON_RETURN_IF_ERROR(propagator.Prepare());
  Priorities priorities = PostponePriorities(table);
  propagator.Run();
  for (const auto& [priority, list] : priorities) {
    RestorePriority(table, priority, list);
    propagator.Run();
  }
  table.Write(module);
  return OkStatus();
}

}  // namespace tenon::compiler::partition
