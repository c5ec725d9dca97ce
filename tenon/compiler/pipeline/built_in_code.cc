#include "tenon/compiler/pipeline/built_in_code.h"

#include <cstdint>
#include <cstring>

// Defined in programs that are linked with the library tenon_built_in_code.
extern "C" {
extern const char tenon_built_in_code[] __attribute__((weak));
extern const char tenon_built_in_code_end[] __attribute__((weak));
}

namespace tenon::compiler {
namespace {

// The bytes are the number of objects, an entry for each in the order of the keys, the
// keys, and the objects. A search reads few pages of them. In the byte order of the
// machine.
struct Entry {
  // From the first byte of all on.
  uint64_t key_offset, key_size, object_offset, object_size;
};

std::string_view BuiltInBytes() {
  if (!tenon_built_in_code) return {};
  return {tenon_built_in_code,
          static_cast<size_t>(tenon_built_in_code_end - tenon_built_in_code)};
}

template <typename T>
T Read(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <typename T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::optional<std::string_view> FindBuiltInCode(std::string_view key) {
  const std::string_view bytes = BuiltInBytes();
  if (bytes.empty()) return std::nullopt;
  uint64_t begin = 0, end = Read<uint64_t>(bytes, 0);
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    const auto entry = Read<Entry>(bytes, sizeof(uint64_t) + middle * sizeof(Entry));
    const int order = key.compare(bytes.substr(entry.key_offset, entry.key_size));
    if (order == 0) return bytes.substr(entry.object_offset, entry.object_size);
    if (order < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return std::nullopt;
}

std::string PackBuiltInCode(const std::map<std::string, std::string>& objects) {
  uint64_t key_offset = sizeof(uint64_t) + objects.size() * sizeof(Entry);
  uint64_t object_offset = key_offset;
  for (const auto& [key, object] : objects) object_offset += key.size();
  std::string bytes, keys, contents;
  Append(bytes, uint64_t{objects.size()});
  for (const auto& [key, object] : objects) {
    Append(bytes, Entry{key_offset, key.size(), object_offset, object.size()});
    key_offset += key.size();
    object_offset += object.size();
    keys += key;
    contents += object;
  }
  return bytes + keys + contents;
}

}  // namespace tenon::compiler
