// Follows in-place updates back to the arrays that they change.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_UPDATE_SOURCES_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_UPDATE_SOURCES_H_

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tenon::compiler {

// The values whose storage `value` may take over: the array that an update changes, the
// array that devices add up, the initial value of a carried value, the operand of a
// reshape, and the arrays that the branches of a conditional change or pass on. The
// sources of a conditional are defined outside it; the source of most branches comes
// first. Empty if `value` needs storage of its own.
llvm::SmallVector<mlir::Value> UpdateSources(mlir::OpResult value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_UPDATE_SOURCES_H_
