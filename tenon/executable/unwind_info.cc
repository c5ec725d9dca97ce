#include "tenon/executable/unwind_info.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

namespace tenon {
namespace {

constexpr uint8_t kPcRelative32 = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4

// The largest offset accepted. Frames stay under 64 KiB, so offsets are far below this.
constexpr uint64_t kMaxOffset = 1 << 20;
// The unwinder keeps remembered states on its stack, so their number must be bounded.
constexpr int kMaxRememberedStates = 8;

// The number of registers that the unwinder has room for, by the platform's ABI; 0 for an
// unknown architecture.
uint64_t CountRegisters(std::string_view architecture) {
#define X(name, registers) \
  if (architecture == name) return registers;
#include "tenon/executable/architectures.inc"
#undef X
  return 0;
}

// A bounds-checked reader. After a failure all reads return zero.
class Reader {
 public:
  Reader(const uint8_t* begin, const uint8_t* end) : at_(begin), end_(end) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  const uint8_t* position() const { return at_; }

  template <typename T>
  T Fixed() {
    T value = {};
    if (static_cast<size_t>(end_ - at_) < sizeof value) {
      Fail();
      return {};
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint8_t Byte() { return Fixed<uint8_t>(); }

  uint64_t Unsigned() { return Leb128(nullptr); }
  int64_t Signed() {
    bool negative = false;
    int used = 0;
    const uint64_t value = Leb128(&negative, &used);
    return static_cast<int64_t>(negative && used < 64 ? value | ~uint64_t{0} << used
                                                      : value);
  }
  Reader Block(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) {
      Fail();
      size = 0;
    }
    at_ += size;
    return Reader(at_ - size, at_);
  }
  void Fail() {
    ok_ = false;
    at_ = end_;
  }

 private:
  uint64_t Leb128(bool* negative, int* used = nullptr) {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte & 0x80) continue;
      if (negative) *negative = byte & 0x40;
      if (used) *used = shift + 7;
      return value;
    }
    Fail();
    return 0;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

class Validator {
 public:
  explicit Validator(const CodeObject& code)
      : code_(code), num_registers_(CountRegisters(code.architecture)) {}

  Status Run();

 private:
  Status CheckCie(Reader record);
  Status CheckFde(Reader record, uint64_t id_offset, uint32_t cie_distance);
  bool CheckInstructions(Reader& record);
  bool CheckInstruction(Reader& record, int& remembered);
  bool CheckExpression(Reader& record);

  bool Register(uint64_t number) const { return number < num_registers_; }
  static bool Offset(uint64_t value) { return value <= kMaxOffset; }
  static bool Offset(int64_t value) {
    return value >= -static_cast<int64_t>(kMaxOffset) &&
           value <= static_cast<int64_t>(kMaxOffset);
  }

  const CodeObject& code_;
  const uint64_t num_registers_;
  std::set<uint64_t> cies_;  // the offsets of their length fields
};

Status Validator::Run() {
  const uint64_t total = code_.bytes.size();
  if (code_.eh_frame_offset > total ||
      code_.eh_frame_size > total - code_.eh_frame_offset || code_.eh_frame_offset % 4)
    return DataLoss("the image's unwind information is out of bounds");
  const uint8_t* base = code_.bytes.data();
  const uint64_t end = code_.eh_frame_offset + code_.eh_frame_size;
  for (uint64_t offset = code_.eh_frame_offset; offset < end;) {
    Reader reader(base + offset, base + end);
    const auto length = reader.Fixed<uint32_t>();
    if (!reader.ok()) return DataLoss("truncated unwind information");
    if (length == 0) return OkStatus();
    if (length == 0xffffffff) return DataLoss("64-bit unwind records are not supported");
    Reader record = reader.Block(length);
    const auto id = record.Fixed<uint32_t>();
    if (!reader.ok() || !record.ok())
      return DataLoss("an unwind record is out of bounds");
    if (id == 0) {
      TENON_RETURN_IF_ERROR(CheckCie(record));
      cies_.insert(offset);
    } else {
      TENON_RETURN_IF_ERROR(CheckFde(record, offset + sizeof length, id));
    }
    offset += sizeof length + length;
  }
  // At the very end of the code the end mark may be missing, because the loader's mapping
  // has zeros there.
  if (code_.eh_frame_size && end != total)
    return DataLoss("the unwind information has no end mark");
  return OkStatus();
}

Status Validator::CheckCie(Reader record) {
  const uint8_t version = record.Byte();
  std::string_view expected("zR", 3);  // with its final NUL
  bool is_known = version == 1 || version == 3;
  for (char letter : expected) is_known &= record.Byte() == static_cast<uint8_t>(letter);
  if (!is_known) return DataLoss("an unwind record has an unknown augmentation");
  const uint64_t code_alignment = record.Unsigned();
  const int64_t data_alignment = record.Signed();
  const uint64_t return_register = version == 1 ? record.Byte() : record.Unsigned();
  const uint64_t augmentation_size = record.Unsigned();
  const uint8_t encoding = record.Byte();
  if (!record.ok() || code_alignment < 1 || code_alignment > 4 || data_alignment < -16 ||
      data_alignment > -1 || !Register(return_register) || augmentation_size != 1 ||
      encoding != kPcRelative32)
    return DataLoss("an unwind record is of an unknown form");
  if (!CheckInstructions(record))
    return DataLoss("an unwind record has an unknown instruction");
  return OkStatus();
}

// `cie_distance` is the record's second field, and `id_offset` is that field's offset.
Status Validator::CheckFde(Reader record, uint64_t id_offset, uint32_t cie_distance) {
  if (cie_distance > id_offset || !cies_.contains(id_offset - cie_distance))
    return DataLoss("an unwind record refers to none before it");
  const int64_t field_offset = record.position() - code_.bytes.data();
  const int64_t start = field_offset + record.Fixed<int32_t>();
  const auto size = record.Fixed<uint32_t>();
  const auto total = static_cast<int64_t>(code_.bytes.size());
  if (!record.ok() || start < 0 || start >= total || size == 0 || size > total - start)
    return DataLoss("an unwind record is of a function outside of the image");
  if (record.Unsigned() != 0 || !record.ok())
    return DataLoss("an unwind record has unknown augmentation data");
  if (!CheckInstructions(record))
    return DataLoss("an unwind record has an unknown instruction");
  return OkStatus();
}

bool Validator::CheckInstructions(Reader& record) {
  int remembered = 0;
  while (!record.at_end())
    if (!CheckInstruction(record, remembered) || !record.ok()) return false;
  return record.ok();
}

// DWARF 5, section 6.4.2.
bool Validator::CheckInstruction(Reader& record, int& remembered) {
  const uint8_t byte = record.Byte();
  switch (byte & 0xc0) {
    case 0x40:  // advance_loc
      return true;
    case 0x80:  // offset
      return Register(byte & 0x3f) && Offset(record.Unsigned());
    case 0xc0:  // restore
      return Register(byte & 0x3f);
    default:
      break;
  }
  switch (byte) {
    case 0x00:  // nop
      return true;
    case 0x02:  // advance_loc1
      record.Byte();
      return true;
    case 0x03:  // advance_loc2
      record.Fixed<uint16_t>();
      return true;
    case 0x04:  // advance_loc4
      record.Fixed<uint32_t>();
      return true;
    case 0x05:  // offset_extended
    case 0x0c:  // def_cfa
      return Register(record.Unsigned()) && Offset(record.Unsigned());
    case 0x06:  // restore_extended
    case 0x07:  // undefined
    case 0x08:  // same_value
    case 0x0d:  // def_cfa_register
      return Register(record.Unsigned());
    case 0x0a:  // remember_state
      return ++remembered <= kMaxRememberedStates;
    case 0x0b:  // restore_state
      return --remembered >= 0;
    case 0x0e:  // def_cfa_offset
    case 0x2e:  // GNU_args_size
      return Offset(record.Unsigned());
    case 0x0f:  // def_cfa_expression
      return CheckExpression(record);
    case 0x10:  // expression
      return Register(record.Unsigned()) && CheckExpression(record);
    case 0x11:  // offset_extended_sf
    case 0x12:  // def_cfa_sf
      return Register(record.Unsigned()) && Offset(record.Signed());
    case 0x13:  // def_cfa_offset_sf
      return Offset(record.Signed());
    default:
      return false;
  }
}

// Accepts an address relative to a register, dereferenced at most once. Realigned frames
// describe saved registers this way. Tenon's compiler emits no other expressions.
bool Validator::CheckExpression(Reader& record) {
  constexpr uint8_t kBreg0 = 0x70, kBreg31 = 0x8f, kDeref = 0x06, kPlusConstant = 0x23;
  Reader block = record.Block(record.Unsigned());
  const uint8_t base = block.Byte();
  if (base < kBreg0 || base > kBreg31 || !Register(base - kBreg0) ||
      !Offset(block.Signed()))
    return false;
  if (!block.at_end() && block.Byte() != kDeref) return false;
  if (!block.at_end() && (block.Byte() != kPlusConstant || !Offset(block.Unsigned())))
    return false;
  return block.ok() && block.at_end();
}

}  // namespace

Status ValidateUnwindInfo(const CodeObject& code) { return Validator(code).Run(); }

}  // namespace tenon
