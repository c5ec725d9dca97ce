// Custom calls, composites and random number ops.
#ifndef TENON_DIALECTS_STABLEHLO_CALL_OPS_H_
#define TENON_DIALECTS_STABLEHLO_CALL_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/dialect.h"
#include "tenon/dialects/stablehlo/traits.h"

#define GET_OP_CLASSES
#include "tenon/dialects/stablehlo/call_ops.h.inc"

#endif  // TENON_DIALECTS_STABLEHLO_CALL_OPS_H_
