#include "tenon/compiler/import/bytecode_check.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenon/compiler/import/byte_cursor.h"
#include "tenon/compiler/import/bytecode_entries.h"

namespace tenon::compiler {
namespace {

constexpr std::string_view kMagic = "ML\xefR";
constexpr uint64_t kNewestVersion = 6;
constexpr int kMaxRegionDepth = 200;

enum Section {
  kString,
  kDialect,
  kAttrType,
  kAttrTypeOffset,
  kIr,
  kResource,
  kResourceOffset,
  kDialectVersions,
  kProperties,
  kNumSections,
};

enum OperationMask : uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseListOrders = 0x20,
  kHasProperties = 0x40,
};

Status Malformed(std::string_view what) {
  return InvalidArgument("malformed program: " + std::string(what));
}

struct OperationName {
  uint32_t dialect;
  std::string_view name;
  int num_properties;
};

class Checker {
 public:
  Checker(std::string_view bytes, const PropertyCount& count)
      : bytes_(bytes), cursor_(bytes), property_count_(count) {}

  StatusOr<BytecodeHeader> Check();

 private:
  // The use counts of the values in one isolated region tree, by value number.
  struct Scope {
    std::vector<uint32_t> uses;
  };
  // A use-list order of one value. `limit` is one more than the largest use index in it.
  struct UseListOrder {
    uint64_t value;
    uint64_t limit;
  };
  // A region being read.
  struct Region {
    Scope& scope;
    uint64_t next_value = 0;  // number of the next value defined
    uint64_t end_value = 0;
    std::vector<UseListOrder> orders;
  };

  Status ReadSections();
  void RewriteNarrowFloats(const EntryTable& entries);
  Status ReadStrings();
  Status ReadDialects();
  Status ReadProperties();
  Status ReadIr();
  Status ReadRegion(ByteCursor& cursor, Scope& scope, int depth);
  Status ReadBlock(ByteCursor& cursor, Region& region, int depth);
  Status ReadBlockArguments(ByteCursor& cursor, Region& region);
  Status ReadOperation(ByteCursor& cursor, Region& region, int depth);
  Status ReadRegions(ByteCursor& cursor, Scope& scope, int depth);
  Status ReadUseListOrders(ByteCursor& cursor, Region& region, uint64_t first_value,
                           uint64_t num_values);
  Status DefineValues(Region& region, uint64_t count);
  Status CheckRecord(const OperationName& name, uint64_t record);
  StatusOr<std::string_view> ReadSection(ByteCursor& cursor, int& id);
  StatusOr<std::string_view> String(uint64_t index);

  std::string_view bytes_;
  ByteCursor cursor_;
  const PropertyCount& property_count_;
  BytecodeHeader header_;
  std::array<std::optional<std::string_view>, kNumSections> sections_;
  std::vector<std::pair<int, std::string_view>> section_order_;
  size_t header_size_ = 0;
  std::vector<std::string_view> strings_;
  std::vector<std::string_view> dialects_;
  std::vector<OperationName> operations_;
  std::vector<std::string_view> properties_;
  size_t num_attributes_ = 0;
  size_t num_types_ = 0;
};

StatusOr<std::string_view> Checker::ReadSection(ByteCursor& cursor, int& id) {
  uint8_t byte = cursor.Byte();
  uint64_t length = cursor.Varint();
  if (byte & 0x80) return Malformed("aligned sections are not accepted");
  id = byte;
  std::string_view bytes = cursor.Bytes(length);
  if (!cursor.ok()) return Malformed("a section is cut off");
  if (id >= kNumSections) return Malformed("unknown section " + std::to_string(id));
  return bytes;
}

StatusOr<std::string_view> Checker::String(uint64_t index) {
  if (index >= strings_.size()) return Malformed("string past the end of its table");
  return strings_[index];
}

// Copies the program with an attribute and type table that MLIR 22 can read, if it cannot
// read that of the program.
void Checker::RewriteNarrowFloats(const EntryTable& entries) {
  std::string table, offsets;
  if (!entries.SpellNarrowFloats(table, offsets)) return;
  std::string& result = header_.rewritten;
  result = bytes_.substr(0, header_size_);
  for (auto [id, section] : section_order_) {
    if (id == kAttrType) section = table;
    if (id == kAttrTypeOffset) section = offsets;
    result.push_back(static_cast<char>(id));
    AppendVarint(result, section.size());
    result += section;
  }
}

StatusOr<BytecodeHeader> Checker::Check() {
  cursor_.Bytes(kMagic.size());
  header_.version = cursor_.Varint();
  header_.producer = cursor_.NulTerminated();
  if (!cursor_.ok()) return Malformed("header is cut off");
  header_size_ = cursor_.position();
  if (header_.version > kNewestVersion) {
    return InvalidArgument("program is MLIR bytecode of version " +
                           std::to_string(header_.version) + "; versions up to " +
                           std::to_string(kNewestVersion) + " are read");
  }
  TENON_RETURN_IF_ERROR(ReadSections());
  TENON_RETURN_IF_ERROR(ReadStrings());
  TENON_RETURN_IF_ERROR(ReadProperties());
  TENON_RETURN_IF_ERROR(ReadDialects());
  EntryTable entries(dialects_, strings_.size());
  TENON_RETURN_IF_ERROR(
      entries.Check(*sections_[kAttrType], *sections_[kAttrTypeOffset]));
  num_attributes_ = entries.num_attributes();
  num_types_ = entries.num_types();
  TENON_RETURN_IF_ERROR(ReadIr());
  RewriteNarrowFloats(entries);
  return std::move(header_);
}

Status Checker::ReadSections() {
  while (!cursor_.at_end()) {
    int id = 0;
    TENON_ASSIGN_OR_RETURN(std::string_view bytes, ReadSection(cursor_, id));
    if (sections_[id].has_value()) return Malformed("a section occurs twice");
    sections_[id] = bytes;
    section_order_.emplace_back(id, bytes);
  }
  for (int id : {kString, kDialect, kAttrType, kAttrTypeOffset, kIr}) {
    if (!sections_[id].has_value()) return Malformed("a section is missing");
  }
  if (header_.version >= 5 && !sections_[kProperties].has_value()) {
    return Malformed("the property section is missing");
  }
  // Writers emit this pair of sections even when it is empty; its one byte is a count of
  // zero.
  if (!sections_[kResource].value_or("").empty() ||
      sections_[kResourceOffset].value_or("\x01") != "\x01") {
    return Unimplemented("programs with resource sections are not supported");
  }
  return OkStatus();
}

Status Checker::ReadStrings() {
  ByteCursor cursor(*sections_[kString]);
  uint64_t count = cursor.Count();
  std::vector<uint64_t> sizes(count);
  for (uint64_t& size : sizes) size = cursor.Varint();
  strings_.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view text = cursor.Bytes(sizes[count - 1 - i]);
    if (!cursor.ok() || text.empty() || text.back() != '\0') {
      return Malformed("string table is cut off");
    }
    strings_[i] = text.substr(0, text.size() - 1);
  }
  if (!cursor.ok() || !cursor.at_end()) return Malformed("bad string table");
  return OkStatus();
}

Status Checker::ReadProperties() {
  if (!sections_[kProperties].has_value() || sections_[kProperties]->empty())
    return OkStatus();
  ByteCursor cursor(*sections_[kProperties]);
  uint64_t count = cursor.Count();
  properties_.resize(count);
  for (std::string_view& record : properties_) record = cursor.Bytes(cursor.Varint());
  if (!cursor.ok() || !cursor.at_end()) return Malformed("bad property section");
  return OkStatus();
}

Status Checker::ReadDialects() {
  ByteCursor cursor(*sections_[kDialect]);
  dialects_.resize(cursor.Count());
  for (std::string_view& dialect : dialects_) {
    bool has_version = false;
    uint64_t name =
        header_.version < 1 ? cursor.Varint() : cursor.VarintWithFlag(has_version);
    if (!cursor.ok()) return Malformed("dialect table is cut off");
    TENON_ASSIGN_OR_RETURN(dialect, String(name));
    if (has_version) {
      int id = 0;
      TENON_ASSIGN_OR_RETURN(std::string_view bytes, ReadSection(cursor, id));
      if (id != kDialectVersions) return Malformed("a dialect's version is missing");
      ByteCursor version(bytes);
      for (int i = 0; i < 3; ++i) version.Varint();
      if (!version.ok() || (dialect != "sdy" && dialect != "stablehlo")) {
        return Malformed("unexpected version of dialect '" + std::string(dialect) + "'");
      }
    }
  }
  if (header_.version >= 4) cursor.Count();
  while (cursor.ok() && !cursor.at_end()) {
    uint64_t dialect = cursor.Varint();
    uint64_t count = cursor.Count();
    if (!cursor.ok() || dialect >= dialects_.size()) break;
    for (; count > 0; --count) {
      bool registered = true;
      uint64_t index =
          header_.version < 5 ? cursor.Varint() : cursor.VarintWithFlag(registered);
      if (!cursor.ok()) break;
      TENON_ASSIGN_OR_RETURN(std::string_view name, String(index));
      StatusOr<int> properties = property_count_(dialects_[dialect], name);
      if (!properties.ok()) {
        return properties.status().WithPrefix("program written by '" +
                                              std::string(header_.producer) + "'");
      }
      if (!registered)
        return Malformed(
            "operation that was not registered when the program was written");
      operations_.push_back({static_cast<uint32_t>(dialect), name, *properties});
    }
  }
  if (!cursor.ok() || !cursor.at_end()) return Malformed("bad dialect table");
  return OkStatus();
}

Status Checker::ReadIr() {
  ByteCursor cursor(*sections_[kIr]);
  // The top-level block defines no values and takes no arguments.
  Scope scope;
  Region region{scope, 0, 0, {}};
  TENON_RETURN_IF_ERROR(ReadBlock(cursor, region, 0));
  if (!cursor.ok() || !cursor.at_end())
    return Malformed("bytes follow the last operation");
  return OkStatus();
}

Status Checker::DefineValues(Region& region, uint64_t count) {
  if (count > region.end_value - region.next_value) {
    return Malformed("a region defines more values than it declares");
  }
  region.next_value += count;
  return OkStatus();
}

Status Checker::ReadBlock(ByteCursor& cursor, Region& region, int depth) {
  bool has_arguments = false;
  uint64_t num_operations = cursor.VarintWithFlag(has_arguments);
  if (!cursor.ok() || num_operations > cursor.remaining())
    return Malformed("block is cut off");
  if (has_arguments) TENON_RETURN_IF_ERROR(ReadBlockArguments(cursor, region));
  for (; num_operations > 0; --num_operations) {
    TENON_RETURN_IF_ERROR(ReadOperation(cursor, region, depth));
  }
  return OkStatus();
}

Status Checker::ReadBlockArguments(ByteCursor& cursor, Region& region) {
  uint64_t count = cursor.Count();
  uint64_t first_value = region.next_value;
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    bool has_location = true;
    uint64_t type =
        header_.version >= 4 ? cursor.VarintWithFlag(has_location) : cursor.Varint();
    uint64_t location = has_location ? cursor.Varint() : 0;
    if (type >= num_types_ || (has_location && location >= num_attributes_)) {
      return Malformed("block argument refers past the end of a table");
    }
  }
  if (!cursor.ok()) return Malformed("block arguments are cut off");
  TENON_RETURN_IF_ERROR(DefineValues(region, count));
  if (header_.version >= 3 && cursor.Byte() != 0) {
    return ReadUseListOrders(cursor, region, first_value, count);
  }
  return OkStatus();
}

// Checks use-list orders. MLIR's reader permutes uses without a bounds check, so an index
// of a use that does not exist would write out of bounds. Uses are counted while the
// region is read; the comparison follows at the end of the region.
Status Checker::ReadUseListOrders(ByteCursor& cursor, Region& region,
                                  uint64_t first_value, uint64_t num_values) {
  uint64_t count = num_values > 1 ? cursor.Count() : 1;
  for (; count > 0 && cursor.ok(); --count) {
    uint64_t value = num_values > 1 ? cursor.Varint() : 0;
    bool pairs = false;
    uint64_t size = cursor.VarintWithFlag(pairs);
    if (!cursor.ok() || size > cursor.remaining() || (pairs && size % 2 != 0)) {
      return Malformed("invalid use-list order");
    }
    uint64_t limit = 0;
    for (uint64_t i = 0; i < size; ++i) {
      uint64_t use = cursor.Varint();
      if (use >= std::numeric_limits<uint32_t>::max())
        return Malformed("invalid use-list order");
      limit = std::max(limit, use + 1);
    }
    if (num_values > 0) {
      if (value >= num_values) return Malformed("use-list order of an undefined value");
      region.orders.push_back({first_value + value, limit});
    }
  }
  return cursor.ok() ? OkStatus() : Malformed("invalid use-list order");
}

Status Checker::CheckRecord(const OperationName& name, uint64_t record) {
  if (record >= properties_.size()) return Malformed("property record past the end");
  ByteCursor cursor(properties_[record]);
  for (int i = 0; i < name.num_properties; ++i) cursor.Varint();
  if (!cursor.ok() || !cursor.at_end()) {
    return Malformed("property record of '" + std::string(dialects_[name.dialect]) + "." +
                     std::string(name.name) + "' does not have " +
                     std::to_string(name.num_properties) + " attributes");
  }
  return OkStatus();
}

Status Checker::ReadOperation(ByteCursor& cursor, Region& region, int depth) {
  uint64_t name = cursor.Varint();
  uint8_t mask = cursor.Byte();
  uint64_t location = cursor.Varint();
  if (!cursor.ok() || name >= operations_.size() || location >= num_attributes_) {
    return Malformed("operation refers past the end of a table");
  }
  if (mask & kHasSuccessors) return Malformed("operation with successor blocks");
  if ((mask & kHasAttributes) && cursor.Varint() >= num_attributes_) {
    return Malformed("operation's attributes are past the end of their table");
  }
  if (mask & kHasProperties) {
    if (header_.version < 5) return Malformed("properties in an old version of bytecode");
    TENON_RETURN_IF_ERROR(CheckRecord(operations_[name], cursor.Varint()));
  } else if (header_.version >= 5 && operations_[name].num_properties > 0 &&
             dialects_[operations_[name].dialect] == "vhlo") {
    return Malformed("attributes of an operation are missing");
  }
  uint64_t num_results = mask & kHasResults ? cursor.Count() : 0;
  for (uint64_t i = 0; i < num_results; ++i) {
    if (cursor.Varint() >= num_types_) return Malformed("type past the end of its table");
  }
  uint64_t num_operands = mask & kHasOperands ? cursor.Count() : 0;
  for (uint64_t i = 0; i < num_operands; ++i) {
    uint64_t value = cursor.Varint();
    if (value >= region.scope.uses.size())
      return Malformed("operand refers to an undefined value");
    ++region.scope.uses[value];
  }
  if (!cursor.ok()) return Malformed("operation is cut off");
  uint64_t first_value = region.next_value;
  TENON_RETURN_IF_ERROR(DefineValues(region, num_results));
  if (header_.version >= 3 && (mask & kHasUseListOrders)) {
    TENON_RETURN_IF_ERROR(ReadUseListOrders(cursor, region, first_value, num_results));
  }
  if (mask & kHasRegions) return ReadRegions(cursor, region.scope, depth);
  return OkStatus();
}

Status Checker::ReadRegions(ByteCursor& cursor, Scope& scope, int depth) {
  if (depth >= kMaxRegionDepth) {
    return Malformed("regions nest deeper than " + std::to_string(kMaxRegionDepth));
  }
  bool isolated = false;
  uint64_t count = cursor.VarintWithFlag(isolated);
  if (!cursor.ok() || count > cursor.remaining()) return Malformed("regions are cut off");
  if (!isolated || header_.version < 2) {
    Scope inner;
    for (; count > 0; --count) {
      TENON_RETURN_IF_ERROR(ReadRegion(cursor, isolated ? inner : scope, depth));
    }
    return OkStatus();
  }
  if (count == 0) return OkStatus();
  int id = 0;
  TENON_ASSIGN_OR_RETURN(std::string_view bytes, ReadSection(cursor, id));
  if (id != kIr) return Malformed("a region's section is missing");
  ByteCursor nested(bytes);
  Scope inner;
  for (; count > 0; --count) TENON_RETURN_IF_ERROR(ReadRegion(nested, inner, depth));
  if (!nested.at_end()) return Malformed("bytes follow a region");
  return OkStatus();
}

Status Checker::ReadRegion(ByteCursor& cursor, Scope& scope, int depth) {
  uint64_t num_blocks = cursor.Varint();
  if (!cursor.ok()) return Malformed("region is cut off");
  if (num_blocks == 0) return OkStatus();
  if (num_blocks > 1) return Malformed("region of several blocks");
  uint64_t num_values = cursor.Count();
  if (!cursor.ok()) return Malformed("region is cut off");
  Region region{scope, scope.uses.size(), scope.uses.size() + num_values, {}};
  scope.uses.resize(region.end_value);
  TENON_RETURN_IF_ERROR(ReadBlock(cursor, region, depth + 1));
  if (region.next_value != region.end_value) {
    return Malformed("a region defines fewer values than it declares");
  }
  for (const UseListOrder& order : region.orders) {
    if (order.limit > scope.uses[order.value]) return Malformed("invalid use-list order");
  }
  scope.uses.resize(region.end_value - num_values);
  return OkStatus();
}

}  // namespace

bool IsBytecode(std::string_view bytes) { return bytes.starts_with(kMagic); }

StatusOr<BytecodeHeader> CheckBytecode(std::string_view bytes,
                                       const PropertyCount& count) {
  if (!IsBytecode(bytes)) return Malformed("not MLIR bytecode");
  return Checker(bytes, count).Check();
}

}  // namespace tenon::compiler
