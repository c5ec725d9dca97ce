// Reads the frame of a .tenon file (header, section table) and the tables of a section,
// with bounds checks, in place.
//
// Allocates nothing and needs no C++ library. Thread-safe, as it only reads.
#ifndef TENON_FORMAT_READER_H_
#define TENON_FORMAT_READER_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "tenon/format/layout.h"

namespace tenon::format {

// Why a file is refused. `damaged` tells damage from files that are whole but of another
// format or ABI.
struct Refusal {
  bool damaged = true;
  char reason[192] = {};  // ends in NUL; begins with "the file"
};

// The file with its checked header and section table.
class Frame {
 public:
  // Checks, in this order: the magic number, that the header is complete, the format,
  // that the file is complete, the ABI, the hash of header and table, and that all
  // sections are in bounds and of known kinds. Reads no section. False, with `*refusal`,
  // if the file is refused. `bytes` must outlive the frame.
  bool Read(std::string_view bytes, Refusal* refusal);

  const Header& header() const { return header_; }
  uint32_t num_sections() const { return header_.num_sections; }
  Section section(uint32_t number) const;
  // The first section of this kind and index. False if there is none.
  bool Find(uint32_t kind, uint32_t index, Section* section) const;
  // The content of `section`.
  std::string_view Content(const Section& section) const {
    return {bytes_.data() + section.offset, section.size};
  }
  // Compares the section's hash with its content, which it reads.
  bool Check(const Section& section, Refusal* refusal) const;

 private:
  std::string_view bytes_;
  Header header_ = {};
};

// The records of one section. All functions return false for what is out of bounds.
class Records {
 public:
  explicit Records(std::string_view section) : section_(section) {}

  // The struct at offset 0, whose first field is its size.
  template <typename T>
  bool Root(T* root) const {
    uint64_t bytes = 0;
    if (section_.size() < sizeof bytes) return false;
    std::memcpy(&bytes, section_.data(), sizeof bytes);
    if (bytes < sizeof bytes || bytes > section_.size()) return false;
    CopyRecord(0, bytes, root);
    return true;
  }
  bool Get(Text text, std::string_view* out) const {
    if (!InBounds(text.offset, text.size)) return false;
    *out = {section_.data() + text.offset, text.size};
    return true;
  }
  // The text as a C string.
  bool Get(Text text, const char** out) const {
    *out = "";
    if (text.size == 0) return true;
    if (!InBounds(text.offset, text.size) || text.size == section_.size() - text.offset)
      return false;
    *out = section_.data() + text.offset;
    return (*out)[text.size] == '\0';
  }
  // Whether all records of the table are in bounds. Get requires it.
  bool Check(Table table) const {
    if (table.count == 0) return true;
    return table.record_bytes >= 8 && table.offset % 8 == 0 &&
           InBounds(table.offset, uint64_t{table.count} * table.record_bytes);
  }
  // Record `i` of a table that Check accepted. Fields that the file lacks are zero.
  template <typename T>
  T Get(Table table, uint32_t i) const {
    T record;
    CopyRecord(table.offset + uint64_t{i} * table.record_bytes, table.record_bytes,
               &record);
    return record;
  }
  // A table of int64 in place; null if it is empty. It must be in bounds, and the section
  // must be aligned to 8 bytes.
  bool Numbers(Table table, const int64_t** out) const {
    *out = nullptr;
    if (table.count == 0) return true;
    if (!Check(table) || table.record_bytes != sizeof(int64_t)) return false;
    *out = reinterpret_cast<const int64_t*>(section_.data() + table.offset);
    return true;
  }

 private:
  bool InBounds(uint64_t offset, uint64_t size) const {
    return offset <= section_.size() && size <= section_.size() - offset;
  }
  template <typename T>
  void CopyRecord(uint64_t offset, uint64_t bytes, T* record) const {
    *record = {};
    std::memcpy(static_cast<void*>(record), section_.data() + offset,
                bytes < sizeof *record ? bytes : sizeof *record);
  }

  std::string_view section_;
};

}  // namespace tenon::format

#endif  // TENON_FORMAT_READER_H_
