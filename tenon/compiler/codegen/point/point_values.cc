#include "tenon/compiler/codegen/point/point_values.h"

namespace tenon::codegen {

int ElementParts(ElementType type) { return compiler::IsComplex(type) ? 2 : 1; }

ElementValue PointValues::Broadcast(const ElementValue& value) {
  auto splat = [&](llvm::Value* part) -> llvm::Value* {
    if (!part || part->getType()->isVectorTy()) return part;
    return b_.CreateVectorSplat(lanes_.width, part);
  };
  if (lanes_.width == 1) return value;
  return {value.type, splat(value.re), splat(value.im), splat(value.wide)};
}

}  // namespace tenon::codegen
