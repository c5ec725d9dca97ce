// The devices that a collective operation joins, from its replica_groups and channel
// ("Parallel execution" in the StableHLO specification). Pure functions.
#ifndef TENON_DIALECTS_STABLEHLO_PROCESS_GROUPS_H_
#define TENON_DIALECTS_STABLEHLO_PROCESS_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"

namespace tenon::stablehlo {

// The devices that run a program. Process number `replica * partitions + partition` is
// partition `partition` of replica `replica`.
struct ProcessGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;

  int64_t size() const { return replicas * partitions; }
  int64_t ReplicaOf(int64_t process) const { return process / partitions; }
  int64_t PartitionOf(int64_t process) const { return process % partitions; }
  // "partition 3", or "replica 1, partition 3" if there are several replicas.
  std::string Name(int64_t process) const;
};

// Process numbers, in the order of the group.
using ProcessGroup = std::vector<int64_t>;

// Whether `op` communicates with the program's copies on other devices: all_reduce,
// all_gather, reduce_scatter, all_to_all, collective_permute, collective_broadcast,
// collective_reduce and cross-replica-sum.
bool IsCollective(mlir::Operation* op);

// Whether `op` is the custom call by which JAX sends lax.ragged_all_to_all. Its operands
// are operand, output, input_offsets, send_sizes, output_offsets and recv_sizes.
bool IsRaggedAllToAll(mlir::Operation* op);

// Returns the groups of a collective. Padding (-1) is left out. Empty replica_groups mean
// one group of all replicas, or of all processes if the groups list global device ids.
// Of a collective_permute, each group is a pair (source, target). A process may be in no
// group. INVALID_ARGUMENT if a number is not that of a device of the grid, UNIMPLEMENTED
// if the groups are given by axes of a mesh.
StatusOr<std::vector<ProcessGroup>> ProcessGroupsOf(mlir::Operation* op,
                                                    const ProcessGrid& grid);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_PROCESS_GROUPS_H_
