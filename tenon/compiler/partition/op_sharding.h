// Shardings as XLA's OpSharding messages, in which PJRT reports them.
#ifndef TENON_COMPILER_PARTITION_OP_SHARDING_H_
#define TENON_COMPILER_PARTITION_OP_SHARDING_H_

#include <string>

#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// The serialized message, byte for byte as jaxlib 0.10.2 writes it. A replicated sharding
// is the empty string.
std::string EncodeOpSharding(const Sharding& sharding, const Mesh& mesh);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_OP_SHARDING_H_
