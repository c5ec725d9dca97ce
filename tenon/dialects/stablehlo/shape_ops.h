// Ops that create tensors or change their shape.
#ifndef TENON_DIALECTS_STABLEHLO_SHAPE_OPS_H_
#define TENON_DIALECTS_STABLEHLO_SHAPE_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/dialect.h"
#include "tenon/dialects/stablehlo/traits.h"

#define GET_OP_CLASSES
#include "tenon/dialects/stablehlo/shape_ops.h.inc"

#endif  // TENON_DIALECTS_STABLEHLO_SHAPE_OPS_H_
