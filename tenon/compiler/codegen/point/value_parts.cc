#include "tenon/compiler/codegen/point/value_parts.h"

#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

Values FlattenParts(llvm::ArrayRef<ElementValue> values) {
  Values parts;
  for (const ElementValue& value : values) {
    parts.push_back(value.re);
    if (value.im) parts.push_back(value.im);
  }
  return parts;
}

llvm::SmallVector<ElementValue> UnflattenParts(mlir::TypeRange types,
                                               llvm::ArrayRef<llvm::Value*> parts) {
  llvm::SmallVector<ElementValue> values;
  for (mlir::Type type : types) {
    ElementValue value{ir::ElementTypeOfShaped(type), parts.front(), nullptr};
    parts = parts.drop_front();
    if (ElementParts(value.type) == 2) {
      value.im = parts.front();
      parts = parts.drop_front();
    }
    values.push_back(value);
  }
  return values;
}

void SetScalars(PointEmitter& points, mlir::ValueRange values, mlir::TypeRange types,
                llvm::ArrayRef<llvm::Value*> parts) {
  for (auto [value, scalar] : llvm::zip_equal(values, UnflattenParts(types, parts)))
    points.SetScalar(value, scalar);
}

}  // namespace tenon::codegen
