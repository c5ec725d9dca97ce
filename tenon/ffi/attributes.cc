#include "tenon/ffi/attributes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenon::ffi {
namespace {

constexpr int kMaxDepth = 32;

class Writer {
 public:
  void Dictionary(std::vector<Attribute>& entries) {
    std::sort(entries.begin(), entries.end(),
              [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    Number<uint32_t>(static_cast<uint32_t>(entries.size()));
    for (Attribute& entry : entries) {
      Number(static_cast<uint8_t>(entry.kind));
      String(entry.name);
      if (entry.kind == Attribute::Kind::kDictionary) {
        Dictionary(entry.entries);
        continue;
      }
      if (entry.kind != Attribute::Kind::kString) {
        Number(static_cast<int32_t>(entry.type));
      }
      String(entry.bytes);
    }
  }
  std::string Take() { return std::move(out_); }

 private:
  template <typename T>
  void Number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      out_.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }
  void String(const std::string& text) {
    Number<uint64_t>(text.size());
    out_ += text;
  }

  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  bool Dictionary(std::vector<Attribute>& entries, int depth) {
    uint32_t count = 0;
    if (depth > kMaxDepth || !Number(count)) return false;
    for (uint32_t i = 0; i < count; ++i) {
      Attribute& entry = entries.emplace_back();
      if (!Entry(entry, depth)) return false;
      if (i > 0 && entries[i - 1].name >= entry.name) return false;
    }
    return true;
  }
  bool AtEnd() const { return in_.empty(); }

 private:
  bool Entry(Attribute& entry, int depth) {
    uint8_t kind = 0;
    if (!Number(kind) || kind < 1 || kind > 4 || !String(entry.name)) return false;
    entry.kind = static_cast<Attribute::Kind>(kind);
    if (entry.kind == Attribute::Kind::kDictionary) {
      return Dictionary(entry.entries, depth + 1);
    }
    if (entry.kind == Attribute::Kind::kString) return String(entry.bytes);
    int32_t type = 0;
    if (!Number(type) || !String(entry.bytes)) return false;
    entry.type = static_cast<ElementType>(type);
    const int64_t element = ElementBytes(entry.type);
    const int64_t size = static_cast<int64_t>(entry.bytes.size());
    if (element <= 0) return false;
    return entry.kind == Attribute::Kind::kScalar ? size == element : size % element == 0;
  }
  template <typename T>
  bool Number(T& value) {
    if (in_.size() < sizeof(T)) return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      bits |= static_cast<uint64_t>(static_cast<uint8_t>(in_[i])) << (8 * i);
    }
    value = static_cast<T>(bits);
    in_.remove_prefix(sizeof(T));
    return true;
  }
  bool String(std::string& text) {
    uint64_t size = 0;
    if (!Number(size) || size > in_.size()) return false;
    text = in_.substr(0, size);
    in_.remove_prefix(size);
    return true;
  }

  std::string_view in_;
};

}  // namespace

Attribute Attribute::Scalar(std::string name, ElementType type, std::string bytes) {
  return {std::move(name), Kind::kScalar, type, std::move(bytes), {}};
}
Attribute Attribute::Array(std::string name, ElementType type, std::string bytes) {
  return {std::move(name), Kind::kArray, type, std::move(bytes), {}};
}
Attribute Attribute::String(std::string name, std::string value) {
  return {std::move(name), Kind::kString, ElementType::kInvalid, std::move(value), {}};
}
Attribute Attribute::Dictionary(std::string name, std::vector<Attribute> entries) {
  return {
      std::move(name), Kind::kDictionary, ElementType::kInvalid, {}, std::move(entries)};
}

int64_t Attribute::size() const {
  return static_cast<int64_t>(bytes.size()) / ElementBytes(type);
}

std::string EncodeAttributes(std::vector<Attribute> attributes) {
  Writer writer;
  writer.Dictionary(attributes);
  return writer.Take();
}

StatusOr<std::vector<Attribute>> DecodeAttributes(std::string_view bytes) {
  std::vector<Attribute> attributes;
  if (bytes.empty()) return attributes;
  Reader reader(bytes);
  if (!reader.Dictionary(attributes, 0) || !reader.AtEnd()) {
    return DataLoss("the attributes of a custom call are malformed");
  }
  return attributes;
}

}  // namespace tenon::ffi
