#include "tenon/executable/program_text.h"

#include <charconv>

namespace tenon {
namespace {

constexpr std::string_view kNumbered = "dense_resource<tenon_constant_";
constexpr std::string_view kStored = "dense_resource<tenon_stored_";

// Parses a number and the character `end` after it, and removes both from `text`.
bool Consume(std::string_view& text, char end, uint64_t& number) {
  const char* last = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || stop == last || *stop != end) return false;
  text.remove_prefix(stop + 1 - text.data());
  return true;
}

void AppendHex(std::span<const uint8_t> bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out += "dense<\"0x";
  const size_t start = out.size();
  out.resize(start + 2 * bytes.size());
  char* digit = out.data() + start;
  for (uint8_t byte : bytes) {
    *digit++ = kDigits[byte >> 4];
    *digit++ = kDigits[byte & 15];
  }
  out += "\">";
}

}  // namespace

std::string ConstantName(size_t number) {
  return "tenon_constant_" + std::to_string(number);
}

std::string HexConstant(std::span<const uint8_t> bytes) {
  std::string text;
  AppendHex(bytes, text);
  return text;
}

std::string StoredConstant(uint64_t offset, uint64_t size) {
  return std::string(kStored) + std::to_string(offset) + "_" + std::to_string(size) + ">";
}

std::string ReplaceConstants(std::string_view text,
                             const std::vector<std::string>& values) {
  std::string out;
  for (size_t at; (at = text.find(kNumbered)) != std::string_view::npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at + kNumbered.size());
    uint64_t number = 0;
    if (Consume(text, '>', number) && number < values.size()) out += values[number];
  }
  return out += text;
}

StatusOr<std::string> WriteStoredConstants(std::string_view text,
                                           std::span<const uint8_t> section) {
  std::string out;
  for (size_t at; (at = text.find(kStored)) != std::string_view::npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at + kStored.size());
    uint64_t offset = 0, size = 0;
    if (!Consume(text, '_', offset) || !Consume(text, '>', size) ||
        offset > section.size() || size > section.size() - offset)
      return DataLoss(
          "the executable's program refers to a constant that the image lacks");
    AppendHex(section.subspan(offset, size), out);
  }
  return out += text;
}

}  // namespace tenon
