// Calls of what is outside the op set, and random numbers.
#ifndef TENON_COMPILER_DIALECTS_STABLEHLO_CALL_OPS_H_
#define TENON_COMPILER_DIALECTS_STABLEHLO_CALL_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/dialects/stablehlo/dialect.h"
#include "tenon/compiler/dialects/stablehlo/traits.h"

#define GET_OP_CLASSES
#include "tenon/compiler/dialects/stablehlo/call_ops.h.inc"

#endif  // TENON_COMPILER_DIALECTS_STABLEHLO_CALL_OPS_H_
