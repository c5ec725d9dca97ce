#include "tenon/compiler/import/bytecode_entries.h"

#include <limits>
#include <string>

#include "llvm/ADT/StringExtras.h"
#include "tenon/compiler/import/byte_cursor.h"

namespace tenon::compiler {
namespace {

// Chains of attributes inside attributes: locations of a deep call stack are the longest.
constexpr int kMaxEntryDepth = 512;
constexpr int kMaxTextDepth = 300;
constexpr uint32_t kMaxIntegerWidth = 128;
constexpr int64_t kMaxElements = int64_t{1} << 56;

enum EntryDialect { kBuiltin, kVhlo, kSdy };
enum EntryKind { kAttribute, kType };

struct EntryFormat {
  EntryDialect dialect;
  EntryKind kind;
  uint64_t code;
  const char* fields;
};

constexpr EntryFormat kFormats[] = {
#define ENTRY(dialect, kind, code, fields) {dialect, kind, code, fields},
#include "tenon/compiler/import/bytecode_entries.inc"
};

const char* FieldsOf(std::string_view dialect_name, EntryKind kind, uint64_t code) {
  EntryDialect dialect;
  if (dialect_name == "builtin") {
    dialect = kBuiltin;
  } else if (dialect_name == "vhlo") {
    dialect = kVhlo;
  } else if (dialect_name == "sdy") {
    dialect = kSdy;
  } else {
    return nullptr;
  }
  for (const EntryFormat& format : kFormats) {
    if (format.dialect == dialect && format.kind == kind && format.code == code) {
      return format.fields;
    }
  }
  return nullptr;
}

// Bits of the float types that have a code or are spelled out; 0 if `text` is none of
// them.
uint32_t FloatWidth(std::string_view text) {
  if (text == "bf16" || text == "f16") return 16;
  if (text == "tf32") return 19;
  if (text == "f32") return 32;
  if (text == "f64") return 64;
  if (text.starts_with("f8E")) return 8;
  if (text.starts_with("f6E")) return 6;
  if (text.starts_with("f4E")) return 4;
  return 0;
}

bool IsIdentifierCharacter(char c) {
  return llvm::isAlnum(c) || llvm::StringRef("_$.-@%#!^").contains(c);
}

// Whether the word at `position` is `keyword` and not a part of a longer name.
bool IsKeyword(std::string_view text, size_t position, std::string_view keyword) {
  std::string_view rest = text.substr(position);
  return rest.starts_with(keyword) &&
         (rest.size() == keyword.size() ||
          !IsIdentifierCharacter(rest[keyword.size()])) &&
         (position == 0 || !IsIdentifierCharacter(text[position - 1]));
}

}  // namespace

Status CheckTextNesting(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '/':
        if (i + 1 < text.size() && text[i + 1] == '/') {
          while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
        }
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > kMaxTextDepth) {
          return InvalidArgument("malformed program: brackets nest deeper than " +
                                 std::to_string(kMaxTextDepth));
        }
        break;
      case '>':
        if (i > 0 && text[i - 1] == '-') break;  // an arrow
        [[fallthrough]];
      case ')':
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case 'a':
        if (IsKeyword(text, i, "affine_map") || IsKeyword(text, i, "affine_set")) {
          return InvalidArgument(
              "malformed program: affine maps and sets are not accepted");
        }
        break;
      default:
        break;
    }
  }
  return OkStatus();
}

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
  if (!cursor.ok() || num_attributes + num_types > cursor.remaining()) {
    return InvalidArgument("malformed program: attribute table is cut off");
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
            "malformed program: attributes end before their table says");
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
  // Types first: numbers among the attributes are as wide as their types say.
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
  return CheckDepth();
}

Status EntryTable::CheckText(const Entry& entry) {
  ByteCursor cursor(entry.bytes);
  std::string_view text = cursor.NulTerminated();
  if (!cursor.ok() || !cursor.at_end()) return InvalidArgument("unterminated text");
  return CheckTextNesting(text);
}

Status EntryTable::CheckEntry(size_t node) {
  Entry& entry = entries_[node];
  bool is_type = node >= num_attributes_;
  entry.first_edge = edges_.size();
  if (!entry.custom) {
    if (Status status = CheckText(entry); !status.ok())
      return Bad(node, status.message());
    if (is_type) {
      entry.width = FloatWidth(entry.bytes.substr(0, entry.bytes.size() - 1));
      entry.shape = entry.width > 0 ? Shape::kFloat : Shape::kOther;
      if (entry.bytes.starts_with("!quant.")) entry.shape = Shape::kQuantized;
    }
    return OkStatus();
  }

  ByteCursor cursor(entry.bytes);
  uint64_t code = cursor.Varint();
  const char* fields =
      FieldsOf(dialects_[entry.dialect], is_type ? kType : kAttribute, code);
  if (!cursor.ok() || fields == nullptr) {
    return Bad(node, "unknown code " + std::to_string(code));
  }

  uint64_t last_type = 0;
  std::string problem;
  auto add_edge = [&](uint64_t index, bool to_type) {
    if (index >= (to_type ? num_types() : num_attributes())) {
      problem = "reference past the end of its table";
      return;
    }
    edges_.push_back(to_type ? num_attributes_ + index : index);
  };
  auto read_number = [&] {
    uint32_t width = last_type < num_types() ? type(last_type).width : 0;
    Shape shape = last_type < num_types() ? type(last_type).shape : Shape::kOther;
    bool integer = shape == Shape::kInteger || shape == Shape::kIndex;
    bool float_code = code == (dialects_[entry.dialect] == "builtin" ? 9 : 8);
    if (width == 0 || (float_code ? shape != Shape::kFloat : !integer)) {
      problem = "number of a type that is not a number";
    } else if (width <= 8) {
      cursor.Byte();
    } else if (width <= 64) {
      cursor.Varint();
    } else {
      uint64_t words = cursor.Count();
      if (words > width / 64) problem = "number wider than its type";
      for (; words > 0; --words) cursor.Varint();
    }
  };
  auto read_field = [&](char field) {
    switch (field) {
      case 'v':
      case 's':
        cursor.Varint();
        break;
      case 'b':
        cursor.Byte();
        break;
      case 'S':
        if (cursor.Varint() >= num_strings_) problem = "string past the end of its table";
        break;
      case 'B':
        cursor.Bytes(cursor.Varint());
        break;
      case 'a':
        add_edge(cursor.Varint(), /*to_type=*/false);
        break;
      case 't':
        last_type = cursor.Varint();
        add_edge(last_type, /*to_type=*/true);
        break;
      case 'o': {
        bool present = false;
        uint64_t index = cursor.VarintWithFlag(present);
        if (present) add_edge(index, /*to_type=*/false);
        break;
      }
      case '?':
        if (cursor.Varint() == 1) add_edge(cursor.Varint(), /*to_type=*/false);
        break;
      case 'N':
        read_number();
        break;
    }
  };
  for (const char* field = fields; *field != '\0' && cursor.ok(); ++field) {
    if (*field != '[') {
      read_field(*field);
      continue;
    }
    const char* body = field + 1;
    uint64_t count = cursor.Count();
    for (; count > 0 && cursor.ok(); --count) {
      for (const char* inner = body; *inner != ']'; ++inner) read_field(*inner);
    }
    while (*field != ']') ++field;
  }
  if (!problem.empty()) return Bad(node, problem);
  if (!cursor.ok()) return Bad(node, "its bytes end early");
  if (!cursor.at_end()) return Bad(node, "bytes follow its last field");
  if (is_type) {
    ClassifyType(entry, code);
  } else if (Status status = CheckDense(entry, code); !status.ok()) {
    return Bad(node, status.message());
  }
  return OkStatus();
}

// The fields are known to be there.
void EntryTable::ClassifyType(Entry& entry, uint64_t code) {
  auto set = [&](Shape shape, uint32_t width) {
    entry.shape = shape;
    entry.width = width;
  };
  auto set_tensor = [&](bool encoding) {
    ByteCursor cursor(entry.bytes);
    cursor.Varint();
    if (encoding) cursor.Varint();
    entry.shape = Shape::kTensor;
    entry.num_elements = 1;
    for (uint64_t rank = cursor.Count(); rank > 0; --rank) {
      int64_t size = cursor.SignedVarint();
      if (size == std::numeric_limits<int64_t>::min()) {
        if (entry.num_elements >= 0) entry.num_elements = -1;
      } else if (size < 0) {
        entry.num_elements = -2;  // refused by CheckType
      } else if (entry.num_elements > 0 && size > kMaxElements / entry.num_elements) {
        entry.num_elements = -2;
      } else if (entry.num_elements >= 0) {
        entry.num_elements *= size;
      }
    }
    entry.element = cursor.Varint();
  };
  auto set_complex = [&] {
    ByteCursor cursor(entry.bytes);
    cursor.Varint();
    entry.shape = Shape::kComplex;
    entry.element = cursor.Varint();
  };

  if (dialects_[entry.dialect] == "builtin") {
    switch (code) {
      case 0: {
        ByteCursor cursor(entry.bytes);
        cursor.Varint();
        uint64_t width = cursor.Varint() >> 2;
        return set(Shape::kInteger, width > kMaxIntegerWidth ? 0 : width);
      }
      case 1:
        return set(Shape::kIndex, 64);
      case 3:
      case 4:
        return set(Shape::kFloat, 16);
      case 5:
        return set(Shape::kFloat, 32);
      case 6:
        return set(Shape::kFloat, 64);
      case 9:
        return set_complex();
      case 13:
        return set_tensor(/*encoding=*/false);
      case 14:
        return set_tensor(/*encoding=*/true);
    }
    return;
  }
  if (dialects_[entry.dialect] != "vhlo") return;
  switch (code) {
    case 0:
      return set(Shape::kInteger, 1);
    case 1:
      return set_complex();
    case 2:
    case 3:
      return set(Shape::kFloat, 16);
    case 4:
      return set(Shape::kFloat, 32);
    case 5:
      return set(Shape::kFloat, 64);
    case 9:
      return set(Shape::kIndex, 64);
    case 10:
    case 15:
      return set(Shape::kInteger, 4);
    case 11:
    case 16:
      return set(Shape::kInteger, 8);
    case 12:
    case 17:
      return set(Shape::kInteger, 16);
    case 13:
    case 18:
      return set(Shape::kInteger, 32);
    case 14:
    case 19:
      return set(Shape::kInteger, 64);
    case 20:
    case 41:
      return set_tensor(/*encoding=*/false);
    case 21:
      return set_tensor(/*encoding=*/true);
    case 24:
    case 30:
      return set(Shape::kQuantized, 0);
    case 31:
    case 32:
      return set(Shape::kInteger, 2);
    case 34:
      return set(Shape::kFloat, 19);
    case 37:
      return set(Shape::kFloat, 4);
    case 38:
    case 39:
      return set(Shape::kFloat, 6);
    case 6:
    case 7:
    case 27:
    case 28:
    case 29:
    case 35:
    case 36:
    case 40:
      return set(Shape::kFloat, 8);
  }
}

bool EntryTable::IsElement(uint64_t type_index) const {
  Shape shape = type(type_index).shape;
  return shape != Shape::kOther && shape != Shape::kTensor;
}

Status EntryTable::CheckType(const Entry& entry) {
  if (entry.shape == Shape::kInteger && entry.width == 0) {
    return InvalidArgument("integer width outside 1.." +
                           std::to_string(kMaxIntegerWidth));
  }
  if (entry.shape == Shape::kComplex) {
    Shape shape = type(entry.element).shape;
    if (shape != Shape::kInteger && shape != Shape::kFloat) {
      return InvalidArgument("complex of a type that is not a number");
    }
  }
  if (entry.shape == Shape::kTensor) {
    if (entry.num_elements == -2) {
      return InvalidArgument("negative or too large dimension");
    }
    if (!IsElement(entry.element)) {
      return InvalidArgument("tensor of a type that cannot be an element");
    }
  }
  return OkStatus();
}

// Data of builtin dense attributes fits their type. (VHLO's are checked as they are
// decoded.)
Status EntryTable::CheckDense(const Entry& entry, uint64_t code) {
  if (dialects_[entry.dialect] != "builtin" || (code != 17 && code != 18))
    return OkStatus();
  ByteCursor cursor(entry.bytes);
  cursor.Varint();
  const Entry* type = &this->type(cursor.Varint());
  uint64_t count = 0;
  if (code == 17) {
    count = cursor.Varint();
  } else {
    if (type->shape != Shape::kTensor || type->num_elements < 0) {
      return InvalidArgument("dense elements need a tensor type of static shape");
    }
    count = type->num_elements;
    type = &this->type(type->element);
  }
  uint64_t width = type->width;
  bool number = type->shape == Shape::kInteger || type->shape == Shape::kFloat ||
                (type->shape == Shape::kIndex && code == 18);
  if (type->shape == Shape::kComplex && code == 18) {
    const Entry& part = this->type(type->element);
    width = 2 * ((part.width + 7) / 8 * 8);
    number = true;
  }
  if (!number) return InvalidArgument("dense data of a type that is not a number");
  if (code == 17 && width != 1 && width % 8 != 0) {
    return InvalidArgument("dense array of a sub-byte type");
  }
  std::string_view data = cursor.Bytes(cursor.Varint());
  uint64_t bytes = (width + 7) / 8;
  bool fits = count <= data.size() / bytes && count * bytes == data.size();
  if (code == 18 && width == 1) {
    fits = data.size() == (count + 7) / 8 ||
           (data.size() == 1 && (data[0] == '\0' || data[0] == '\xff'));
  } else if (code == 18 && data.size() == bytes) {
    fits = true;  // a splat
  }
  return fits ? OkStatus() : InvalidArgument("dense data does not fit its type");
}

// Depth-first over the references, without recursion: a cycle or a very deep chain would
// make a recursive reader run for ever or out of stack.
Status EntryTable::CheckDepth() {
  // Types were read first, so an entry's edges end where the next-read entry's begin.
  auto edges_end = [&](size_t node) {
    if (node + 1 == entries_.size()) {
      return num_attributes_ > 0 ? entries_[0].first_edge : edges_.size();
    }
    if (node + 1 == num_attributes_) return edges_.size();
    return entries_[node + 1].first_edge;
  };
  constexpr int kUnseen = 0, kOpen = -1;
  std::vector<int> depth(entries_.size(), kUnseen);
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
