// Checks the attribute and type tables of a program in MLIR bytecode before MLIR's
// reader, which trusts its input, sees them. Used by bytecode_check.cc only; not
// thread-safe.
#ifndef TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_
#define TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::compiler {

class EntryTable {
 public:
  // `dialects` are the names of the file's dialect table; must outlive the call to Check.
  EntryTable(const std::vector<std::string_view>& dialects, size_t num_strings)
      : dialects_(dialects), num_strings_(num_strings) {}

  // Checks every entry: known code, all fields inside its bytes, references inside the
  // tables and without cycles, types and dense data of a form that MLIR accepts without
  // asking.
  Status Check(std::string_view entries, std::string_view offsets);

  size_t num_attributes() const { return num_attributes_; }
  size_t num_types() const { return entries_.size() - num_attributes_; }

 private:
  enum class Shape : uint8_t {
    kOther,
    kInteger,
    kIndex,
    kFloat,
    kComplex,
    kQuantized,
    kTensor
  };

  struct Entry {
    std::string_view bytes;
    uint32_t dialect = 0;
    bool custom = false;
    // Of types: what it is, bits of one value, the element type of a tensor or complex
    // type and the number of elements, -1 if dynamic.
    Shape shape = Shape::kOther;
    uint32_t width = 0;
    uint32_t element = 0;
    int64_t num_elements = -1;
    size_t first_edge = 0;
  };

  Status ReadOffsets(std::string_view entries, std::string_view offsets);
  Status CheckEntry(size_t node);
  Status CheckText(const Entry& entry);
  void ClassifyType(Entry& entry, uint64_t code);
  Status CheckType(const Entry& entry);
  Status CheckDense(const Entry& entry, uint64_t code);
  Status CheckDepth();
  Status Bad(size_t node, std::string_view what) const;
  const Entry& type(uint64_t index) const { return entries_[num_attributes_ + index]; }
  bool IsElement(uint64_t type_index) const;

  const std::vector<std::string_view>& dialects_;
  const size_t num_strings_;
  size_t num_attributes_ = 0;
  std::vector<Entry> entries_;   // attributes, then types
  std::vector<uint32_t> edges_;  // entries that an entry refers to, grouped by entry
};

// Whether brackets in `text` nest so deep that a recursive parser could run out of stack,
// or it has affine maps, which recurse without brackets.
Status CheckTextNesting(std::string_view text);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_BYTECODE_ENTRIES_H_
