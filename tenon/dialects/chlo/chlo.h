// The CHLO dialect: client operations that decompose into StableHLO ops. They occur only
// in imported programs; legalize decomposes them. Owned by the MLIRContext and as
// thread-safe as it.
#ifndef TENON_DIALECTS_CHLO_CHLO_H_
#define TENON_DIALECTS_CHLO_CHLO_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/dialect.h"
#include "tenon/dialects/stablehlo/traits.h"

// clang-format off: attributes use the enumerations.
#include "tenon/dialects/chlo/dialect.h.inc"
#include "tenon/dialects/chlo/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/chlo/attrs.h.inc"
#define GET_OP_CLASSES
#include "tenon/dialects/chlo/ops.h.inc"
// clang-format on

#endif  // TENON_DIALECTS_CHLO_CHLO_H_
