#include "tenon/types/element_type.h"

namespace tenon {

std::string_view ElementTypeName(ElementType type) {
  switch (type) {
    case ElementType::kInvalid:
      return "invalid";
#define X(name, number, text, bits, bytes) \
  case ElementType::name:                  \
    return text;
      TENON_ELEMENT_TYPES(X)
#undef X
  }
  return "invalid";
}

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
#define X(enumerator, number, text, bits, bytes) \
  if (name == text) return ElementType::enumerator;
  TENON_ELEMENT_TYPES(X)
#undef X
  return std::nullopt;
}

std::optional<ElementType> ElementTypeFromNumber(int64_t number) {
  switch (number) {
#define X(name, value, text, bits, bytes) \
  case value:                             \
    return ElementType::name;
    TENON_ELEMENT_TYPES(X)
#undef X
  }
  return std::nullopt;
}

int ElementBits(ElementType type) {
  switch (type) {
    case ElementType::kInvalid:
      return 0;
#define X(name, number, text, bits, bytes) \
  case ElementType::name:                  \
    return bits;
      TENON_ELEMENT_TYPES(X)
#undef X
  }
  return 0;
}

int64_t ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kInvalid:
      return 0;
#define X(name, number, text, bits, bytes) \
  case ElementType::name:                  \
    return bytes;
      TENON_ELEMENT_TYPES(X)
#undef X
  }
  return 0;
}

}  // namespace tenon
