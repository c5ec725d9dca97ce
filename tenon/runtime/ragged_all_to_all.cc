#include "tenon/runtime/ragged_all_to_all.h"

#include <cstring>
#include <string>

namespace tenon::runtime {
namespace {

// Positions of the operands.
enum : size_t { kOperand, kOutput, kInputOffsets, kSendSizes, kOutputOffsets };

template <typename T>
int64_t ElementAs(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return static_cast<int64_t>(value);  // of uint64_t above the range: negative, refused
}

int64_t IntegerAt(ElementType type, const void* data, size_t i) {
  switch (type) {
    case ElementType::kS8:
      return ElementAs<int8_t>(data, i);
    case ElementType::kU8:
      return ElementAs<uint8_t>(data, i);
    case ElementType::kS16:
      return ElementAs<int16_t>(data, i);
    case ElementType::kU16:
      return ElementAs<uint16_t>(data, i);
    case ElementType::kS32:
      return ElementAs<int32_t>(data, i);
    case ElementType::kU32:
      return ElementAs<uint32_t>(data, i);
    default:
      return ElementAs<int64_t>(data, i);
  }
}

bool IsInside(int64_t first, int64_t rows, int64_t size) {
  return first >= 0 && rows >= 0 && first <= size && rows <= size - first;
}

}  // namespace

int64_t RaggedRowBytes(const ImageCollective& site) {
  const ImageTensor& output = site.operands[kOutput];
  int64_t bytes = ElementBytes(output.type);
  for (size_t d = 1; d < output.dims.size(); ++d) bytes *= output.dims[d];
  return bytes;
}

StatusOr<std::vector<RaggedPart>> RaggedParts(const ImageCollective& site,
                                              const CollectiveBuffers& sender) {
  const auto number = [&](size_t operand, size_t i) {
    return IntegerAt(site.operands[operand].type, sender.inputs[operand], i);
  };
  std::vector<RaggedPart> parts(static_cast<size_t>(site.operands[kSendSizes].dims[0]));
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {number(kInputOffsets, i), number(kSendSizes, i),
                number(kOutputOffsets, i)};
  }
  TENON_RETURN_IF_ERROR(CheckRaggedParts(site, parts));
  return parts;
}

Status CheckRaggedParts(const ImageCollective& site, std::span<const RaggedPart> parts) {
  const int64_t input_rows = site.operands[kOperand].dims[0];
  const int64_t output_rows = site.operands[kOutput].dims[0];
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto wrong = [&](const char* array, int64_t first, int64_t size) {
      return InvalidArgument("ragged_all_to_all at " + site.source + ": part " +
                             std::to_string(i) + " has " + std::to_string(parts[i].rows) +
                             " rows from row " + std::to_string(first) + " of the " +
                             array + ", which has " + std::to_string(size) + " rows");
    };
    if (!IsInside(parts[i].input_row, parts[i].rows, input_rows)) {
      return wrong("operand", parts[i].input_row, input_rows);
    }
    if (!IsInside(parts[i].output_row, parts[i].rows, output_rows)) {
      return wrong("output", parts[i].output_row, output_rows);
    }
  }
  return OkStatus();
}

void WriteRaggedResults(const ImageCollective& site,
                        std::span<const CollectiveBuffers> members,
                        std::span<const RaggedSender> senders,
                        const ParallelChunks& parallel) {
  const auto bytes = static_cast<size_t>(site.operands[kOutput].ByteSize());
  const int64_t row_bytes = RaggedRowBytes(site);
  if (!bytes) return;
  parallel(static_cast<int64_t>(members.size()), [&](int64_t chunk) {
    const auto to = static_cast<size_t>(chunk);
    const CollectiveBuffers& member = members[to];
    if (member.outputs.empty()) return;
    char* result = static_cast<char*>(member.outputs[0]);
    if (result != member.inputs[kOutput]) {
      std::memcpy(result, member.inputs[kOutput], bytes);
    }
    for (const RaggedSender& sender : senders) {
      const size_t count = sender.parts.size() / members.size();
      for (size_t i = to * count; i < (to + 1) * count; ++i) {
        const RaggedPart& part = sender.parts[i];
        if (!part.rows) continue;
        std::memcpy(result + part.output_row * row_bytes, sender.rows + sender.starts[i],
                    static_cast<size_t>(part.rows * row_bytes));
      }
    }
  });
}

Status PerformRaggedAllToAll(const ImageCollective& site,
                             std::span<const CollectiveBuffers> members,
                             const ParallelChunks& parallel) {
  const int64_t row_bytes = RaggedRowBytes(site);
  std::vector<RaggedSender> senders;
  for (const CollectiveBuffers& member : members) {
    RaggedSender& sender = senders.emplace_back();
    TENON_ASSIGN_OR_RETURN(sender.parts, RaggedParts(site, member));
    sender.rows = static_cast<const char*>(member.inputs[kOperand]);
    for (const RaggedPart& part : sender.parts) {
      sender.starts.push_back(part.input_row * row_bytes);
    }
  }
  WriteRaggedResults(site, members, senders, parallel);
  return OkStatus();
}

}  // namespace tenon::runtime
