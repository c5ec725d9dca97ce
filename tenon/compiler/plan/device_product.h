// How a product or convolution is divided among the groups of a device. Pure functions;
// any thread.
#ifndef TENON_COMPILER_PLAN_DEVICE_PRODUCT_H_
#define TENON_COMPILER_PLAN_DEVICE_PRODUCT_H_

#include <optional>

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/convolution_plan.h"

namespace tenon::compiler {

struct DeviceProduct {
  enum class Form {
    kTiles,   // groups compute tiles of the results
    kThin,    // few rows or columns: groups compute sums over the longer operand's rows
    kDirect,  // convolutions of few features of many groups: an item for each result
  };
  Form form = Form::kTiles;
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
  ElementType sum = ElementType::kInvalid;
  // If the results do not occupy a device then the depth is cut into parts of part_depth,
  // the last of which may be shorter. Their sums are in scratch memory, and a second
  // phase adds them up in order.
  int64_t parts = 1, part_depth = 1;

  int64_t results() const { return batch * rows * columns; }
  int64_t scratch_bytes() const {
    return parts == 1 ? 0 : parts * results() * ElementBytes(sum);
  }
};

DeviceProduct PlanDeviceProduct(const ContractSpec& spec);
DeviceProduct PlanDeviceProduct(const ConvSpec& spec);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_DEVICE_PRODUCT_H_
