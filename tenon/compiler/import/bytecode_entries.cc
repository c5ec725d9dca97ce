#include "tenon/compiler/import/bytecode_entries.h"

#include <algorithm>
#include <string>

#include "tenon/compiler/import/byte_cursor.h"
#include "tenon/compiler/import/text_check.h"

namespace tenon::compiler {
namespace {

// Limit of attributes nested in attributes. The longest real chains are call-stack
// locations.
constexpr int kMaxEntryDepth = 512;
// Limit of the entries in one attribute when everything it refers to is printed. Shared
// entries could otherwise expand to more text than can be printed.
constexpr uint64_t kMaxExpandedSize = 1 << 24;
constexpr size_t kMaxEntries = 1 << 23;

enum EntryDialect { kBuiltin, kVhlo, kStablehlo, kChlo, kSdy };
enum EntryKind { kAttribute, kType };

struct EntryFormat {
  EntryDialect dialect;
  EntryKind kind;
  uint64_t code;
  const char* fields;
  ValueKind value = ValueKind::kOther;
  uint32_t width = 0;
};

constexpr EntryFormat kFormats[] = {
#define ENTRY(dialect, kind, code, fields) {dialect, kind, code, fields},
#define NUMBER(dialect, code, value, width) \
  {dialect, kType, code, "", ValueKind::value, width},
#include "tenon/compiler/import/bytecode_entries.inc"
};

const EntryFormat* FindFormat(std::string_view dialect_name, EntryKind kind,
                              uint64_t code) {
  EntryDialect dialect;
  if (dialect_name == "builtin") {
    dialect = kBuiltin;
  } else if (dialect_name == "vhlo") {
    dialect = kVhlo;
  } else if (dialect_name == "stablehlo") {
    dialect = kStablehlo;
  } else if (dialect_name == "chlo") {
    dialect = kChlo;
  } else if (dialect_name == "sdy") {
    dialect = kSdy;
  } else {
    return nullptr;
  }
  for (const EntryFormat& format : kFormats) {
    if (format.dialect == dialect && format.kind == kind && format.code == code) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace

Status EntryTable::Bad(size_t node, std::string_view what) const {
  bool is_type = node >= num_attributes_;
  return InvalidArgument(
      std::string("malformed program: ") + (is_type ? "type " : "attribute ") +
      std::to_string(is_type ? node - num_attributes_ : node) + " of dialect '" +
      std::string(dialects_[entries_[node].dialect]) + "': " + std::string(what));
}

Status EntryTable::ReadOffsets(std::string_view entries, std::string_view offsets) {
  ByteCursor cursor(offsets);
  uint64_t num_attributes = cursor.Count();
  uint64_t num_types = cursor.Count();
  if (!cursor.ok() || num_attributes + num_types > cursor.remaining() ||
      num_attributes + num_types > entries.size()) {
    return InvalidArgument("malformed program: attribute table is cut off");
  }
  if (num_attributes + num_types > kMaxEntries) {
    return InvalidArgument("program has more than " + std::to_string(kMaxEntries) +
                           " attributes and types");
  }
  num_attributes_ = num_attributes;
  entries_.resize(num_attributes + num_types);
  ByteCursor data(entries);
  size_t limits[] = {num_attributes, entries_.size()};
  size_t next = 0;
  for (size_t limit : limits) {
    while (next < limit) {
      uint64_t dialect = cursor.Varint();
      uint64_t count = cursor.Count();
      if (!cursor.ok() || dialect >= dialects_.size() || count > limit - next ||
          count == 0) {
        return InvalidArgument("malformed program: bad group in the attribute table");
      }
      for (; count > 0; --count) {
        Entry& entry = entries_[next++];
        entry.dialect = dialect;
        entry.bytes = data.Bytes(cursor.VarintWithFlag(entry.custom));
      }
      if (!cursor.ok() || !data.ok()) {
        return InvalidArgument(
            "malformed program: attribute data is shorter than its table declares");
      }
    }
  }
  if (!cursor.at_end()) {
    return InvalidArgument("malformed program: bytes follow the attribute table");
  }
  return OkStatus();
}

Status EntryTable::Check(std::string_view entries, std::string_view offsets) {
  TENON_RETURN_IF_ERROR(ReadOffsets(entries, offsets));
  // Types come first, because the width of a number among the attributes depends on its
  // type.
  for (size_t node = num_attributes_; node < entries_.size(); ++node) {
    TENON_RETURN_IF_ERROR(CheckEntry(node));
  }
  for (size_t node = num_attributes_; node < entries_.size(); ++node) {
    if (Status status = CheckType(entries_[node]); !status.ok()) {
      return Bad(node, status.message());
    }
  }
  for (size_t node = 0; node < num_attributes_; ++node) {
    TENON_RETURN_IF_ERROR(CheckEntry(node));
  }
  return CheckReferences();
}

Status EntryTable::CheckText(const Entry& entry) {
  ByteCursor cursor(entry.bytes);
  std::string_view text = cursor.NulTerminated();
  if (!cursor.ok() || !cursor.at_end()) return InvalidArgument("unterminated text");
  return CheckTextNesting(text);
}

// Reads the fields of one entry, checks them, and records the references among them as
// edges.
class EntryTable::FieldReader {
 public:
  FieldReader(EntryTable& table, const Entry& entry)
      : table_(table), entry_(entry), cursor_(entry.bytes), code_(cursor_.Varint()) {}

  uint64_t code() const { return code_; }
  // Whether all reads so far were inside the bytes.
  bool ok() const { return cursor_.ok(); }

  // Reads fields in the form of bytecode_entries.inc. Returns an error text, or an empty
  // string.
  std::string Read(const char* fields) {
    for (const char* field = fields; *field != '\0' && cursor_.ok(); ++field) {
      if (*field != '[') {
        ReadField(*field);
        continue;
      }
      const char* body = field + 1;
      uint64_t count = cursor_.Count();
      for (; count > 0 && cursor_.ok(); --count) {
        for (const char* inner = body; *inner != ']'; ++inner) ReadField(*inner);
      }
      while (*field != ']') ++field;
    }
    if (!problem_.empty()) return problem_;
    if (!cursor_.ok()) return "its data is cut off";
    if (!cursor_.at_end()) return "bytes follow its last field";
    return "";
  }

 private:
  void ReadField(char field) {
    switch (field) {
      case 'v':
      case 's':
        cursor_.Varint();
        break;
      case 'b':
        cursor_.Byte();
        break;
      case 'S':
        if (cursor_.Varint() >= table_.num_strings_)
          problem_ = "string past the end of its table";
        break;
      case 'B':
        cursor_.Bytes(cursor_.Varint());
        break;
      case 'a':
        AddReference(cursor_.Varint(), /*to_type=*/false);
        break;
      case 't':
        last_type_ = cursor_.Varint();
        AddReference(last_type_, /*to_type=*/true);
        break;
      case 'o': {
        bool present = false;
        uint64_t index = cursor_.VarintWithFlag(present);
        if (present) AddReference(index, /*to_type=*/false);
        break;
      }
      case '?':
        if (cursor_.Varint() == 1) AddReference(cursor_.Varint(), /*to_type=*/false);
        break;
      case 'N':
        ReadNumber();
        break;
    }
  }

  void AddReference(uint64_t index, bool to_type) {
    if (index >= (to_type ? table_.num_types() : table_.num_attributes())) {
      problem_ = "reference past the end of its table";
      return;
    }
    table_.edges_.push_back(to_type ? table_.num_attributes_ + index : index);
  }

  // Reads a number of the last type read.
  void ReadNumber() {
    const bool known = last_type_ < table_.num_types();
    uint32_t width = known ? table_.type(last_type_).width : 0;
    ValueKind kind = known ? table_.type(last_type_).kind : ValueKind::kOther;
    bool integer = kind == ValueKind::kInteger || kind == ValueKind::kIndex;
    bool float_code = code_ == (table_.dialects_[entry_.dialect] == "builtin" ? 9 : 8);
    if (width == 0 || (float_code ? kind != ValueKind::kFloat : !integer)) {
      problem_ = "number of a type that is not a number";
    } else if (width <= 8) {
      cursor_.Byte();
    } else if (width <= 64) {
      cursor_.Varint();
    } else {
      uint64_t words = cursor_.Count();
      if (words > width / 64) problem_ = "number wider than its type";
      for (; words > 0; --words) cursor_.Varint();
    }
  }

  EntryTable& table_;
  const Entry& entry_;
  ByteCursor cursor_;
  const uint64_t code_;
  uint64_t last_type_ = 0;
  std::string problem_;
};

Status EntryTable::CheckEntry(size_t node) {
  Entry& entry = entries_[node];
  bool is_type = node >= num_attributes_;
  entry.first_edge = edges_.size();
  if (!entry.custom) {
    if (Status status = CheckText(entry); !status.ok())
      return Bad(node, status.message());
    if (is_type) ClassifyText(entry);
    return OkStatus();
  }

  FieldReader reader(*this, entry);
  uint64_t code = reader.code();
  const EntryFormat* format =
      FindFormat(dialects_[entry.dialect], is_type ? kType : kAttribute, code);
  if (!reader.ok() || format == nullptr) {
    return Bad(node, "unknown code " + std::to_string(code));
  }
  if (std::string problem = reader.Read(format->fields); !problem.empty()) {
    return Bad(node, problem);
  }
  if (is_type) {
    entry.kind = format->value;
    entry.width = format->width;
    ClassifyType(entry, code, format->fields);
  } else if (Status status = CheckDense(entry, code); !status.ok()) {
    return Bad(node, status.message());
  }
  return OkStatus();
}

// Depth-first search over the references, without recursion: a recursive reader would not
// terminate on a cycle and would overflow the stack on a very deep chain.
Status EntryTable::CheckReferences() {
  // Types were read first. An entry's edges end where those of the next entry read begin.
  auto edges_end = [&](size_t node) {
    if (node + 1 == entries_.size()) {
      return num_attributes_ > 0 ? entries_[0].first_edge : edges_.size();
    }
    if (node + 1 == num_attributes_) return edges_.size();
    return entries_[node + 1].first_edge;
  };
  constexpr int kUnseen = 0, kOpen = -1;
  std::vector<int> depth(entries_.size(), kUnseen);
  std::vector<uint64_t> expanded(entries_.size(), 1);
  std::vector<std::pair<size_t, size_t>> stack;  // entry, next edge
  for (size_t root = 0; root < entries_.size(); ++root) {
    if (depth[root] != kUnseen) continue;
    stack.emplace_back(root, entries_[root].first_edge);
    depth[root] = kOpen;
    while (!stack.empty()) {
      auto& [node, edge] = stack.back();
      if (edge == edges_end(node)) {
        int deepest = 0;
        for (size_t e = entries_[node].first_edge; e < edge; ++e) {
          deepest = std::max(deepest, depth[edges_[e]]);
          expanded[node] += expanded[edges_[e]];
          if (expanded[node] > kMaxExpandedSize)
            return Bad(node, "too large when its references are expanded");
        }
        if (deepest + 1 > kMaxEntryDepth) return Bad(node, "nested too deep");
        depth[node] = deepest + 1;
        stack.pop_back();
        continue;
      }
      size_t target = edges_[edge++];
      if (depth[target] == kOpen) return Bad(target, "refers to itself");
      if (depth[target] == kUnseen) {
        depth[target] = kOpen;
        stack.emplace_back(target, entries_[target].first_edge);
      }
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler
