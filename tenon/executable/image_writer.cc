#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "tenon/executable/build_fingerprint.h"
#include "tenon/executable/image.h"
#include "tenon/format/hash.h"
#include "tenon/format/layout.h"

namespace tenon {
namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t AlignUp(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// One section's records and the texts that they refer to.
class Records {
 public:
  // Makes room for the root, which Finish fills in.
  explicit Records(size_t root_bytes) { bytes_.resize(AlignUp(root_bytes, 8)); }

  // Equal texts are stored once. A NUL follows each, for readers in C.
  format::Text Put(std::string_view text) {
    if (text.empty()) return {};
    auto [found, is_new] = texts_.try_emplace(std::string(text));
    if (is_new) {
      found->second = {bytes_.size(), text.size()};
      bytes_ += text;
      bytes_ += '\0';
    }
    return found->second;
  }
  template <typename T>
  format::Table PutTable(const std::vector<T>& records) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    if (records.empty()) return {};
    bytes_.resize(AlignUp(bytes_.size(), 8));
    const uint64_t offset = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(records.data()),
                  records.size() * sizeof(T));
    return {offset, static_cast<uint32_t>(records.size()), sizeof(T)};
  }
  // A table with a record `encode(value)` for each value.
  template <typename T, typename Encode>
  format::Table PutEach(const T& values, Encode encode) {
    std::vector<decltype(encode(*values.begin()))> records;
    records.reserve(values.size());
    for (const auto& value : values) records.push_back(encode(value));
    return PutTable(records);
  }
  template <typename T>
  std::string Finish(const T& root) && {
    std::memcpy(bytes_.data(), &root, sizeof root);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::map<std::string, format::Text, std::less<>> texts_;
};

format::Table PutTensors(Records& records, const std::vector<ImageTensor>& tensors) {
  return records.PutEach(tensors, [&](const ImageTensor& tensor) {
    return format::Tensor{.dims = records.PutTable(tensor.dims),
                          .minor_to_major = records.PutTable(tensor.minor_to_major),
                          .name = records.Put(tensor.name),
                          .memory_kind = records.Put(tensor.memory_kind),
                          .sharding = records.Put(tensor.sharding),
                          .type = static_cast<int32_t>(tensor.type),
                          .shared_by = static_cast<uint32_t>(tensor.shared_by + 1)};
  });
}

format::FfiCall PutCall(Records& records, const ImageFfiCall& call) {
  return {.target = records.Put(call.target),
          .attributes = records.Put(call.attributes),
          .operands = PutTensors(records, call.operands),
          .results = PutTensors(records, call.results),
          .has_side_effect = call.has_side_effect,
          .reserved = 0};
}

format::Collective PutCollective(Records& records, const ImageCollective& collective) {
  const auto put_group = [&](const std::vector<int64_t>& group) {
    return format::Group{records.PutTable(group)};
  };
  return {.groups = records.PutEach(collective.groups, put_group),
          .operands = PutTensors(records, collective.operands),
          .results = PutTensors(records, collective.results),
          .dimension = collective.dimension,
          .concat_dimension = collective.concat_dimension,
          .tile_elements = collective.tile_elements,
          .source = records.Put(collective.source),
          .kind = static_cast<uint32_t>(collective.kind),
          .reserved = 0};
}

format::Code PutCode(Records& records, const CodeObject& code) {
  const auto put_text = [&](const std::string& text) { return records.Put(text); };
  const auto put_segment = [](const SharedSegment& segment) {
    return format::SharedSegment{segment.site, segment.bytes};
  };
  const auto put_packed = [&](const ImagePackedOperand& packed) {
    return format::PackedOperand{packed.parameter, packed.bytes,
                                 records.Put(packed.layout)};
  };
  return {.kind = records.Put(code.kind),
          .target = records.Put(code.target),
          .architecture = records.Put(code.architecture),
          .features = records.PutEach(code.features, put_text),
          .entry_offset = code.entry_offset,
          .imports_offset = code.imports_offset,
          .eh_frame_offset = code.eh_frame_offset,
          .eh_frame_bytes = code.eh_frame_size,
          .constants_offset = code.constants_offset,
          .constants_bytes = code.constants_size,
          .arena_bytes = code.arena_bytes,
          .estimated_nanoseconds = code.estimated_nanoseconds,
          .shared_segments = records.PutEach(code.shared_segments, put_segment),
          .packed_operands = records.PutEach(code.packed_operands, put_packed)};
}

std::string EncodeMetadata(const Image& image) {
  const ExecutableInfo& info = image.info;
  Records records(sizeof(format::Program));
  const auto put_alias = [](const ImageAlias& alias) {
    return format::Alias{alias.result, alias.parameter, alias.must, 0};
  };
  const auto put_call = [&](const ImageFfiCall& call) { return PutCall(records, call); };
  const auto put_collective = [&](const ImageCollective& collective) {
    return PutCollective(records, collective);
  };
  const auto put_cost = [&](const std::pair<const std::string, double>& cost) {
    return format::Cost{records.Put(cost.first), cost.second};
  };
  const auto put_code = [&](const CodeObject& code) { return PutCode(records, code); };
  const format::Program program = {
      .struct_bytes = sizeof program,
      .name = records.Put(info.name),
      .producer = records.Put("tenon " + std::string(BuildVersion())),
      .compile_options = records.Put(info.compile_options),
      .fingerprint = records.Put(info.fingerprint),
      .num_replicas = info.num_replicas,
      .num_partitions = info.num_partitions,
      .parameters = PutTensors(records, info.parameters),
      .results = PutTensors(records, info.results),
      .aliases = records.PutEach(info.aliases, put_alias),
      .ffi_calls = records.PutEach(info.ffi_calls, put_call),
      .collectives = records.PutEach(info.collectives, put_collective),
      .costs = records.PutEach(info.costs, put_cost),
      .code = records.PutEach(image.code_objects, put_code),
      .flags = info.ieee_denormals ? format::kIeeeDenormals : 0,
      .reserved = 0,
      .note = records.Put(info.note)};
  return std::move(records).Finish(program);
}

// Empty if the image has no debug data.
std::string EncodeDebug(const Image& image) {
  bool empty = image.info.optimized_program.empty();
  Records records(sizeof(format::Debug));
  const auto put_symbol = [&](const ImageSymbol& symbol) {
    return format::Symbol{records.Put(symbol.name), symbol.offset, symbol.size};
  };
  const auto put_kernel = [&](const ImageKernel& kernel) {
    return format::Kernel{records.Put(kernel.name), records.Put(kernel.op_name),
                          records.Put(kernel.source)};
  };
  const auto put_code = [&](const CodeObject& code) {
    empty &= code.symbols.empty() && code.kernels.empty();
    return format::DebugCode{records.PutEach(code.symbols, put_symbol),
                             records.PutEach(code.kernels, put_kernel)};
  };
  const format::Table code = records.PutEach(image.code_objects, put_code);
  if (empty) return "";
  return std::move(records).Finish(
      format::Debug{.struct_bytes = sizeof(format::Debug),
                    .optimized_program = records.Put(image.info.optimized_program),
                    .code = code});
}

// The values in the section kWeightData.
std::string WeightData(const std::vector<ImageWeight>& weights) {
  std::string data;
  for (const ImageWeight& weight : weights) {
    data.resize(AlignUp(data.size(), format::kMinAlignment));
    data += weight.value;
  }
  return data;
}

// `weights` are in the order of their tensors' names.
std::string EncodeWeights(const std::string& file,
                          const std::vector<ImageWeight>& weights) {
  Records records(sizeof(format::WeightList));
  uint64_t end = 0;
  const auto put_weight = [&](const ImageWeight& weight) {
    const uint64_t offset = file.empty() ? AlignUp(end, format::kMinAlignment) : 0;
    end = offset + weight.value.size();
    return format::Weight{.tensor = records.Put(weight.tensor),
                          .offset = offset,
                          .size = weight.value.size(),
                          .hash = format::Hash(weight.value.data(), weight.value.size()),
                          .parameter = weight.parameter,
                          .reserved = 0};
  };
  return std::move(records).Finish(
      format::WeightList{.struct_bytes = sizeof(format::WeightList),
                         .file = records.Put(file),
                         .weights = records.PutEach(weights, put_weight)});
}

// Places sections one after the other, and writes the file.
class FileWriter {
 public:
  void Add(format::SectionKind kind, uint32_t index, std::string_view content,
           uint64_t alignment, uint32_t flags = 0) {
    sections_.push_back({.kind = kind,
                         .index = index,
                         .flags = flags,
                         .alignment = static_cast<uint32_t>(alignment),
                         .offset = 0,
                         .size = content.size(),
                         .hash = format::Hash(content.data(), content.size()),
                         .reserved = 0});
    contents_.push_back(content);
  }

  std::string Finish() && {
    uint64_t end = sizeof(format::Header) + sections_.size() * sizeof(format::Section);
    for (format::Section& section : sections_) {
      section.offset = AlignUp(end, section.alignment);
      end = section.offset + section.size;
    }
    format::Header header = {.magic = {},
                             .major = format::kMajor,
                             .minor = format::kMinor,
                             .header_bytes = sizeof(format::Header),
                             .section_bytes = sizeof(format::Section),
                             .abi = format::kAbi,
                             .num_sections = static_cast<uint32_t>(sections_.size()),
                             .file_bytes = end,
                             .reserved = {},
                             .hash = 0};
    std::memcpy(header.magic, format::kMagic, sizeof header.magic);
    const size_t table_bytes = sections_.size() * sizeof(format::Section);
    format::Hasher hasher;
    hasher.Add(&header, sizeof header);
    hasher.Add(sections_.data(), table_bytes);
    header.hash = hasher.Finish();

    std::string out(end, '\0');
    std::memcpy(out.data(), &header, sizeof header);
    std::memcpy(out.data() + sizeof header, sections_.data(), table_bytes);
    for (size_t i = 0; i < sections_.size(); ++i)
      contents_[i].copy(out.data() + sections_[i].offset, contents_[i].size());
    return out;
  }

 private:
  std::vector<format::Section> sections_;
  std::vector<std::string_view> contents_;
};

std::string_view View(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string Image::Serialize(const SerializeOptions& options) const {
  const uint64_t alignment =
      options.page_aligned ? format::kPageAlignment : format::kMinAlignment;
  const std::string metadata = EncodeMetadata(*this);
  const std::string debug = options.debug ? EncodeDebug(*this) : "";
  FileWriter file;
  file.Add(format::kMetadata, 0, metadata, format::kMinAlignment);
  for (size_t i = 0; i < code_objects.size(); ++i) {
    file.Add(format::kCode, static_cast<uint32_t>(i), View(code_objects[i].bytes),
             alignment);
  }
  if (!constants.empty()) {
    file.Add(format::kConstants, 0, View(constants.bytes()), alignment);
  }
  if (!debug.empty()) file.Add(format::kDebug, 0, debug, format::kMinAlignment);
  std::string list, data;
  if (options.weights) {
    std::vector<ImageWeight> weights = options.weights->weights;
    std::sort(weights.begin(), weights.end(),
              [](const ImageWeight& a, const ImageWeight& b) {
                return std::tie(a.tensor, a.parameter) < std::tie(b.tensor, b.parameter);
              });
    list = EncodeWeights(options.weights->file, weights);
    file.Add(format::kWeights, 0, list, format::kMinAlignment, format::kRequired);
    if (options.weights->file.empty()) {
      data = WeightData(weights);
      file.Add(format::kWeightData, 0, data, alignment, format::kRequired);
    }
  }
  return std::move(file).Finish();
}

}  // namespace tenon
