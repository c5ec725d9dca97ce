#include "tenon/types/npy.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "tenon/types/canonical_bytes.h"

namespace tenon {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// NumPy's type string without byte order; empty for types without one.
std::string_view NumpyCode(ElementType type) {
  switch (type) {
    case ElementType::kPred:
      return "b1";
    case ElementType::kS8:
      return "i1";
    case ElementType::kS16:
      return "i2";
    case ElementType::kS32:
      return "i4";
    case ElementType::kS64:
      return "i8";
    case ElementType::kU8:
      return "u1";
    case ElementType::kU16:
      return "u2";
    case ElementType::kU32:
      return "u4";
    case ElementType::kU64:
      return "u8";
    case ElementType::kF16:
      return "f2";
    case ElementType::kF32:
      return "f4";
    case ElementType::kF64:
      return "f8";
    case ElementType::kC64:
      return "c8";
    case ElementType::kC128:
      return "c16";
    case ElementType::kBF16:
      return "V2";
    case ElementType::kToken:
    case ElementType::kInvalid:
      return "";
    default:
      return "V1";
  }
}

// The text of the value of `key` in the header's dictionary.
std::string_view HeaderField(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const size_t start = header.find(quoted);
  if (start == std::string_view::npos) return {};
  std::string_view rest = header.substr(start + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

StatusOr<Dims> ParseDims(std::string_view text) {
  Dims dims;
  const size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos)
    return InvalidArgument("npy header has no shape");
  std::string_view rest = text.substr(1, close - 1);
  while (true) {
    const size_t digit = rest.find_first_not_of(" ,L");
    if (digit == std::string_view::npos) return dims;
    rest.remove_prefix(digit);
    int64_t size = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size < 0)
      return InvalidArgument("npy header has a malformed shape: " + std::string(text));
    dims.push_back(size);
    rest.remove_prefix(end - rest.data());
  }
}

StatusOr<ElementType> ParseType(std::string_view descr, ElementType expected) {
  const std::string_view code = descr.size() > 1 ? descr.substr(1) : std::string_view();
  if (descr.starts_with('>') && code != "b1" && code != "i1" && code != "u1")
    return Unimplemented("npy file is big-endian (" + std::string(descr) + ")");
  if (code.starts_with('V') || code == "f1") {
    const int64_t bytes =
        code == "f1" ? 1 : std::atoi(std::string(code.substr(1)).c_str());
    if (expected == ElementType::kInvalid)
      return InvalidArgument("npy file holds raw elements (" + std::string(descr) +
                             ") and the element type was not stated");
    if (bytes != ElementBytes(expected))
      return InvalidArgument("npy file holds raw elements of " + std::to_string(bytes) +
                             " bytes, not " + std::string(ElementTypeName(expected)));
    return expected;
  }
  ElementType type = ElementType::kInvalid;
#define X(name, number, text, bits, size) \
  if (NumpyCode(ElementType::name) == code && code[0] != 'V') type = ElementType::name;
  TENON_ELEMENT_TYPES(X)
#undef X
  if (type == ElementType::kInvalid)
    return Unimplemented("npy element type '" + std::string(descr) + "'");
  if (expected == ElementType::kInvalid || expected == type) return type;
  // Raw bytes written as integers of the same width, e.g. bf16 as u2.
  if (ElementBytes(type) == ElementBytes(expected) && NumpyCode(expected)[0] == 'V' &&
      code[0] == 'u')
    return expected;
  return InvalidArgument("npy file holds " + std::string(ElementTypeName(type)) +
                         ", expected " + std::string(ElementTypeName(expected)));
}

Literal FromFortranOrder(const Literal& stored, Dims dims) {
  const Dims reversed(dims.rbegin(), dims.rend());
  const Dims strides = RowMajorStrides(reversed);
  Literal literal(stored.type(), dims);
  uint8_t* out = literal.mutable_data();
  const int64_t bytes = ElementBytes(stored.type());
  Dims index(dims.size());
  for (int64_t i = 0; i < literal.count(); ++i, NextIndex(dims, index)) {
    int64_t from = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      from += index[d] * strides[dims.size() - 1 - d];
    std::memcpy(out + i * bytes, stored.data() + from * bytes, bytes);
  }
  return literal;
}

}  // namespace

StatusOr<Literal> ParseNpy(std::span<const uint8_t> bytes, ElementType expected) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 10 || !text.starts_with(kMagic))
    return InvalidArgument("not an npy file");
  const int version = bytes[6];
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || text.size() < 8 + length_bytes)
    return InvalidArgument("npy version " + std::to_string(version) + " is unknown");
  size_t header_size = 0;
  for (size_t i = length_bytes; i-- > 0;) header_size = header_size << 8 | bytes[8 + i];
  if (header_size > text.size() - 8 - length_bytes)
    return InvalidArgument("npy header is cut off");
  const std::string_view header = text.substr(8 + length_bytes, header_size);
  const std::string_view data = text.substr(8 + length_bytes + header_size);

  const std::string_view descr = HeaderField(header, "descr");
  const size_t quote = descr.empty() ? std::string_view::npos : descr.find('\'', 1);
  if (quote == std::string_view::npos || descr[0] != '\'')
    return InvalidArgument("npy header has no element type");
  TENON_ASSIGN_OR_RETURN(ElementType type,
                         ParseType(descr.substr(1, quote - 1), expected));
  TENON_ASSIGN_OR_RETURN(Dims dims, ParseDims(HeaderField(header, "shape")));
  TENON_ASSIGN_OR_RETURN(int64_t size, CountBytes(type, dims));
  if (static_cast<int64_t>(data.size()) < size)
    return InvalidArgument("npy file is cut off: " + ShapeString(type, dims) + " takes " +
                           std::to_string(size) + " bytes, " +
                           std::to_string(data.size()) + " are there");
  const bool fortran = HeaderField(header, "fortran_order").starts_with("True");
  Literal literal = Literal::Copy(type, dims, data.data());
  MakeBytesCanonical(type, literal.mutable_data(), static_cast<size_t>(size));
  return fortran ? FromFortranOrder(literal, std::move(dims)) : literal;
}

StatusOr<std::string> FormatNpy(const Literal& literal) {
  const std::string_view code = NumpyCode(literal.type());
  if (code.empty())
    return InvalidArgument("a " + std::string(ElementTypeName(literal.type())) +
                           " cannot be stored as npy");
  std::string header = "{'descr': '";
  header += ElementBytes(literal.type()) == 1 && code[0] != 'V' ? '|' : '<';
  header += code;
  header += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : literal.dims()) header += std::to_string(size) + ",";
  header += "), }";
  // Magic, version, length and header together are a multiple of 64 bytes.
  header.append(63 - (kMagic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(literal.data()),
               static_cast<size_t>(literal.byte_size()));
  return bytes;
}

StatusOr<Literal> ReadNpy(const std::string& path, ElementType expected) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot open '" + path + "'");
  const std::string bytes((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  auto literal =
      ParseNpy({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, expected);
  if (!literal.ok()) return literal.status().WithPrefix(path);
  return literal;
}

Status WriteNpy(const std::string& path, const Literal& literal) {
  auto bytes = FormatNpy(literal);
  if (!bytes.ok()) return bytes.status().WithPrefix(path);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  if (!file) return Internal("cannot write '" + path + "'");
  return OkStatus();
}

}  // namespace tenon
