// Moves and combines the data of a collective between devices that share memory.
#ifndef TENON_RUNTIME_COLLECTIVES_H_
#define TENON_RUNTIME_COLLECTIVES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"
#include "tenon/executable/run_context.h"

namespace tenon::runtime {

// The buffers of one member of a group, one input and one output per operand.
struct CollectiveBuffers {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
};

// Calls its second argument once for each number below the first, in any order and on any
// thread.
using ParallelChunks = std::function<void(int64_t, const std::function<void(int64_t)>&)>;

// Performs a collective for one group. `members` are in the order of the group, and
// outputs overlap no inputs, but an output of an all_reduce may be the input of the same
// member and operand. Members without outputs, of another process, only give data. Of an
// all_reduce or all_gather, all members may have the same output.
// `sources` is GangPlan::Group::sources. `combiner` and `context`, which it gets, are for
// reductions only. INVALID_ARGUMENT if a ragged_all_to_all has bad offsets or sizes, or
// if the roots of a broadcast are not positions in the group or differ between members.
//
// A reduction combines the inputs in a binary tree over the positions in the group: the
// left half has as many members as the largest power of two below the size. So the bits
// of the result depend on the group alone.
Status PerformCollective(const ImageCollective& collective,
                         std::span<const CollectiveBuffers> members,
                         std::span<const int32_t> sources, Combiner combiner,
                         RunContext* context, const ParallelChunks& parallel);

// PerformCollective of the kinds that copy whole inputs: all_gather, permutation and
// broadcast.
Status CopyBetweenMembers(const ImageCollective& collective,
                          std::span<const CollectiveBuffers> members,
                          std::span<const int32_t> sources,
                          const ParallelChunks& parallel);

// The parts of an all_to_all, which are contiguous outside of the group's buffers. One
// part goes from each member to each member. CopyPartOut copies part number `part` of
// operand `o`; CopyPartIn puts it at place number `place` of the result.
void CopyPartOut(const ImageCollective& collective, size_t o, const void* operand,
                 int64_t part, int64_t count, void* to);
void CopyPartIn(const ImageCollective& collective, size_t o, const void* from,
                int64_t place, int64_t count, void* result);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_COLLECTIVES_H_
