// Conversion between MLIR element types and tenon::ElementType.
#ifndef TENON_DIALECTS_TENON_ELEMENT_TYPES_H_
#define TENON_DIALECTS_TENON_ELEMENT_TYPES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/types/element_type.h"

namespace tenon::ir {

// Returns kInvalid for a type that no buffer can hold. Signless integers are signed, as
// in StableHLO.
ElementType ElementTypeOf(mlir::Type type);
// The element type of a tensor or memref.
ElementType ElementTypeOfShaped(mlir::Type type);
mlir::Type MlirTypeOf(ElementType type, mlir::MLIRContext* context);

}  // namespace tenon::ir

#endif  // TENON_DIALECTS_TENON_ELEMENT_TYPES_H_
