// Integer scalars that depend on the device only, computed for every device.
#ifndef TENON_COMPILER_PARTITION_DEVICE_VALUES_H_
#define TENON_COMPILER_PARTITION_DEVICE_VALUES_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"

namespace tenon::compiler::partition {

// One function of one replica; one thread per object. The function must not change,
// except that ops are added.
class DeviceValues {
 public:
  explicit DeviceValues(int64_t num_devices) : num_devices_(num_devices) {}

  // The value of `scalar` on each device, in the order of partition numbers; nullptr if
  // it depends on other things than the device, or on ops that are not known here. Known
  // are integer arithmetic, comparisons and selections of at most 64 bits.
  const std::vector<int64_t>* Find(mlir::Value scalar);

 private:
  // Empty if unknown.
  std::vector<int64_t> Compute(mlir::Value scalar);

  int64_t num_devices_;
  llvm::DenseMap<mlir::Value, std::vector<int64_t>> known_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_DEVICE_VALUES_H_
