// The text of GSPMD's shardings (mhlo.sharding), which JAX before 0.7 sends.
#ifndef TENON_COMPILER_PARTITION_GSPMD_SHARDING_H_
#define TENON_COMPILER_PARTITION_GSPMD_SHARDING_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "tenon/base/status.h"

namespace tenon::compiler::partition {

// Devices `stride` apart: part of the number of a device, or of its position in an order.
struct DeviceDigits {
  int64_t stride = 1, size = 1;
};

// How a dimension is split, major first.
using DeviceDim = llvm::SmallVector<DeviceDigits, 2>;

struct GspmdSharding {
  enum class Kind { kReplicated, kMaximal, kManual, kTiled };
  Kind kind = Kind::kReplicated;
  int64_t device = 0;           // of a maximal sharding
  int64_t num_devices = 1;      // of a tiled one
  std::vector<int64_t> order;   // its devices by position; empty if 0 to num_devices - 1
  std::vector<DeviceDim> dims;  // of the tensor
  DeviceDim manual;             // along which the program is written per device
};

// Parses `{replicated}`, `{manual}`, `{maximal device=0}`, `{devices=[4,2]<=[8]}`,
// `{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}`, `{devices=[2,2]3,1,0,2}` and
// `{devices=[1,4,2]<=[8] last_tile_dims={manual, replicated}}`. A tuple gives one
// sharding per element. UNIMPLEMENTED for other kinds.
StatusOr<std::vector<GspmdSharding>> ParseGspmdShardings(llvm::StringRef text);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_GSPMD_SHARDING_H_
