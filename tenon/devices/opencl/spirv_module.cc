#include "tenon/devices/opencl/spirv_module.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tenon::opencl {
namespace {

using Words = std::vector<uint32_t>;
using Instruction = std::span<const uint32_t>;

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5, kBoundWord = 3;
constexpr uint32_t kCrossWorkgroup = 5;  // storage class of global memory
constexpr uint32_t kInt64Capability = 11, kInt8Capability = 39;

// Section 3.32. MinWords has those whose operands are read.
enum Opcode : uint32_t {
  kName = 5,
  kLine = 8,
  kEntryPoint = 15,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantNull = 46,
  kFunction = 54,
  kFunctionParameter = 55,
  kVariable = 59,
  kPtrAccessChain = 67,
  kDecorate = 71,
  kBitcast = 124,
  kLabel = 248,
};

// The fewest words that an instruction has, itself included.
size_t MinWords(uint32_t opcode) {
  switch (opcode) {
    case kName:
    case kCapability:
    case kTypeBool:
      return 2;
    case kEntryPoint:
    case kTypeFloat:
    case kTypeFunction:
    case kConstantNull:
    case kFunctionParameter:
    case kDecorate:
      return 3;
    case kTypeInt:
    case kTypePointer:
      return 4;
    case kFunction:
      return 5;
    default:
      return 1;
  }
}

Words WordsOf(const std::string& module) {
  Words words(module.size() / sizeof(uint32_t));
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  return words;
}

std::string BytesOf(const Words& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * sizeof(uint32_t));
}

uint32_t OpcodeOf(Instruction instruction) { return instruction[0] & 0xffff; }

std::vector<Instruction> InstructionsOf(const Words& words) {
  std::vector<Instruction> instructions;
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    instructions.push_back(Instruction(words).subspan(at, length));
    at += length;
  }
  return instructions;
}

void Append(Words& words, Opcode opcode, const Words& operands) {
  words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  words.insert(words.end(), operands.begin(), operands.end());
}
void Append(Words& words, Instruction instruction) {
  words.insert(words.end(), instruction.begin(), instruction.end());
}

// Adds the offsets to one module.
class OffsetAdder {
 public:
  explicit OffsetAdder(const Words& in) : in_(in), bound_(in[kBoundWord]) {}

  Words Run() {
    const std::vector<Instruction> instructions = InstructionsOf(in_);
    for (Instruction i : instructions) Look(i);
    out_.assign(in_.begin(), in_.begin() + kHeaderWords);
    bool in_functions = false;
    for (Instruction i : instructions) {
      const uint32_t opcode = OpcodeOf(i);
      if (opcode != kCapability) {
        for (uint32_t capability : std::exchange(missing_, {}))
          Append(out_, kCapability, {capability});
      }
      if (opcode == kFunction && !std::exchange(in_functions, true)) AddTypes();
      Rewrite(i);
    }
    out_[kBoundWord] = bound_;
    return out_;
  }

 private:
  struct Parameter {
    uint32_t type = 0, id = 0, moved_id = 0, offset = 0;
  };

  uint32_t NewId() { return bound_++; }

  bool IsGlobal(uint32_t type) const { return pointees_.contains(type); }

  // Collects what the changes need to know.
  void Look(Instruction i) {
    switch (OpcodeOf(i)) {
      case kCapability:
        std::erase(missing_, i[1]);
        break;
      case kEntryPoint:
        kernels_.insert(i[2]);
        break;
      case kTypeInt:
        if (i[2] == 8) int8_ = i[1];
        if (i[2] == 64) int64_ = i[1];
        break;
      case kTypePointer:
        if (i[2] == kCrossWorkgroup) pointees_[i[1]] = i[3];
        break;
      case kTypeFunction:
        function_types_[i[1]] = Words(i.begin() + 2, i.end());
        break;
      case kFunction:
        kernel_type_ = kernels_.contains(i[2]) ? std::optional(i[4]) : std::nullopt;
        if (kernel_type_) kernel_types_.insert({*kernel_type_, 0});
        break;
      case kFunctionParameter:
        // Names and decorations of a pointer stay with the argument, which gets a new id.
        if (kernel_type_ && IsGlobal(i[1])) moved_[i[2]] = NewId();
        break;
      default:
        break;
    }
  }

  void AddTypes() {
    if (!int8_) Append(out_, kTypeInt, {int8_ = NewId(), 8, 0});
    if (!int64_) Append(out_, kTypeInt, {int64_ = NewId(), 64, 0});
    for (const auto& [pointer, pointee] : pointees_) {
      if (pointee == int8_) int8_pointer_ = pointer;
    }
    if (!int8_pointer_) {
      int8_pointer_ = NewId();
      Append(out_, kTypePointer, {int8_pointer_, kCrossWorkgroup, int8_});
    }
    // Types of functions must not repeat, and another function may have the new one.
    std::map<Words, uint32_t> known;
    for (const auto& [id, signature] : function_types_) known[signature] = id;
    for (auto& [type, with_offsets] : kernel_types_) {
      Words signature = function_types_[type];  // the result and the parameters
      if (signature.empty()) continue;          // damaged; the driver refuses it
      const auto count = std::count_if(signature.begin() + 1, signature.end(),
                                       [&](uint32_t t) { return IsGlobal(t); });
      signature.insert(signature.end(), static_cast<size_t>(count), int64_);
      const auto [entry, is_new] = known.insert({signature, bound_});
      with_offsets = entry->second;
      if (!is_new) continue;
      Words operands = {NewId()};
      operands.insert(operands.end(), signature.begin(), signature.end());
      Append(out_, kTypeFunction, operands);
    }
  }

  void Rewrite(Instruction i) {
    const uint32_t opcode = OpcodeOf(i);
    // The first instructions of a function's first block are its variables.
    if (awaits_block_ && opcode == kLabel) {
      for (Parameter& parameter : parameters_) {
        parameter.offset = NewId();
        Append(out_, kFunctionParameter, {int64_, parameter.offset});
      }
      awaits_block_ = false;
      awaits_code_ = true;
      Append(out_, i);
      return;
    }
    if (awaits_code_ && opcode != kVariable && opcode != kLine) AddOffsets();
    switch (opcode) {
      case kName:
      case kDecorate: {
        Words copy(i.begin(), i.end());
        if (const auto moved = moved_.find(copy[1]); moved != moved_.end())
          copy[1] = moved->second;
        out_.insert(out_.end(), copy.begin(), copy.end());
        return;
      }
      case kFunction:
        parameters_.clear();
        awaits_block_ = kernels_.contains(i[2]);
        if (awaits_block_) {
          Append(out_, kFunction, {i[1], i[2], i[3], kernel_types_.at(i[4])});
          return;
        }
        break;
      case kFunctionParameter:
        if (const auto moved = moved_.find(i[2]); moved != moved_.end()) {
          parameters_.push_back({.type = i[1], .id = i[2], .moved_id = moved->second});
          Append(out_, kFunctionParameter, {i[1], moved->second});
          return;
        }
        break;
      default:
        break;
    }
    Append(out_, i);
  }

  // The sums get the ids that the arguments had.
  void AddOffsets() {
    awaits_code_ = false;
    for (const Parameter& parameter : parameters_) {
      if (parameter.type == int8_pointer_) {
        Append(out_, kPtrAccessChain,
               {int8_pointer_, parameter.id, parameter.moved_id, parameter.offset});
        continue;
      }
      const uint32_t bytes = NewId(), sum = NewId();
      Append(out_, kBitcast, {int8_pointer_, bytes, parameter.moved_id});
      Append(out_, kPtrAccessChain, {int8_pointer_, sum, bytes, parameter.offset});
      Append(out_, kBitcast, {parameter.type, parameter.id, sum});
    }
  }

  const Words& in_;
  Words out_;
  uint32_t bound_;
  Words missing_ = {kInt64Capability, kInt8Capability};  // capabilities
  uint32_t int8_ = 0, int64_ = 0, int8_pointer_ = 0;
  std::unordered_set<uint32_t> kernels_;
  std::unordered_map<uint32_t, uint32_t> pointees_;  // of pointers to global memory
  std::map<uint32_t, Words> function_types_;
  std::map<uint32_t, uint32_t> kernel_types_;     // without and with offsets
  std::optional<uint32_t> kernel_type_;           // of the function that is looked at
  std::unordered_map<uint32_t, uint32_t> moved_;  // new ids of parameters
  std::vector<Parameter> parameters_;             // of the current kernel
  bool awaits_block_ = false, awaits_code_ = false;
};

}  // namespace

bool IsWhole(const std::string& module) {
  const Words words = WordsOf(module);
  if (module.size() % sizeof(uint32_t) || words.size() <= kHeaderWords ||
      words[0] != kMagic) {
    return false;
  }
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (length < MinWords(words[at] & 0xffff) || length > words.size() - at) return false;
    at += length;
  }
  return true;
}

std::vector<uint32_t> CapabilitiesOf(const std::string& module) {
  std::vector<uint32_t> capabilities;
  const Words words = WordsOf(module);
  for (Instruction i : InstructionsOf(words)) {
    if (OpcodeOf(i) != kCapability) break;  // they come first
    capabilities.push_back(i[1]);
  }
  return capabilities;
}

std::string WithoutScalarNulls(const std::string& module) {
  const Words words = WordsOf(module);
  Words result(words.begin(), words.begin() + kHeaderWords);
  std::unordered_map<uint32_t, size_t> value_words;  // of scalar types; 0: a bool
  for (Instruction i : InstructionsOf(words)) {
    const uint32_t opcode = OpcodeOf(i);
    if (opcode == kTypeBool) value_words[i[1]] = 0;
    if (opcode == kTypeInt || opcode == kTypeFloat) value_words[i[1]] = i[2] > 32 ? 2 : 1;
    const auto scalar =
        opcode == kConstantNull ? value_words.find(i[1]) : value_words.end();
    if (scalar == value_words.end()) {
      Append(result, i);
      continue;
    }
    Words operands = {i[1], i[2]};
    operands.resize(2 + scalar->second);
    Append(result, scalar->second ? kConstant : kConstantFalse, operands);
  }
  return BytesOf(result);
}

std::string WithPointerOffsets(const std::string& module) {
  const Words words = WordsOf(module);
  return BytesOf(OffsetAdder(words).Run());
}

}  // namespace tenon::opencl
