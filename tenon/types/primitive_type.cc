#include "tenon/types/primitive_type.h"

namespace tenon {

int32_t PrimitiveTypeNumber(ElementType type) {
  // A switch without default, so that a new element type is a warning here.
  switch (type) {
    case ElementType::kInvalid:
      return 0;
    case ElementType::kPred:
      return 1;
    case ElementType::kS8:
      return 2;
    case ElementType::kS16:
      return 3;
    case ElementType::kS32:
      return 4;
    case ElementType::kS64:
      return 5;
    case ElementType::kU8:
      return 6;
    case ElementType::kU16:
      return 7;
    case ElementType::kU32:
      return 8;
    case ElementType::kU64:
      return 9;
    case ElementType::kF16:
      return 10;
    case ElementType::kF32:
      return 11;
    case ElementType::kF64:
      return 12;
    case ElementType::kC64:
      return 15;
    case ElementType::kBF16:
      return 16;
    case ElementType::kToken:
      return 17;
    case ElementType::kC128:
      return 18;
    case ElementType::kF8E5M2:
      return 19;
    case ElementType::kF8E4M3FN:
      return 20;
    case ElementType::kS4:
      return 21;
    case ElementType::kU4:
      return 22;
    case ElementType::kF8E4M3B11FNUZ:
      return 23;
    case ElementType::kF8E5M2FNUZ:
      return 24;
    case ElementType::kF8E4M3FNUZ:
      return 25;
    case ElementType::kS2:
      return 26;
    case ElementType::kU2:
      return 27;
    case ElementType::kF8E4M3:
      return 28;
    case ElementType::kF8E3M4:
      return 29;
    case ElementType::kF4E2M1FN:
      return 32;
    case ElementType::kF8E8M0FNU:
      return 33;
    case ElementType::kF6E3M2FN:
      return 35;
    case ElementType::kF6E2M3FN:
      return 36;
  }
  return 0;
}

}  // namespace tenon
