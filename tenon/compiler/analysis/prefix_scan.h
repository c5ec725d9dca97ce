// Which windows are prefix scans: cumulative sums, products, maxima. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_
#define TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_

#include <cstdint>
#include <optional>

#include "mlir/IR/Operation.h"

namespace tenon::compiler {

struct PrefixScan {
  int64_t dim;
  bool reverse;  // each result combines what comes from its own index on
};

// Set if `op` is a reduce_window of which each window holds all elements of one dimension
// up to its own, or from its own on.
std::optional<PrefixScan> AsPrefixScan(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_PREFIX_SCAN_H_
