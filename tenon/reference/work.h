// Estimates how much an operation computes, from its types. Pure.
#ifndef TENON_REFERENCE_WORK_H_
#define TENON_REFERENCE_WORK_H_

#include <cstdint>

#include "mlir/IR/Operation.h"

namespace tenon::reference {

// Returns the approximate number of element operations in one execution of `op`: its
// input and output elements, times the elements that each output of a product or window
// sums up, times the operations of the computation in its region. Bodies of control flow
// are not counted. Returns INT64_MAX if a size is dynamic.
int64_t EstimateWork(mlir::Operation* op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_WORK_H_
