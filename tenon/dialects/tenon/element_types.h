// MLIR element types and Tenon's, translated both ways.
#ifndef TENON_DIALECTS_TENON_ELEMENT_TYPES_H_
#define TENON_DIALECTS_TENON_ELEMENT_TYPES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/types/element_type.h"

namespace tenon::ir {

// kInvalid for a type no buffer can hold. Integers without sign are StableHLO's signed
// ones.
ElementType ElementTypeOf(mlir::Type type);
// The element type of a tensor or memref.
ElementType ElementTypeOfShaped(mlir::Type type);
mlir::Type MlirTypeOf(ElementType type, mlir::MLIRContext* context);

}  // namespace tenon::ir

#endif  // TENON_DIALECTS_TENON_ELEMENT_TYPES_H_
