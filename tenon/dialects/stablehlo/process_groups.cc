#include "tenon/dialects/stablehlo/process_groups.h"

#include <numeric>

#include "tenon/dialects/stablehlo/collective_ops.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::stablehlo {
namespace {

// How the specification forms process groups from a collective's replica groups: which
// ids they hold, and which processes form one group. The names are the specification's.
enum class Mode { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattened };

// An attribute of a custom call's dictionary of options.
mlir::Attribute OptionOf(mlir::Operation* call, llvm::StringRef name) {
  auto options = call->getAttrOfType<mlir::DictionaryAttr>("backend_config");
  return options ? options.get(name) : mlir::Attribute();
}

int64_t ChannelOf(mlir::Operation* op) {
  if (IsRaggedAllToAll(op)) {
    auto id = llvm::dyn_cast_or_null<mlir::IntegerAttr>(OptionOf(op, "channel_id"));
    return id ? id.getInt() : 0;
  }
  auto channel = op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  return channel ? channel.getHandle() : 0;
}

Mode ModeOf(mlir::Operation* op) {
  const bool has_channel = ChannelOf(op) > 0;
  if (op->hasAttr("use_global_device_ids")) return Mode::kFlattened;
  if (llvm::isa<AllGatherOp, AllReduceOp, ReduceScatterOp>(op))
    return has_channel ? Mode::kCrossReplicaAndPartition : Mode::kCrossReplica;
  return has_channel ? Mode::kCrossPartition : Mode::kCrossReplica;
}

// The number of valid ids in the groups.
int64_t IdCount(Mode mode, const ProcessGrid& grid) {
  switch (mode) {
    case Mode::kCrossReplica:
    case Mode::kCrossReplicaAndPartition:
      return grid.replicas;
    case Mode::kCrossPartition:
      return grid.partitions;
    case Mode::kFlattened:
      return grid.size();
  }
  return 0;
}

// Returns the rows of the attribute without padding.
StatusOr<std::vector<std::vector<int64_t>>> Rows(mlir::Operation* op, Mode mode,
                                                 const ProcessGrid& grid) {
  const bool permutes = llvm::isa<CollectivePermuteOp>(op);
  auto groups = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(
      IsRaggedAllToAll(op)
          ? OptionOf(op, "replica_groups")
          : op->getAttr(permutes ? "source_target_pairs" : "replica_groups"));
  if (!groups || groups.getType().getRank() != 2)
    return Unimplemented("groups that are given by axes of a mesh");
  const int64_t count = IdCount(mode, grid);
  const int64_t width = groups.getType().getDimSize(1);
  std::vector<std::vector<int64_t>> rows(groups.getType().getDimSize(0));
  int64_t index = 0;
  for (int64_t number : groups.getValues<int64_t>()) {
    std::vector<int64_t>& row = rows[index++ / width];
    if (number == -1 && !permutes) continue;
    if (number < 0 || number >= count)
      return InvalidArgument("a group has the number " + std::to_string(number) +
                             ", but the numbers are 0 to " + std::to_string(count - 1));
    row.push_back(number);
  }
  const bool is_empty = groups.getNumElements() == 0;
  if (is_empty && !permutes) {
    rows.assign(1, std::vector<int64_t>(count));
    std::iota(rows[0].begin(), rows[0].end(), 0);
  }
  return rows;
}

}  // namespace

std::string ProcessGrid::Name(int64_t process) const {
  std::string name = "partition " + std::to_string(PartitionOf(process));
  if (replicas == 1) return name;
  return "replica " + std::to_string(ReplicaOf(process)) + ", " + name;
}

bool IsCollective(mlir::Operation* op) {
  return llvm::isa<AllGatherOp, AllReduceOp, ReduceScatterOp, AllToAllOp,
                   CollectivePermuteOp, CollectiveBroadcastOp, CollectiveReduceOp,
                   CrossReplicaSumOp>(op) ||
         IsRaggedAllToAll(op);
}

bool IsRaggedAllToAll(mlir::Operation* op) {
  auto call = llvm::dyn_cast<CustomCallOp>(op);
  return call && call.getCallTargetName() == "ragged_all_to_all";
}

StatusOr<std::vector<ProcessGroup>> ProcessGroupsOf(mlir::Operation* op,
                                                    const ProcessGrid& grid) {
  const Mode mode = ModeOf(op);
  TENON_ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> rows, Rows(op, mode, grid));
  std::vector<ProcessGroup> groups;
  for (const std::vector<int64_t>& row : rows) {
    switch (mode) {
      case Mode::kCrossReplica:
        for (int64_t partition = 0; partition < grid.partitions; ++partition) {
          ProcessGroup& group = groups.emplace_back();
          for (int64_t replica : row)
            group.push_back(replica * grid.partitions + partition);
        }
        break;
      case Mode::kCrossPartition:
        for (int64_t replica = 0; replica < grid.replicas; ++replica) {
          ProcessGroup& group = groups.emplace_back();
          for (int64_t partition : row)
            group.push_back(replica * grid.partitions + partition);
        }
        break;
      case Mode::kCrossReplicaAndPartition: {
        ProcessGroup& group = groups.emplace_back();
        for (int64_t partition = 0; partition < grid.partitions; ++partition)
          for (int64_t replica : row)
            group.push_back(replica * grid.partitions + partition);
        break;
      }
      case Mode::kFlattened:
        groups.push_back(row);
        break;
    }
  }
  return groups;
}

}  // namespace tenon::stablehlo
