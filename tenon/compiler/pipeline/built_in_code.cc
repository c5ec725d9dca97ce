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

// Each string is preceded by its length, in the byte order of the machine.
void AddString(std::string& bytes, std::string_view string) {
  const uint64_t size = string.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes += string;
}

std::string_view TakeString(std::string_view& bytes) {
  uint64_t size;
  std::memcpy(&size, bytes.data(), sizeof(size));
  const std::string_view string = bytes.substr(sizeof(size), size);
  bytes.remove_prefix(sizeof(size) + size);
  return string;
}

using Objects = std::map<std::string_view, std::string_view>;

const Objects* ReadObjects() {
  auto* objects = new Objects;
  if (!tenon_built_in_code) return objects;
  std::string_view bytes(tenon_built_in_code,
                         tenon_built_in_code_end - tenon_built_in_code);
  while (!bytes.empty()) {
    const std::string_view key = TakeString(bytes);
    objects->emplace(key, TakeString(bytes));
  }
  return objects;
}

}  // namespace

std::optional<std::string_view> FindBuiltInCode(std::string_view key) {
  static const Objects& objects = *ReadObjects();
  const auto found = objects.find(key);
  if (found == objects.end()) return std::nullopt;
  return found->second;
}

std::string PackBuiltInCode(const std::map<std::string, std::string>& objects) {
  std::string bytes;
  for (const auto& [key, object] : objects) {
    AddString(bytes, key);
    AddString(bytes, object);
  }
  return bytes;
}

}  // namespace tenon::compiler
