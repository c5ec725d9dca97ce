// The wire format of xla.OpSharding (xla_data.proto), which op_sharding.cc writes and
// decode_op_sharding.cc reads.
#ifndef TENON_COMPILER_PARTITION_OP_SHARDING_FIELDS_H_
#define TENON_COMPILER_PARTITION_OP_SHARDING_FIELDS_H_

namespace tenon::compiler::partition::op_sharding {

enum Field {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kReplicateOnLastTileDim = 6,
  kLastTileDims = 8,
  kIotaReshapeDims = 9,
  kIotaTransposePerm = 10,
};
enum Type { kReplicated = 0, kMaximal = 1, kOther = 3, kManual = 4, kUnreduced = 6 };

}  // namespace tenon::compiler::partition::op_sharding

#endif  // TENON_COMPILER_PARTITION_OP_SHARDING_FIELDS_H_
