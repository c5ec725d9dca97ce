// The `tenon` dialect (see tenon_ops.td).
#ifndef TENON_COMPILER_DIALECTS_TENON_TENON_OPS_H_
#define TENON_COMPILER_DIALECTS_TENON_TENON_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/compiler/dialects/tenon/tenon_dialect.h.inc"

#define GET_OP_CLASSES
#include "tenon/compiler/dialects/tenon/tenon_ops.h.inc"

#endif  // TENON_COMPILER_DIALECTS_TENON_TENON_OPS_H_
