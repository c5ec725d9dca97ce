// Shardings as XLA's OpSharding messages, in which PJRT reports them.
#ifndef TENON_COMPILER_PARTITION_OP_SHARDING_H_
#define TENON_COMPILER_PARTITION_OP_SHARDING_H_

#include <string>
#include <string_view>

#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// The serialized message, byte for byte as jaxlib 0.10.2 writes it. A replicated sharding
// is the empty string.
std::string EncodeOpSharding(const Sharding& sharding, const Mesh& mesh);

// That of a value in a program that is written per device.
std::string EncodeManualSharding();

// The message as text, such as `{devices=[4,2]<=[8]}`. UNIMPLEMENTED for unreduced and
// manual ones.
StatusOr<std::string> OpShardingText(std::string_view bytes);

// Reads a message over the devices of `mesh`, for a tensor of `rank` dimensions.
// UNIMPLEMENTED for kinds that no mesh axes describe.
StatusOr<Sharding> DecodeOpSharding(std::string_view bytes, size_t rank,
                                    const Mesh& mesh);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_OP_SHARDING_H_
