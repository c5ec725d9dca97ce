// What collective operations compute, and which devices meet for that. Internal.
#ifndef TENON_REFERENCE_COLLECTIVE_H_
#define TENON_REFERENCE_COLLECTIVE_H_

#include <span>
#include <utility>
#include <vector>

#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {

// Devices that execute a collective together.
struct Rendezvous {
  // In the order of the group; of a collective_permute, in ascending order.
  stablehlo::ProcessGroup members;
  // Of a collective_permute: (source, target) as positions in `members`.
  std::vector<std::pair<size_t, size_t>> moves;
  // False for a device in no group. It gets zeros, and waits for no one.
  bool is_group = true;
};

// Returns the rendezvous of a collective; every device of the grid is in exactly one. A
// collective_permute joins devices that are connected by pairs. INVALID_ARGUMENT if a
// device is twice in groups, or in none where the operation needs one.
StatusOr<std::vector<Rendezvous>> RendezvousOf(mlir::Operation* op,
                                               const stablehlo::ProcessGrid& grid);

// Returns the results of each member of `rendezvous` from the operands of each member.
//
// Reductions combine positions 0 to n - 1 of the group in a balanced binary tree: the
// left half of a range of n positions has the largest power of two below n. A reduction
// of floats narrower than 32 bits by a single operation is computed in f32 and rounded
// once. `context` is the operation on any of the members; its operands are not used.
StatusOr<std::vector<std::vector<Literal>>> RunCollective(
    OpContext& context, const Rendezvous& rendezvous,
    std::span<const std::vector<Literal>> operands);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_COLLECTIVE_H_
