// For tests: files that have been changed, with correct checksums, and files of weights.
#ifndef TENON_FORMAT_TESTING_H_
#define TENON_FORMAT_TESTING_H_

#include <cstring>
#include <string>
#include <utility>

#include "tenon/format/hash.h"
#include "tenon/format/layout.h"
#include "tenon/format/reader.h"

namespace tenon::format {

// `bytes` with the hashes that its content has, as far as it has the form of a file.
inline std::string WithChecksums(std::string bytes) {
  Header header;
  if (bytes.size() < sizeof header) return bytes;
  std::memcpy(&header, bytes.data(), sizeof header);
  const uint64_t table_bytes = uint64_t{header.num_sections} * sizeof(Section);
  if (table_bytes > bytes.size() - sizeof header) return bytes;
  for (uint32_t i = 0; i < header.num_sections; ++i) {
    char* at = bytes.data() + sizeof header + i * sizeof(Section);
    Section section;
    std::memcpy(&section, at, sizeof section);
    if (section.offset > bytes.size() || section.size > bytes.size() - section.offset)
      continue;
    section.hash = Hash(bytes.data() + section.offset, section.size);
    std::memcpy(at, &section, sizeof section);
  }
  header.hash = 0;
  Hasher hasher;
  hasher.Add(&header, sizeof header);
  hasher.Add(bytes.data() + sizeof header, table_bytes);
  header.hash = hasher.Finish();
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// A safetensors file with this header and data. Spaces after the header bring the data to
// a multiple of `alignment`.
inline std::string Safetensors(std::string header, const std::string& data,
                               size_t alignment = 64) {
  while ((8 + header.size()) % alignment) header += ' ';
  const uint64_t header_bytes = header.size();
  std::string bytes(sizeof header_bytes, '\0');
  std::memcpy(bytes.data(), &header_bytes, sizeof header_bytes);
  return bytes + header + data;
}

}  // namespace tenon::format

#endif  // TENON_FORMAT_TESTING_H_
