// Type checks of the attribute and type tables: whether MLIR accepts a type, and whether
// dense data fits it.
#include <limits>
#include <string>

#include "tenon/compiler/import/byte_cursor.h"
#include "tenon/compiler/import/bytecode_entries.h"

namespace tenon::compiler {
namespace {

constexpr uint32_t kMaxIntegerWidth = 128;
constexpr int64_t kMaxElements = int64_t{1} << 56;

// Returns the width of a float type by its printed name; 0 if `text` is no float type.
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

}  // namespace

void EntryTable::ClassifyText(Entry& entry) {
  std::string_view text = entry.bytes.substr(0, entry.bytes.size() - 1);
  entry.width = FloatWidth(text);
  if (entry.width > 0) entry.kind = ValueKind::kFloat;
  if (text.starts_with("!quant.")) entry.kind = ValueKind::kQuantized;
}

// `bytes` is known to contain all fields.
void EntryTable::ClassifyType(Entry& entry, uint64_t code, std::string_view fields) {
  bool builtin = dialects_[entry.dialect] == "builtin";
  ByteCursor cursor(entry.bytes);
  cursor.Varint();
  if (fields == "[s]t" || fields == "a[s]t") {
    if (fields == "a[s]t") cursor.Varint();
    entry.kind = ValueKind::kTensor;
    entry.num_elements = 1;
    for (uint64_t rank = cursor.Count(); rank > 0; --rank) {
      int64_t size = cursor.SignedVarint();
      if (size == std::numeric_limits<int64_t>::min()) {
        entry.dynamic = true;
      } else if (size < 0 || size > kMaxElements ||
                 (size > 0 && entry.num_elements > kMaxElements / size)) {
        entry.num_elements = -1;
        return;
      } else {
        entry.num_elements *= size;
      }
    }
    entry.element = cursor.Varint();
  } else if (code == (builtin ? 9 : 1) && fields == "t") {
    entry.kind = ValueKind::kComplex;
    entry.element = cursor.Varint();
  } else if (builtin && code == 0) {
    uint64_t width = cursor.Varint() >> 2;
    entry.kind = ValueKind::kInteger;
    entry.width = width > kMaxIntegerWidth ? 0 : width;  // CheckType rejects a width of 0
  } else if (!builtin && (code == 24 || code == 30)) {
    entry.kind = ValueKind::kQuantized;
  }
}

bool EntryTable::IsElement(uint64_t type_index) const {
  ValueKind kind = type(type_index).kind;
  return kind != ValueKind::kOther && kind != ValueKind::kTensor;
}

Status EntryTable::CheckType(const Entry& entry) {
  if (entry.kind == ValueKind::kInteger && entry.width == 0) {
    return InvalidArgument("integer width outside 1.." +
                           std::to_string(kMaxIntegerWidth));
  }
  if (entry.kind == ValueKind::kComplex) {
    ValueKind kind = type(entry.element).kind;
    if (kind != ValueKind::kInteger && kind != ValueKind::kFloat) {
      return InvalidArgument("complex of a type that is not a number");
    }
  }
  if (entry.kind == ValueKind::kTensor) {
    if (entry.num_elements < 0) {
      return InvalidArgument("negative or too large dimension");
    }
    if (!IsElement(entry.element)) {
      return InvalidArgument("tensor of a type that cannot be an element");
    }
  }
  return OkStatus();
}

// Checks that the data of builtin dense attributes fits their type. VHLO's dense
// attributes are checked when they are decoded.
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
    if (type->kind != ValueKind::kTensor || type->dynamic) {
      return InvalidArgument("dense elements need a tensor type of static shape");
    }
    count = type->num_elements;
    type = &this->type(type->element);
  }
  uint64_t width = type->width;
  bool number = type->kind == ValueKind::kInteger || type->kind == ValueKind::kFloat ||
                (type->kind == ValueKind::kIndex && code == 18);
  if (type->kind == ValueKind::kComplex && code == 18) {
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

}  // namespace tenon::compiler
