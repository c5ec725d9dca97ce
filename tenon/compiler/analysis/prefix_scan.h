// Recognizes windowed reductions that are prefix scans, such as cumulative sums, products
// and maxima. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_
#define TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_

#include <cstdint>
#include <optional>

#include "mlir/IR/Operation.h"

namespace tenon::compiler {

struct PrefixScan {
  int64_t dim;
  bool reverse;  // each result combines the elements from its own index to the end
};

// Set if `op` is a reduce_window whose windows each hold all elements of one dimension up
// to the result's index, or from it to the end.
std::optional<PrefixScan> AsPrefixScan(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_
