// How much an operation computes, told from its types. Pure.
#ifndef TENON_REFERENCE_WORK_H_
#define TENON_REFERENCE_WORK_H_

#include <cstdint>

#include "mlir/IR/Operation.h"

namespace tenon::reference {

// Element operations that one execution of `op` takes, roughly: its elements in and out,
// times the elements that each output of a product or window adds up, times the
// operations of the computation it carries. Bodies of control flow are not counted;
// INT64_MAX where a size is dynamic.
int64_t EstimateWork(mlir::Operation* op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_WORK_H_
