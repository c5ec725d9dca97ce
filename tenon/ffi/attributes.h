// The attributes of a custom call, as the compiler writes and the runtime reads them.
//
// Plain values; needs neither compiler nor runtime. The encoding is part of the image
// format: a dictionary is a count and its entries by ascending name; every entry has a
// kind, a name and a payload; numbers are little-endian.
#ifndef TENON_FFI_ATTRIBUTES_H_
#define TENON_FFI_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"

namespace tenon::ffi {

struct Attribute {
  enum class Kind : uint8_t { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };

  std::string name;
  Kind kind = Kind::kScalar;
  ElementType type = ElementType::kInvalid;  // of a scalar or an array's elements
  // The elements as they lie in memory (one byte each below 8 bits), or the string.
  std::string bytes;
  std::vector<Attribute> entries;  // of a dictionary

  static Attribute Scalar(std::string name, ElementType type, std::string bytes);
  static Attribute Array(std::string name, ElementType type, std::string bytes);
  static Attribute String(std::string name, std::string value);
  static Attribute Dictionary(std::string name, std::vector<Attribute> entries);

  int64_t size() const;  // elements of an array or scalar
};

// Sorts by name, at every level.
std::string EncodeAttributes(std::vector<Attribute> attributes);
// DATA_LOSS if `bytes` is not such an encoding; an empty string is an empty dictionary.
StatusOr<std::vector<Attribute>> DecodeAttributes(std::string_view bytes);

}  // namespace tenon::ffi

#endif  // TENON_FFI_ATTRIBUTES_H_
