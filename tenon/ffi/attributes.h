// The attributes of a custom call, which the compiler writes and the runtime reads.
//
// Plain values; depends on neither compiler nor runtime. The encoding is part of the
// image format. A dictionary is a count, followed by its entries in ascending order of
// their names. Every entry has a kind, a name and a payload. Numbers are little-endian.
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
  ElementType type = ElementType::kInvalid;  // for scalars and arrays
  // The elements as in memory (one byte each for sub-byte types), or the string.
  std::string bytes;
  std::vector<Attribute> entries;  // for dictionaries

  static Attribute Scalar(std::string name, ElementType type, std::string bytes);
  static Attribute Array(std::string name, ElementType type, std::string bytes);
  static Attribute String(std::string name, std::string value);
  static Attribute Dictionary(std::string name, std::vector<Attribute> entries);

  int64_t size() const;  // number of elements of an array or scalar
};

// Sorts the entries by name, at every level.
std::string EncodeAttributes(std::vector<Attribute> attributes);
// DATA_LOSS if `bytes` is malformed. An empty string is an empty dictionary.
StatusOr<std::vector<Attribute>> DecodeAttributes(std::string_view bytes);

}  // namespace tenon::ffi

#endif  // TENON_FFI_ATTRIBUTES_H_
