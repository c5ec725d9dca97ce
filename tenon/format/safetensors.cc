#include "tenon/format/safetensors.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tenon::format {
namespace {

struct DType {
  std::string_view name;
  ElementType type;
};
// Types whose elements have the same bytes in a buffer. F4, F6_E2M3 and F6_E3M2 are
// packed in the file, and take one byte per element in a buffer.
constexpr DType kDTypes[] = {
    {"BOOL", ElementType::kPred},
    {"U8", ElementType::kU8},
    {"I8", ElementType::kS8},
    {"U16", ElementType::kU16},
    {"I16", ElementType::kS16},
    {"U32", ElementType::kU32},
    {"I32", ElementType::kS32},
    {"U64", ElementType::kU64},
    {"I64", ElementType::kS64},
    {"F16", ElementType::kF16},
    {"BF16", ElementType::kBF16},
    {"F32", ElementType::kF32},
    {"F64", ElementType::kF64},
    {"C64", ElementType::kC64},
    {"F8_E4M3", ElementType::kF8E4M3FN},
    {"F8_E5M2", ElementType::kF8E5M2},
    {"F8_E8M0", ElementType::kF8E8M0FNU},
};

// As the library of the format limits it.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr int kMaxDepth = 32;

[[gnu::format(printf, 2, 3)]] bool Refuse(Refusal* refusal, const char* format, ...) {
  refusal->damaged = true;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
  va_end(arguments);
  return false;
}

// A text of the JSON, without its escapes. Longer ones are cut, and marked as long.
struct String {
  char data[kMaxTensorName];
  uint64_t size = 0;
  bool is_long = false;

  void Add(char c) {
    if (size == sizeof data)
      is_long = true;
    else
      data[size++] = c;
  }
  void AddUtf8(uint32_t code) {
    if (code < 0x80) return Add(static_cast<char>(code));
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    Add(static_cast<char>(kFirst[more] | code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i)
      Add(static_cast<char>(0x80 | (code >> (6 * i) & 0x3f)));
  }
  std::string_view view() const { return {data, size}; }
};

// Reads JSON from the front to the back. All functions return false for what is
// malformed.
class Json {
 public:
  explicit Json(std::string_view text) : text_(text) {}

  uint64_t position() const { return at_; }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                  text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  // Whether `c` is next, which is then read.
  bool Take(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Get(String* string);
  bool Get(uint64_t* number);
  // Any value.
  bool Skip(int depth = 0);
  // Reads an object or an array, with `read()` for the content of each entry after the
  // key, which is in `key` if that is not null.
  template <typename Read>
  bool GetEach(char open, char close, String* key, Read read) {
    if (!Take(open)) return false;
    if (Take(close)) return true;
    do {
      if (key && (!Get(key) || !Take(':'))) return false;
      if (!read()) return false;
    } while (Take(','));
    return Take(close);
  }

 private:
  bool GetHex(uint32_t* code);
  bool GetEscape(String* string);

  std::string_view text_;
  uint64_t at_ = 0;
};

bool Json::GetHex(uint32_t* code) {
  *code = 0;
  if (text_.size() - at_ < 4) return false;
  for (int i = 0; i < 4; ++i) {
    const char c = text_[at_++];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    *code = *code << 4 | static_cast<uint32_t>(digit);
  }
  return true;
}

// What follows a backslash.
bool Json::GetEscape(String* string) {
  if (at_ == text_.size()) return false;
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = text_[at_++];
  for (size_t i = 0; i < kLetters.size(); ++i) {
    if (letter != kLetters[i]) continue;
    string->Add(kMeanings[i]);
    return true;
  }
  uint32_t code, low;
  if (letter != 'u' || !GetHex(&code)) return false;
  if (code >> 10 == 0x36) {  // the first of two surrogates
    if (text_.size() - at_ < 2 || text_[at_] != '\\' || text_[at_ + 1] != 'u')
      return false;
    at_ += 2;
    if (!GetHex(&low) || low >> 10 != 0x37) return false;
    code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
  }
  string->AddUtf8(code);
  return true;
}

bool Json::Get(String* string) {
  string->size = 0;
  string->is_long = false;
  if (!Take('"')) return false;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c != '\\')
      string->Add(c);
    else if (!GetEscape(string))
      return false;
  }
  return false;
}

bool Json::Get(uint64_t* number) {
  SkipSpace();
  const uint64_t start = at_;
  *number = 0;
  for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    if (__builtin_mul_overflow(*number, uint64_t{10}, number) ||
        __builtin_add_overflow(*number, static_cast<uint64_t>(text_[at_] - '0'), number))
      return false;
  }
  return at_ > start;
}

bool Json::Skip(int depth) {
  SkipSpace();
  if (at_ == text_.size() || depth > kMaxDepth) return false;
  String ignored;
  const auto skip = [&] { return Skip(depth + 1); };
  switch (text_[at_]) {
    case '"':
      return Get(&ignored);
    case '{':
      return GetEach('{', '}', &ignored, skip);
    case '[':
      return GetEach('[', ']', nullptr, skip);
    default:
      break;
  }
  // A number, true, false or null.
  const uint64_t start = at_;
  constexpr std::string_view kOther = "+-.0123456789Eaeflnrstu";
  while (at_ < text_.size() && std::memchr(kOther.data(), text_[at_], kOther.size()))
    ++at_;
  return at_ > start;
}

class Reader {
 public:
  Reader(std::string_view header, std::string_view values,
         void (*visit)(void* context, const SafeTensor& tensor), void* context,
         Refusal* refusal)
      : header_(header),
        json_(header),
        values_(values),
        visit_(visit),
        context_(context),
        refusal_(refusal) {}

  bool Read(std::string_view* metadata) {
    const auto read = [&] {
      if (name_.view() != "__metadata__") return ReadTensor();
      json_.SkipSpace();
      const uint64_t start = json_.position();
      if (!json_.Skip()) return Malformed();
      if (metadata) *metadata = {header_.data() + start, json_.position() - start};
      return true;
    };
    if (!json_.GetEach('{', '}', &name_, read) || !json_.AtEnd()) return Malformed();
    if (used_ == values_.size()) return true;
    return Refuse(refusal_,
                  "the file is truncated or damaged: its tensors have %llu bytes, but "
                  "%llu bytes follow its header",
                  static_cast<unsigned long long>(used_),
                  static_cast<unsigned long long>(values_.size()));
  }

 private:
  bool Malformed() {
    if (refusal_->reason[0]) return false;
    return Refuse(refusal_, "the file is damaged: byte %llu of its header is unexpected",
                  static_cast<unsigned long long>(json_.position()));
  }
  bool RefuseTensor(const char* why) {
    return Refuse(refusal_, "the file is truncated or damaged: tensor '%.*s' %s",
                  static_cast<int>(name_.size < 60 ? name_.size : 60), name_.data, why);
  }
  bool ReadTensor();
  bool ReadDims();
  bool CheckSize(uint64_t bytes);

  const std::string_view header_;
  Json json_;
  const std::string_view values_;
  void (*const visit_)(void* context, const SafeTensor& tensor);
  void* const context_;
  Refusal* const refusal_;
  String name_, key_, dtype_;
  SafeTensor tensor_;
  uint64_t used_ = 0;  // bytes of values
};

bool Reader::ReadDims() {
  tensor_.rank = 0;
  return json_.GetEach('[', ']', nullptr, [this] {
    uint64_t dim;
    if (!json_.Get(&dim) || dim > INT64_MAX || tensor_.rank == SafeTensor::kMaxRank)
      return false;
    tensor_.dims[tensor_.rank++] = static_cast<int64_t>(dim);
    return true;
  });
}

// Whether a tensor of this type and shape has so many bytes. Only types that buffers
// have are checked.
bool Reader::CheckSize(uint64_t bytes) {
  tensor_.type = ElementType::kInvalid;
  for (const DType& dtype : kDTypes)
    if (dtype.name == tensor_.dtype) tensor_.type = dtype.type;
  if (tensor_.type == ElementType::kInvalid) return true;
  auto wanted = static_cast<uint64_t>(ElementBytes(tensor_.type));
  for (int i = 0; i < tensor_.rank; ++i) {
    if (__builtin_mul_overflow(wanted, static_cast<uint64_t>(tensor_.dims[i]), &wanted))
      return false;
  }
  return wanted == bytes;
}

bool Reader::ReadTensor() {
  bool has_dtype = false, has_dims = false;
  uint64_t range[2], count = 0;
  const auto read_offset = [&] {
    uint64_t offset;
    if (count == 2 || !json_.Get(&offset)) return false;
    range[count++] = offset;
    return true;
  };
  const auto read = [&] {
    if (key_.view() == "dtype") return has_dtype = json_.Get(&dtype_);
    if (key_.view() == "shape") return has_dims = ReadDims();
    if (key_.view() == "data_offsets") {
      count = 0;
      return json_.GetEach('[', ']', nullptr, read_offset);
    }
    return json_.Skip();
  };
  if (!json_.GetEach('{', '}', &key_, read)) return Malformed();
  if (!has_dtype || !has_dims || count != 2)
    return RefuseTensor("has no type, shape or place");
  const uint64_t begin = range[0], end = range[1];
  if (begin > end || end > values_.size()) return RefuseTensor("is out of bounds");
  tensor_.name = name_.view();
  tensor_.dtype = dtype_.view();
  if (!CheckSize(end - begin)) return RefuseTensor("has another size than its shape");
  // Values do not overlap, so their sum is at most the size of all.
  used_ += end - begin;
  if (used_ > values_.size()) return RefuseTensor("overlaps others");
  tensor_.value = {values_.data() + begin, end - begin};
  if (!name_.is_long) visit_(context_, tensor_);
  return true;
}

}  // namespace

bool VisitSafetensors(std::string_view bytes,
                      void (*visit)(void* context, const SafeTensor& tensor),
                      void* context, Refusal* refusal, std::string_view* metadata) {
  if (metadata) *metadata = {};
  refusal->reason[0] = '\0';
  uint64_t header_bytes;
  if (bytes.size() < sizeof header_bytes + 2) {
    return Refuse(refusal, "the file is no safetensors file: it has %llu bytes",
                  static_cast<unsigned long long>(bytes.size()));
  }
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  bytes.remove_prefix(sizeof header_bytes);
  if (header_bytes > kMaxHeaderBytes || bytes[0] != '{')
    return Refuse(refusal, "the file is no safetensors file");
  if (header_bytes > bytes.size()) {
    return Refuse(refusal,
                  "the file is truncated: its header has %llu bytes, but %llu are left",
                  static_cast<unsigned long long>(header_bytes),
                  static_cast<unsigned long long>(bytes.size()));
  }
  Reader reader({bytes.data(), header_bytes},
                {bytes.data() + header_bytes, bytes.size() - header_bytes}, visit,
                context, refusal);
  return reader.Read(metadata);
}

std::string_view SafetensorsType(ElementType type) {
  for (const DType& dtype : kDTypes)
    if (dtype.type == type) return dtype.name;
  return {};
}

}  // namespace tenon::format
