// Narrow floats that a newer MLIR wrote: MLIR 23 gave the builtin types tf32, f8, f6 and
// f4 codes in its bytecode, where MLIR 22 only knows their text.
#include <array>
#include <string>

#include "tenon/compiler/import/byte_cursor.h"
#include "tenon/compiler/import/bytecode_entries.h"

namespace tenon::compiler {
namespace {

constexpr uint64_t kFirstCode = 21;
constexpr std::array<std::string_view, 12> kNames = {
    "tf32",          "f8E5M2", "f8E4M3",   "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
    "f8E4M3B11FNUZ", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",   "f8E8M0FNU"};

}  // namespace

std::string_view EntryTable::NarrowFloat(const Entry& entry) const {
  if (!entry.custom || entry.kind != ValueKind::kFloat ||
      dialects_[entry.dialect] != "builtin")
    return {};
  uint64_t index = ByteCursor(entry.bytes).Varint() - kFirstCode;
  return index < kNames.size() ? kNames[index] : std::string_view();
}

bool EntryTable::SpellNarrowFloats(std::string& bytes, std::string& offsets) const {
  bool found = false;
  for (size_t i = num_attributes_; i < entries_.size(); ++i)
    found |= !NarrowFloat(entries_[i]).empty();
  if (!found) return false;
  AppendVarint(offsets, num_attributes_);
  AppendVarint(offsets, num_types());
  for (size_t i = 0; i < entries_.size();) {
    size_t end = i;
    size_t limit = i < num_attributes_ ? num_attributes_ : entries_.size();
    while (end < limit && entries_[end].dialect == entries_[i].dialect) ++end;
    AppendVarint(offsets, entries_[i].dialect);
    AppendVarint(offsets, end - i);
    for (; i < end; ++i) {
      std::string_view name =
          i < num_attributes_ ? std::string_view() : NarrowFloat(entries_[i]);
      size_t start = bytes.size();
      bytes += name.empty() ? entries_[i].bytes : name;
      if (!name.empty()) bytes += '\0';
      AppendVarint(offsets, (bytes.size() - start) << 1 |
                                (name.empty() && entries_[i].custom ? 1 : 0));
    }
  }
  return true;
}

}  // namespace tenon::compiler
