// The sdy (Shardy) dialect: how tensors are laid out over a mesh of devices.
// Owned by the MLIRContext; as thread-safe as it.
#ifndef TENON_DIALECTS_SDY_SDY_H_
#define TENON_DIALECTS_SDY_SDY_H_

#include <optional>

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// clang-format off: attributes use the enumerations.
#include "tenon/dialects/sdy/dialect.h.inc"
#include "tenon/dialects/sdy/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/sdy/attrs.h.inc"
#define GET_OP_CLASSES
#include "tenon/dialects/sdy/ops.h.inc"
// clang-format on

#endif  // TENON_DIALECTS_SDY_SDY_H_
