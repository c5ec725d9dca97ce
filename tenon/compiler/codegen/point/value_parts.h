// Element values as lists of their parts: the form in which loops carry them and
// functions receive them. No state.
#ifndef TENON_COMPILER_CODEGEN_POINT_VALUE_PARTS_H_
#define TENON_COMPILER_CODEGEN_POINT_VALUE_PARTS_H_

#include "mlir/IR/TypeRange.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/point/point_emitter.h"

namespace tenon::codegen {

// Returns the parts of all values, in order.
Values FlattenParts(llvm::ArrayRef<ElementValue> values);
// The inverse. `types` are the types of the values.
llvm::SmallVector<ElementValue> UnflattenParts(mlir::TypeRange types,
                                               llvm::ArrayRef<llvm::Value*> parts);
// Sets `values`, of the given types, to these parts.
void SetScalars(PointEmitter& points, mlir::ValueRange values, mlir::TypeRange types,
                llvm::ArrayRef<llvm::Value*> parts);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_VALUE_PARTS_H_
