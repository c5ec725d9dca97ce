// Checks the attribute and type tables of a program in MLIR bytecode, because MLIR's
// reader trusts its input. Used by bytecode_check.cc only; not thread-safe.
#ifndef TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_
#define TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::compiler {

// The kind of a type's values.
enum class ValueKind : uint8_t {
  kOther,
  kInteger,
  kIndex,
  kFloat,
  kComplex,
  kQuantized,
  kTensor
};

class EntryTable {
 public:
  // `dialects` are the names of the file's dialect table; they must outlive the call to
  // Check.
  EntryTable(const std::vector<std::string_view>& dialects, size_t num_strings)
      : dialects_(dialects), num_strings_(num_strings) {}

  // Checks every entry: the code is known, all fields lie inside the entry's bytes,
  // references lie inside the tables and form no cycle, and types and dense data satisfy
  // the conditions that MLIR only asserts.
  Status Check(std::string_view entries, std::string_view offsets);

  // Encodes the table again, with narrow floats as text instead of the codes of MLIR 23.
  // Returns false, and writes nothing, if the table has no such type. Check must have
  // succeeded.
  bool SpellNarrowFloats(std::string& entries, std::string& offsets) const;

  size_t num_attributes() const { return num_attributes_; }
  size_t num_types() const { return entries_.size() - num_attributes_; }

 private:
  struct Entry {
    std::string_view bytes;
    uint32_t dialect = 0;
    bool custom = false;
    size_t first_edge = 0;
    // For types only: the kind of the values; the bits of one number; the element type of
    // a tensor or complex type; the product of a tensor's static sizes (-1: to be
    // rejected); whether a tensor has dynamic sizes.
    ValueKind kind = ValueKind::kOther;
    uint32_t width = 0;
    uint32_t element = 0;
    int64_t num_elements = 0;
    bool dynamic = false;
  };

  // Reads the fields of one entry (bytecode_entries.cc).
  class FieldReader;

  Status ReadOffsets(std::string_view entries, std::string_view offsets);
  Status CheckEntry(size_t node);
  Status CheckText(const Entry& entry);
  Status CheckReferences();
  // Defined in bytecode_types.cc:
  void ClassifyText(Entry& entry);
  void ClassifyType(Entry& entry, uint64_t code, std::string_view fields);
  Status CheckType(const Entry& entry);
  Status CheckDense(const Entry& entry, uint64_t code);
  Status Bad(size_t node, std::string_view what) const;
  // Defined in bytecode_narrow_floats.cc: the name of a type that has a code in MLIR 23
  // only; empty for all others.
  std::string_view NarrowFloat(const Entry& entry) const;
  const Entry& type(uint64_t index) const { return entries_[num_attributes_ + index]; }
  bool IsElement(uint64_t type_index) const;

  const std::vector<std::string_view>& dialects_;
  const size_t num_strings_;
  size_t num_attributes_ = 0;
  std::vector<Entry> entries_;   // attributes, then types
  std::vector<uint32_t> edges_;  // targets of each entry's references, grouped by entry
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_
