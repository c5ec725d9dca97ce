#include "tenon/compiler/analysis/element_kinds.h"

namespace tenon::compiler {

bool IsComplex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

bool IsSignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
      return true;
    default:
      return false;
  }
}

bool IsUnsignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return true;
    default:
      return false;
  }
}

bool IsInteger(ElementType type) {
  return IsSignedInteger(type) || IsUnsignedInteger(type);
}

bool IsFloat(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return true;
    default:
      return IsSmallFloat(type);
  }
}

bool IsSmallFloat(ElementType type) {
  switch (type) {
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3B11FNUZ:
    case ElementType::kF8E5M2FNUZ:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E4M3:
    case ElementType::kF8E3M4:
    case ElementType::kF8E8M0FNU:
    case ElementType::kF4E2M1FN:
    case ElementType::kF6E2M3FN:
    case ElementType::kF6E3M2FN:
      return true;
    default:
      return false;
  }
}

ElementType RealType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

}  // namespace tenon::compiler
