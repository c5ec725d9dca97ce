#include "tenon/format/reader.h"

#include <cstdarg>
#include <cstdio>

#include "tenon/format/hash.h"

namespace tenon::format {
namespace {

[[gnu::format(printf, 3, 4)]] bool Refuse(Refusal* refusal, bool damaged,
                                          const char* format, ...) {
  refusal->damaged = damaged;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
  va_end(arguments);
  return false;
}

constexpr bool kDamaged = true, kOther = false;
// How the files before format 2 begin.
constexpr std::string_view kOldMagic = "TenonImg";

bool StartsWith(std::string_view bytes, std::string_view prefix) {
  return bytes.size() >= prefix.size() &&
         std::memcmp(bytes.data(), prefix.data(), prefix.size()) == 0;
}

bool CheckHeader(const Header& header, uint64_t bytes, Refusal* refusal) {
  if (header.major != kMajor) {
    return Refuse(refusal, kOther,
                  "the file has format %u, but this version of Tenon reads format %u; "
                  "compile the program again, or use %s version",
                  header.major, kMajor, header.major > kMajor ? "a newer" : "an older");
  }
  if (header.minor > kMinor) {
    return Refuse(refusal, kOther,
                  "the file has format %u.%u, but this version of Tenon reads formats up "
                  "to %u.%u; use a newer version",
                  header.major, header.minor, kMajor, kMinor);
  }
  if (header.file_bytes != bytes) {
    return Refuse(
        refusal, kDamaged,
        "the file is truncated or damaged: it has %llu bytes, but should have %llu",
        static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(header.file_bytes));
  }
  if (header.abi < kOldestAbi || header.abi > kAbi) {
    return Refuse(refusal, kOther,
                  "the file has code for ABI %u, but this version of Tenon runs ABI %u "
                  "to %u; compile the program again, or use %s version",
                  header.abi, kOldestAbi, kAbi,
                  header.abi > kAbi ? "a newer" : "an older");
  }
  return true;
}

bool CheckSection(const Section& section, uint32_t number, uint64_t file_bytes,
                  Refusal* refusal) {
  const bool aligned = section.alignment != 0 &&
                       (section.alignment & (section.alignment - 1)) == 0 &&
                       section.offset % section.alignment == 0 && section.offset % 8 == 0;
  if (!aligned || section.offset > file_bytes ||
      section.size > file_bytes - section.offset) {
    return Refuse(refusal, kDamaged, "the file is damaged: section %u is out of bounds",
                  number);
  }
  if ((section.kind < kMetadata || section.kind > kLastKind) &&
      section.flags & kRequired) {
    return Refuse(refusal, kOther,
                  "the file has a section of kind %u, which this version of Tenon does "
                  "not know; use a newer version",
                  section.kind);
  }
  return true;
}

}  // namespace

Section Frame::section(uint32_t number) const {
  Section section;
  std::memcpy(&section, bytes_.data() + sizeof(Header) + number * sizeof section,
              sizeof section);
  return section;
}

bool Frame::Read(std::string_view bytes, Refusal* refusal) {
  bytes_ = bytes;
  const uint64_t magic_bytes =
      bytes.size() < sizeof kMagic ? bytes.size() : sizeof kMagic;
  if (bytes.empty() || std::memcmp(bytes.data(), kMagic, magic_bytes) != 0) {
    if (StartsWith(bytes, kOldMagic)) {
      return Refuse(refusal, kOther,
                    "the file has a format from before format %u; compile the program "
                    "again",
                    kMajor);
    }
    return Refuse(refusal, kDamaged, "the file is not an executable of Tenon");
  }
  if (bytes.size() < sizeof(Header)) {
    return Refuse(refusal, kDamaged,
                  "the file is truncated: it has %u bytes, fewer than a header",
                  static_cast<unsigned>(bytes.size()));
  }
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (!CheckHeader(header_, bytes.size(), refusal)) return false;
  const uint64_t table_bytes = uint64_t{header_.num_sections} * sizeof(Section);
  if (header_.header_bytes != sizeof(Header) ||
      header_.section_bytes != sizeof(Section) ||
      table_bytes > bytes.size() - sizeof(Header)) {
    return Refuse(refusal, kDamaged, "the file is damaged: its header is malformed");
  }
  Header unsigned_header = header_;
  unsigned_header.hash = 0;
  Hasher hasher;
  hasher.Add(&unsigned_header, sizeof unsigned_header);
  hasher.Add(bytes.data() + sizeof(Header), table_bytes);
  if (hasher.Finish() != header_.hash) {
    return Refuse(refusal, kDamaged,
                  "the file is damaged: the checksum of its header does not match");
  }
  for (uint32_t i = 0; i < header_.num_sections; ++i)
    if (!CheckSection(section(i), i, bytes.size(), refusal)) return false;
  return true;
}

bool Frame::Find(uint32_t kind, uint32_t index, Section* found) const {
  for (uint32_t i = 0; i < header_.num_sections; ++i) {
    *found = section(i);
    if (found->kind == kind && found->index == index) return true;
  }
  *found = {};
  return false;
}

bool Frame::Check(const Section& section, Refusal* refusal) const {
  if (Hash(bytes_.data() + section.offset, section.size) == section.hash) return true;
  constexpr const char* kNames[] = {
      "", "metadata", "code", "constants", "debug data", "list of weights", "weights"};
  const bool known = section.kind >= kMetadata && section.kind <= kLastKind;
  return Refuse(refusal, kDamaged,
                "the file is damaged: the checksum of its %s does not match",
                known ? kNames[section.kind] : "unknown section");
}

}  // namespace tenon::format
