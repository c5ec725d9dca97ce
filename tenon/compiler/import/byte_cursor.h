// A bounded position in encoded bytes, with MLIR bytecode's integer encodings.
//
// The first read past the end makes the cursor fail for good. Every later read returns
// zero, so a caller may check ok() once after a group of reads. Not thread-safe.
#ifndef TENON_COMPILER_IMPORT_BYTE_CURSOR_H_
#define TENON_COMPILER_IMPORT_BYTE_CURSOR_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tenon::compiler {

class ByteCursor {
 public:
  ByteCursor() = default;
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return position_ == bytes_.size(); }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  uint8_t Byte() {
    if (!Need(1)) return 0;
    return static_cast<uint8_t>(bytes_[position_++]);
  }

  std::string_view Bytes(uint64_t size) {
    if (!Need(size)) return {};
    std::string_view result = bytes_.substr(position_, size);
    position_ += size;
    return result;
  }

  // The number of trailing zero bits in the first byte is the number of bytes that follow
  // it.
  uint64_t Varint() {
    uint8_t first = Byte();
    if (first & 1) return first >> 1;
    if (!ok_) return 0;
    int extra = first == 0 ? 8 : std::countr_zero(first);
    std::string_view rest = Bytes(extra);
    if (!ok_) return 0;
    uint64_t high = 0;
    std::memcpy(&high, rest.data(), rest.size());
    if (extra == 8) return high;
    return ((high << 8) | first) >> (extra + 1);
  }

  int64_t SignedVarint() {
    uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }

  // A varint whose lowest bit is a flag.
  uint64_t VarintWithFlag(bool& flag) {
    uint64_t value = Varint();
    flag = value & 1;
    return value >> 1;
  }

  // Reads an element count. Every element takes at least one byte, so a count above
  // remaining() is malformed. It fails here, before a caller allocates for it.
  uint64_t Count() {
    uint64_t count = Varint();
    if (count > remaining()) {
      ok_ = false;
      return 0;
    }
    return count;
  }

  std::string_view NulTerminated() {
    size_t end = bytes_.find('\0', position_);
    if (!ok_ || end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    std::string_view result = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return result;
  }

 private:
  bool Need(uint64_t size) {
    if (!ok_ || size > remaining()) {
      ok_ = false;
      return false;
    }
    return true;
  }

  std::string_view bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

// Appends the encoding that ByteCursor::Varint reads.
inline void AppendVarint(std::string& bytes, uint64_t value) {
  int extra = 0;
  while (extra < 8 && value >> (7 * (extra + 1)) != 0) ++extra;
  if (extra == 8) {
    bytes.push_back('\0');
  } else {
    value = (value << 1 | 1) << extra;
    bytes.push_back(static_cast<char>(value));
    value >>= 8;
  }
  for (int i = 0; i < extra; ++i, value >>= 8) bytes.push_back(static_cast<char>(value));
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_BYTE_CURSOR_H_
