// Layouts that custom calls request for their operands and results. Inside a program all
// tensors are row-major.
#ifndef TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_
#define TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Changes the operands and results of custom calls with layouts to the row-major type of
// the same memory. Inserts transposes around the call, which fuse with the surrounding
// ops. The call gets kTypesInMemoryOrder: its layouts and types together are what
// the handler sees.
void ApplyCallLayouts(mlir::func::FuncOp entry);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_
