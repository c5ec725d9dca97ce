// Layouts that custom calls ask of their operands and results. Inside, all tensors are
// row-major.
#ifndef TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_
#define TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Gives the operands and results of custom calls with layouts the row-major type of the
// same memory, with transposes around the call that fuse with what is there. Such a call
// has kLiesAsInMemory: its layouts and types together tell what the handler sees.
void ApplyCallLayouts(mlir::func::FuncOp entry);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CALL_LAYOUTS_H_
