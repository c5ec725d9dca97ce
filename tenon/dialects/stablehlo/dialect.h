// The StableHLO dialect class, its enumerations, attributes and types.
// Owned by the MLIRContext; as thread-safe as it.
#ifndef TENON_DIALECTS_STABLEHLO_DIALECT_H_
#define TENON_DIALECTS_STABLEHLO_DIALECT_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

// clang-format off: attributes use the enumerations.
#include "tenon/dialects/stablehlo/dialect.h.inc"
#include "tenon/dialects/stablehlo/enums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tenon/dialects/stablehlo/types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/stablehlo/attrs.h.inc"
// clang-format on

#endif  // TENON_DIALECTS_STABLEHLO_DIALECT_H_
