// ragged_all_to_all: every member sends rows to every member, as many and to where it
// says at run time (jax.lax.ragged_all_to_all).
//
// The operands of the collective are, in this order:
//   operand [m, ...]        the rows to send
//   output [n, ...]         the result where no rows arrive; the shape of the result
//   input_offsets [p * k]   first row of each part in `operand`
//   send_sizes [p * k]      rows of each part
//   output_offsets [p * k]  first row of each part in the result of its receiver
//   recv_sizes [p * k]      not needed here: every receiver sees what its senders say
// A group has p members. Parts k * i to k * (i + 1) - 1 are for member i.
#ifndef TENON_RUNTIME_RAGGED_ALL_TO_ALL_H_
#define TENON_RUNTIME_RAGGED_ALL_TO_ALL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"
#include "tenon/runtime/collectives.h"

namespace tenon::runtime {

// A part of the rows that one member sends.
struct RaggedPart {
  int64_t input_row = 0, rows = 0, output_row = 0;
};

// Reads the parts that a member sends, from its offsets and sizes, and checks them.
StatusOr<std::vector<RaggedPart>> RaggedParts(const ImageCollective& site,
                                              const CollectiveBuffers& sender);

// INVALID_ARGUMENT if one of the parts that a member sends is outside of the arrays.
Status CheckRaggedParts(const ImageCollective& site, std::span<const RaggedPart> parts);

// Bytes of a row.
int64_t RaggedRowBytes(const ImageCollective& site);

// A member of the group as a sender. Part i is at `rows` + `starts`[i].
struct RaggedSender {
  const char* rows = nullptr;
  std::vector<int64_t> starts;  // bytes
  std::vector<RaggedPart> parts;
};

// Writes the results of the members that have outputs. Where parts of several senders
// overlap, the last sender's rows remain. `senders` are by position in the group.
void WriteRaggedResults(const ImageCollective& site,
                        std::span<const CollectiveBuffers> members,
                        std::span<const RaggedSender> senders,
                        const ParallelChunks& parallel);

// The whole collective, for a group whose members are all in this process.
Status PerformRaggedAllToAll(const ImageCollective& site,
                             std::span<const CollectiveBuffers> members,
                             const ParallelChunks& parallel);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_RAGGED_ALL_TO_ALL_H_
